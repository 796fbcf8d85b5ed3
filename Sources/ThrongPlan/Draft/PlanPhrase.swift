/// A language in which a drafted plan can have its texts.
package enum DraftLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case french = "fr"
}

/// A text of a drafted plan in each language. It holds nothing that would need quotes in YAML.
package struct PlanPhrase: Sendable, Hashable {
    /// The text in English.
    package let english: String
    private let german: String
    private let french: String

    init(_ english: String, _ german: String, _ french: String) {
        self.english = english
        self.german = german
        self.french = french
    }

    /// Returns the text in a language.
    func text(_ language: DraftLanguage) -> String {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        }
    }

    /// Returns a short text as a value: itself in one language, a mapping on the same line in several.
    func value(_ languages: [DraftLanguage]) -> String {
        if languages.count == 1 { return text(languages[0]) }
        return "{" + languages.map { "\($0.rawValue): \(text($0))" }.joined(separator: ", ") + "}"
    }

    /// Returns a text of any length under its key, on lines of their own where there are several languages.
    func lines(_ key: String, indent: Int, _ languages: [DraftLanguage]) -> [String] {
        let space = String(repeating: " ", count: indent)
        if languages.count == 1 { return ["\(space)\(key): \(text(languages[0]))"] }
        return ["\(space)\(key):"] + languages.map { "\(space)  \($0.rawValue): \(text($0))" }
    }

    /// Joins texts language by language.
    static func joined(_ phrases: [PlanPhrase]) -> PlanPhrase {
        PlanPhrase(
            phrases.map(\.english).joined(separator: " "), phrases.map(\.german).joined(separator: " "),
            phrases.map(\.french).joined(separator: " "))
    }
}
