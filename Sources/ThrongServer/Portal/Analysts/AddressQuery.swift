internal import HTTPTypes

/// The query of an address, behind its question mark: each name once.
struct AddressQuery {
    private let values: [String: String]

    /// Unit: bytes; entries.
    private static let (longest, most) = (8192, 64)

    /// Reads it as browsers write forms.
    ///
    /// Source: WHATWG URL Standard, application/x-www-form-urlencoded; what can't be decoded is refused.
    init(_ text: String?) throws(ExplorerProblem) {
        let text = text ?? ""
        let pairs = text.split(separator: "&")
        guard text.utf8.count <= Self.longest, pairs.count <= Self.most else {
            throw ExplorerProblem(
                .badRequest, "This address is too long",
                "It may have \(Self.most) entries and \(Self.longest) bytes behind the question mark.")
        }
        var values: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : ""),
                values.updateValue(value, forKey: name) == nil
            else {
                throw ExplorerProblem(
                    .badRequest, "This address can\u{2019}t be read",
                    "It names something twice, or is not percent-encoded UTF-8.")
            }
        }
        self.values = values
    }

    /// Every name.
    var names: [String] { values.keys.sorted() }

    /// The value of a name; nil for a missing name and for one without a value.
    subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Names and values behind a question mark; those without a value are left out.
    static func text(_ pairs: [(String, String?)]) -> String {
        pairs.compactMap { name, value in value.map { "\(encoded(name))=\(encoded($0))" } }.joined(separator: "&")
    }

    /// Everything percent-encoded but letters, digits and four marks.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(Character(Unicode.Scalar(byte)))
            default:
                result += byte < 16 ? "%0" : "%"
                result += String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
