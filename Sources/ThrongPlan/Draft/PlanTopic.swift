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
