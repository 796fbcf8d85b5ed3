/// A field of a header or trailer section: a name in lower case, and its value.
package struct MessageField: Sendable, Hashable {
    /// The name, in lower case.
    package let name: String
    /// The value, without spaces around it.
    package let value: String

    /// - Parameters:
    ///   - name: a token in lower case.
    ///   - value: without spaces around it, and without control characters but tabs.
    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// Says whether bytes are a field's name: a token of RFC 9110, section 5.6.2, without upper case, and so no pseudo-field.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { isTokenByte($0) && !(0x41...0x5a).contains($0) }
    }

    /// Says whether bytes are a field's value, RFC 9110, section 5.5: also no space before or after it.
    static func isValue(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = bytes.first, let last = bytes.last else { return true }
        return !isSpace(first) && !isSpace(last) && bytes.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: signs.contains(byte)
        }
    }

    private static let signs = Array("!#$%&'*+-.^_`|~".utf8)
}
