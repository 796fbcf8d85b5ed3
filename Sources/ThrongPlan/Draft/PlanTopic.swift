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
    package var question: PlanPhrase { PlanPhrase(.draftQuestion, ["topic": rawValue]) }

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

package enum DraftClient: String, Sendable, CaseIterable { case web, app, both }

/// A text of a drafted plan in each language. It holds nothing that would need quotes in YAML.
package struct PlanPhrase: Sendable {
    private let message: Message
    private let arguments: KeyValuePairs<String, any MessageArgument>

    init(_ message: Message, _ arguments: KeyValuePairs<String, any MessageArgument> = [:]) {
        (self.message, self.arguments) = (message, arguments)
    }

    /// A title, by the name of what has it.
    init(titled part: String) { self.init(.draftTitle, ["part": part]) }

    package func text(_ language: Language) -> String { language.say(message, arguments) }

    /// Returns a short text as a value: itself in one language, a mapping on the same line in several.
    func value(_ languages: [Language]) -> String { Self.value(languages, text) }

    static func value(_ languages: [Language], _ text: (Language) -> String) -> String {
        if languages.count == 1 { return text(languages[0]) }
        return "{" + languages.map { "\($0.tag): \(text($0))" }.joined(separator: ", ") + "}"
    }

    /// Returns texts of any length under their key, on lines of their own where there are several languages.
    static func lines(_ key: String, indent: Int, _ phrases: [PlanPhrase], _ languages: [Language]) -> [String] {
        let space = String(repeating: " ", count: indent)
        func text(_ language: Language) -> String { language.joined(phrases.map { $0.text(language) }) }
        if languages.count == 1 { return ["\(space)\(key): \(text(languages[0]))"] }
        return ["\(space)\(key):"] + languages.map { "\(space)  \($0.tag): \(text($0))" }
    }
}
