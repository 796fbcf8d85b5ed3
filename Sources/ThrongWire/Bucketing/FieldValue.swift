/// One raw field of an event, borrowed from the decoder for the length of a call. Never stored.
public enum FieldValue {
    /// The event has no such field, or it is null.
    case missing
    /// Text, as the UTF-8 bytes of the request.
    case text(FieldText)
    /// A whole number.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// true or false.
    case flag(Bool)
}

/// UTF-8 text that is borrowed, not copied; two are equal when their bytes are.
///
/// The bytes belong to the decoder's buffer and are valid only during the call that received them.
public struct FieldText {
    /// The borrowed bytes: valid UTF-8 without NUL.
    public let bytes: UnsafeBufferPointer<UInt8>

    /// Borrows bytes that the caller keeps alive.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// A copy, for rules that need whole strings; not for the hot path.
    public var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension String {
    /// Lends this string's bytes as a field value.
    package func withFieldValue<Result>(_ body: (FieldValue) throws -> Result) rethrows -> Result {
        var copy = self
        return try copy.withUTF8 { try body(.text(FieldText($0))) }
    }
}
