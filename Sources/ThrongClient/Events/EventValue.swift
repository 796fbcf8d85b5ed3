internal import Synchronization
internal import ThrongWire

/// A field's value as the app knows it. It never leaves the device; its bucket's label does.
public enum EventValue: Sendable, Hashable, EventValueConvertible {
    /// Text, such as a name from a list, a version or a route.
    case text(String)
    case integer(Int64)
    /// Any other number; one that is not finite is none.
    case number(Double)
    /// Yes or no.
    case flag(Bool)

    /// No bucketing looks at more of a text, and the daemon takes no longer one. Unit: bytes.
    static let longestText = 2048

    /// Lends the value to a bucketing.
    func withFieldValue<Result>(_ body: (FieldValue) -> Result) -> Result {
        switch self {
        case .text(let text): text.utf8.count > Self.longestText ? body(.missing) : text.withFieldValue(body)
        case .integer(let integer): body(.integer(integer))
        case .number(let number): number.isFinite ? body(.number(number)) : body(.missing)
        case .flag(let flag): body(.flag(flag))
        }
    }

    /// Itself.
    public var eventValue: EventValue { self }
}

/// A type that a field of an event can be given as: numbers, texts and flags, literal or not, and an app's own types.
///
/// ```swift
/// throng.record("note_created", ["words": words.count, "kind": kind, "shared": true])
/// ```
///
/// An enumeration of texts or numbers needs no more than the word: `enum Kind: String, EventValueConvertible`.
public protocol EventValueConvertible: Sendable { var eventValue: EventValue { get } }

extension EventValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// `"dessert"`.
    public init(stringLiteral value: String) { self = .text(value) }
    /// `3`.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// `24.9`.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// `true`.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension Batch.Scalar {
    /// Lends a coarsened value to a bucketing, as the daemon will.
    func withFieldValue<Result>(_ body: (FieldValue) -> Result) -> Result {
        switch self {
        case .text(let text): text.withFieldValue(body)
        case .integer(let integer): body(.integer(integer))
        case .number(let number): body(.number(number))
        case .flag(let flag): body(.flag(flag))
        case .null: body(.missing)
        }
    }
}

extension String: EventValueConvertible {
    /// The string as text.
    public var eventValue: EventValue { EventValue.text(self) }
}

extension Substring: EventValueConvertible {
    /// The substring as text.
    public var eventValue: EventValue { EventValue.text(String(self)) }
}

extension Bool: EventValueConvertible {
    /// The value as a flag.
    public var eventValue: EventValue { EventValue.flag(self) }
}

extension Double: EventValueConvertible {
    /// The value as a number.
    public var eventValue: EventValue { EventValue.number(self) }
}

extension Float: EventValueConvertible {
    /// The value as a number.
    public var eventValue: EventValue { EventValue.number(Double(self)) }
}

extension EventValueConvertible where Self: BinaryInteger {
    /// The value as a whole number, or as another one if it is beyond 64 bits with a sign.
    public var eventValue: EventValue {
        Int64(exactly: self).map(EventValue.integer) ?? EventValue.number(Double(self))
    }
}

extension Int: EventValueConvertible {}
extension Int8: EventValueConvertible {}
extension Int16: EventValueConvertible {}
extension Int32: EventValueConvertible {}
extension Int64: EventValueConvertible {}
extension UInt: EventValueConvertible {}
extension UInt8: EventValueConvertible {}
extension UInt16: EventValueConvertible {}
extension UInt32: EventValueConvertible {}
extension UInt64: EventValueConvertible {}

extension EventValueConvertible where Self: RawRepresentable, RawValue: EventValueConvertible {
    /// Its raw value.
    public var eventValue: EventValue { rawValue.eventValue }
}

/// The records that nobody has looked at yet: the only thing that ``Throng/record(_:_:)`` touches.
final class Inbox: Sendable {
    /// One call, with its own moment.
    struct Record: Sendable {
        let event: String
        let fields: [String: EventValue]
        let unixSeconds: UnixSeconds
    }

    private struct State {
        var records: [Record] = []
        var overflow = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Adds a record; beyond the limit it is only counted.
    func put(_ record: Record) {
        state.withLock { state in
            if state.records.count < limit { state.records.append(record) } else { state.overflow += 1 }
        }
    }

    func takeAll() -> (records: [Record], overflow: Int) {
        state.withLock { state in
            defer { state = State() }
            return (state.records, state.overflow)
        }
    }
}
