/// A question that a drafted plan can answer.
package enum PlanTopic: String, Sendable, CaseIterable {
    case pages, features, devices, sources, languages, regions, hours, versions, returning, journey, purchases

    /// True if clients of that kind can answer it.
    package func isFor(_ client: DraftClient) -> Bool {
        switch self {
        // Only a page has an address, and a page that led to it.
        case .pages, .sources: client != .app
        // A tab has neither a version that is known nor a memory of other days.
        case .versions, .returning: client != .web
        case .features, .devices, .languages, .regions, .hours, .journey, .purchases: true
        }
    }

    /// The question as people ask it.
    package var question: PlanPhrase {
        switch self {
        case .pages:
            PlanPhrase("Which pages are read?", "Welche Seiten werden gelesen?", "Quelles pages sont lues ?")
        case .features:
            PlanPhrase(
                "Which features are used?", "Welche Funktionen werden benutzt?", "Quelles fonctions sont utilisées ?")
        case .devices:
            PlanPhrase(
                "On which devices and systems is it used?", "Auf welchen Geräten und Systemen wird es benutzt?",
                "Sur quels appareils et systèmes ?")
        case .sources:
            PlanPhrase("Where do visitors come from?", "Woher kommen Besucher?", "D’où viennent les visiteurs ?")
        case .languages:
            PlanPhrase(
                "Which languages do people read?", "Welche Sprachen lesen die Leute?", "Quelles langues sont lues ?")
        case .regions:
            PlanPhrase(
                "In which parts of the world is it used?", "In welchen Teilen der Welt wird es benutzt?",
                "Dans quelles parties du monde ?")
        case .hours:
            PlanPhrase(
                "At which hours is it used?", "Zu welchen Stunden wird es benutzt?", "À quelles heures est-ce utilisé ?"
            )
        case .versions:
            PlanPhrase(
                "Which versions are still in use?", "Welche Versionen sind noch im Einsatz?",
                "Quelles versions sont encore en service ?")
        case .returning:
            PlanPhrase(
                "Do people come back in the weeks after?", "Kommen Leute in den Wochen danach wieder?",
                "Revient-on les semaines suivantes ?")
        case .journey:
            PlanPhrase(
                "How far do people come, and where do they give up?", "Wie weit kommen Leute, und wo geben sie auf?",
                "Jusqu’où va-t-on, et où abandonne-t-on ?")
        case .purchases:
            PlanPhrase(
                "How much is bought, and for how much?", "Wie viel wird gekauft, und für wie viel?",
                "Combien d’achats, et de quel montant ?")
        }
    }

    /// The decision that the answer drives, an example.
    var decision: String {
        switch self {
        case .pages: "Which pages are rewritten next."
        case .features: "What is built next, and what goes."
        case .devices: "Which systems are tested before a release."
        case .sources: "Where we are present."
        case .languages: "What is translated next."
        case .regions: "Which regions get servers and support."
        case .hours: "When maintenance is done."
        case .versions: "Which versions are supported no longer."
        case .returning: "Whether the first week gets more attention than new features."
        case .journey: "Which step is made simpler."
        case .purchases: "Whether prices and shipping change."
        }
    }

    /// The dimensions by which it splits the visits; none where it has a metric of its own.
    func dimensions(_ draft: PlanDraft) -> [DraftDimension] {
        switch self {
        case .pages: [.page]
        case .devices: draft.client == .app ? [.system] : [.system, .device]
        case .sources: [.source]
        case .languages: [.language(draft.languages)]
        case .regions: [.offset]
        case .hours: [.hour]
        case .versions: [.version]
        case .features, .returning, .journey, .purchases: []
        }
    }

    /// The metric that it needs; nil where it splits the visits.
    func metric(_ draft: PlanDraft) -> DraftMetric? {
        switch self {
        case .features: .features
        case .returning: .returning(draft.visitEvents)
        case .journey: .journey
        case .purchases: .purchases
        case .pages, .devices, .sources, .languages, .regions, .hours, .versions: nil
        }
    }
}

/// The clients of a drafted plan.
package enum DraftClient: String, Sendable, CaseIterable {
    case web, app, both
}

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
        (self.english, self.german, self.french) = (english, german, french)
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
