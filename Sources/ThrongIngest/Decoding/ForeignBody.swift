/// The kind of a body that is not a JSON document, as far as its first bytes tell: a wrong tool, or a missing header.
package enum ForeignBody: Sendable, Hashable, CaseIterable {
    case empty, multipart, form, markup, gzip, wideText

    /// Returns nil if the first bytes are not known.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let first = bytes.prefix(2)
        if first.elementsEqual([0x1F, 0x8B]) {
            self = .gzip
        } else if first.elementsEqual([0xFE, 0xFF]) || first.elementsEqual([0xFF, 0xFE])
            || first.count == 2 && first.contains(0)
        {
            self = .wideText
        } else {
            let text = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }.prefix(256)
            switch text.first {
            case nil: self = .empty
            case UInt8(ascii: "<"): self = .markup
            // A number has one sign at most.
            case UInt8(ascii: "-") where text.dropFirst().first == UInt8(ascii: "-"): self = .multipart
            default:
                let name = text.prefix { Self.isInName($0) }
                guard !name.isEmpty, text.dropFirst(name.count).first == UInt8(ascii: "=") else { return nil }
                self = .form
            }
        }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "%+-._*[]".utf8.contains(byte)
        }
    }

    /// True if it is in another format, and not a document that is compressed, in another encoding, or missing.
    var isOtherFormat: Bool {
        switch self {
        case .multipart, .form, .markup: true
        case .empty, .gzip, .wideText: false
        }
    }

    /// The kind that was found, and the one that is allowed.
    var message: String {
        switch self {
        case .empty: "The body is empty; send one JSON document."
        case .multipart: "The body is multipart, as forms with files are; send one JSON document."
        case .form: "The body is a form's, NAME=VALUE; send one JSON document."
        case .markup: "The body is XML or HTML; send one JSON document."
        case .gzip: "The body is packed by gzip and does not say so; send Content-Encoding: gzip."
        case .wideText: "The body is UTF-16 or UTF-32; send one JSON document in UTF-8."
        }
    }
}
