extension String {
    /// The text in one line that shows all that is in it: controls, line breaks, directional and invisible marks are written
    /// as `\u{a}`, and a backslash as two. For terminals, where a name with a line break could pass as two lines.
    package var printable: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result += scalar == "\\" ? "\\\\" : String(scalar)
            }
        }
    }

    /// A file's name as bytes in ASCII alone: what is no plain letter, digit or mark is written as `\xff`, and a backslash as
    /// two, so that no two names look the same.
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
