extension String {
    /// The text in one line that shows all that is in it: controls, line breaks, directional and invisible marks are
    /// written as `\u{a}`, and a backslash as two. For terminals, where a name with a line break could pass as two
    /// lines.
    package var printable: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result += scalar == "\\" ? "\\\\" : String(scalar)
            }
        }
    }

    /// A file's name as bytes in ASCII alone: what is no plain letter, digit or mark is written as `\xff`, and a
    /// backslash as two, so that no two names look the same.
    package init(plainly name: some Sequence<UInt8>) {
        self = name.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "\\"): result += "\\\\"
            case 0x20...0x7e: result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += "\\x\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))"
            }
        }
    }
}

extension Unicode.Scalar {
    /// True if the scalar steers how text around it is read or shown instead of being text: C0 and C1 controls, DEL,
    /// line and paragraph separators, directional marks, embeddings, overrides and isolates, and what XML cannot hold.
    package var isControl: Bool {
        switch value {
        case 0x00...0x1f, 0x7f...0x9f, 0x200e, 0x200f, 0x061c, 0x2028...0x202e, 0x2066...0x2069, 0xfeff, 0xfffe, 0xffff:
            true
        default: false
        }
    }
}
