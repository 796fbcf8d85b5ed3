internal import ThrongWire

/// A field's value as the app knows it. It never leaves the device; its bucket's label does.
public enum EventValue: Sendable, Hashable {
    /// Text, such as a name from a list, a version or a route.
    case text(String)
    /// A whole number.
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
}

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
