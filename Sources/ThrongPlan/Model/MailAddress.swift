/// An address that takes mail: `reports@bank.example`.
///
/// It may name a person, so that it stays in the plan: no log, metric or database holds it.
package struct MailAddress: Sendable, Hashable {
    /// The whole address, in ASCII; at most 254 bytes.
    package let text: String
    /// The part behind the `@`, in lower case.
    package let domain: String

    /// Reads an address; nil for one that RFC 5321 (section 4.1.2, without quoted strings and address literals) does not
    /// allow, or whose domain has no dot.
    package init?(_ text: String) {
        guard text.utf8.count <= 254, let sign = text.lastIndex(of: "@") else { return nil }
        let (local, domain) = (text[..<sign], text[text.index(after: sign)...].lowercased())
        let words = local.split(separator: ".", omittingEmptySubsequences: false)
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard local.utf8.count <= 64, labels.count > 1,
            words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isOfWord) }),
            labels.allSatisfy({ label in
                1...63 ~= label.utf8.count && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { Self.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            })
        else { return nil }
        self.text = text
        self.domain = domain
    }

    /// Source: atext of RFC 5322, section 3.2.3.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
