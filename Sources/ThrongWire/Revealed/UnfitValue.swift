/// The reason why a value of an open vocabulary never leaves a device, and is never learned by a daemon.
public enum UnfitValue: Error, Sendable, Hashable {
    /// It can't be the name of a bucket: ``BucketLabel/isPrintable``.
    case malformed
    /// It would be taken for something else: `other`, or a text that starts with `(` or `#`.
    case reserved
    /// It looks like an address or a number by which a person can be reached or known.
    case personal
}

extension UnfitValue: CustomStringConvertible {
    /// A message: what is allowed; never the value.
    public var description: String {
        switch self {
        case .malformed:
            """
            the value can't name a bucket; 1 to 64 bytes without quotes, commas, semicolons, backslashes, bars and \
            control characters are allowed, starting with none of = + - @ and no space
            """
        case .reserved: "the value 'other', and values that start with ( or #, mean something else"
        case .personal: "the value looks personal: an @, or 6 digits and more in a row"
        }
    }
}

extension BucketLabel {
    /// The label that a value of an open vocabulary would get once enough devices have it.
    ///
    /// Refused as personal: an `@` of any width, and 6 or more digits of any script with nothing but spaces and the
    /// signs of phone numbers and dates (`+ - . / : ( )`) between them. This is a net for accidents, not a proof: an
    /// app that asks people for names has names in the values.
    public init(revealing value: String) throws(UnfitValue) {
        self.init(value)
        // A value that looks personal is refused as personal, whatever else is wrong with it.
        guard !Self.looksPersonal(value) else { throw .personal }
        guard isPrintable else { throw .malformed }
        guard self != .other, value.utf8.first != UInt8(ascii: "("), value.utf8.first != UInt8(ascii: "#") else {
            throw .reserved
        }
    }

    private static func looksPersonal(_ value: String) -> Bool {
        var digits = 0
        for scalar in value.unicodeScalars {
            switch scalar {
            case "@", "\u{FE6B}", "\u{FF20}": return true
            case "+", "-", ".", "/", ":", "(", ")": break
            default:
                let properties = scalar.properties
                if properties.numericType == .decimal {
                    digits += 1
                    if digits == 6 { return true }
                } else if !properties.isWhitespace, !properties.isDash, !properties.isDefaultIgnorableCodePoint {
                    digits = 0
                }
            }
        }
        return false
    }
}
