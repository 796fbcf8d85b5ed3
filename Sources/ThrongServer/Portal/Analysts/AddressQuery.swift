internal import Foundation
internal import HTTPTypes

/// The query of an address, behind its question mark: each name once.
struct AddressQuery {
    private var values: [String: String]

    /// Unit: bytes; entries.
    static let (longest, most) = (8192, 64)

    /// Reads it as browsers write forms.
    ///
    /// Source: WHATWG URL Standard, application/x-www-form-urlencoded; what can't be decoded is refused.
    init(_ text: String?) throws(ExplorerProblem) {
        let text = text ?? ""
        let pairs = text.split(separator: "&")
        guard text.utf8.count <= Self.longest, pairs.count <= Self.most else { throw ExplorerProblem(.long) }
        var values: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count > 1 ? parts[1] : ""),
                values.updateValue(value, forKey: name) == nil
            else { throw ExplorerProblem(.twice) }
        }
        self.values = values
    }

    var names: [String] { values.keys.sorted() }

    /// The value of a name; nil for a missing name and for one without a value.
    subscript(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The same with one more name, which the path has in the query's place.
    func naming(_ name: String, _ value: String) -> AddressQuery {
        var query = self
        query.values[name] = value
        return query
    }

    /// Names and values behind a question mark; those without a value are left out.
    static func text(_ pairs: [(String, String?)]) -> String {
        pairs.compactMap { name, value in
            guard let name = encoded(name), let value = value.flatMap(encoded) else { return nil }
            return "\(name)=\(value)"
        }.joined(separator: "&")
    }

    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    private static func encoded(_ text: String) -> String? { text.addingPercentEncoding(withAllowedCharacters: plain) }

    private static func decoded(_ text: Substring) -> String? {
        let text = text.replacing("+", with: " ").removingPercentEncoding
        return text.flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
