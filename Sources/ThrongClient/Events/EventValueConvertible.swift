/// What a field of an event can be given as: numbers, texts and flags, literal or not, and an app's own types.
///
/// ```swift
/// throng.record("note_created", ["words": words.count, "kind": kind, "shared": true])
/// ```
///
/// An enumeration of texts or numbers needs no more than the word: `enum Kind: String, EventValueConvertible`.
public protocol EventValueConvertible: Sendable {
    /// The value.
    var eventValue: EventValue { get }
}

extension EventValue: EventValueConvertible {
    /// Itself.
    public var eventValue: EventValue { self }
}

extension String: EventValueConvertible {
    /// As text.
    public var eventValue: EventValue { EventValue.text(self) }
}

extension Substring: EventValueConvertible {
    /// As text.
    public var eventValue: EventValue { EventValue.text(String(self)) }
}

extension Bool: EventValueConvertible {
    /// As a flag.
    public var eventValue: EventValue { EventValue.flag(self) }
}

extension Double: EventValueConvertible {
    /// As a number.
    public var eventValue: EventValue { EventValue.number(self) }
}

extension Float: EventValueConvertible {
    /// As a number.
    public var eventValue: EventValue { EventValue.number(Double(self)) }
}

extension EventValueConvertible where Self: BinaryInteger {
    /// As a whole number, or as another one where it is beyond 64 bits with a sign.
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
