internal import CICU
internal import Foundation
package import ThrongWire

/// The messages of one language, in the syntax of ICU's MessageFormat: a file of `Languages`, which the build puts into the
/// program.
package struct Catalogue: Sendable {
    private let patterns: [String: String]

    /// The catalogues of all files, by language.
    package static let all: [LanguageTag: Catalogue] = Dictionary(
        uniqueKeysWithValues: PackageResources.all.compactMap { name, bytes in
            LanguageTag(name.replacing(".json", with: "")).flatMap { tag in Catalogue(json: bytes).map { (tag, $0) } }
        })

    private static let english = LanguageTag("en").flatMap { all[$0] }

    package init(_ patterns: [String: String]) { self.patterns = patterns }

    /// Reads one object of texts; nil for anything else.
    package init?(json: [UInt8]) {
        do { patterns = try JSONDecoder().decode([String: String].self, from: Data(json)) } catch { return nil }
    }

    /// A message's pattern; the English one where the language lacks it, which no plan may ask for: see ``missing``.
    package subscript(message: Message) -> String {
        patterns[message.rawValue] ?? Self.english?.patterns[message.rawValue] ?? message.rawValue
    }

    /// The messages that it lacks. The language of a report has none, or else `plan check` refuses it.
    package var missing: [Message] { Message.allCases.filter { patterns[$0.rawValue] == nil } }

    /// The names in it that are no messages.
    package var unknown: [String] { patterns.keys.filter { Message(rawValue: $0) == nil }.sorted() }

    /// The arguments of a message, sorted, each with the cases of its plural or select: `count(one,other) group`; nil where
    /// the pattern does not parse.
    package func arguments(of message: Message) -> [String]? {
        guard let found = throng_icu_arguments(self[message]) else { return nil }
        defer { free(found) }
        return String(cString: found).split(separator: " ").map(String.init)
    }
}
