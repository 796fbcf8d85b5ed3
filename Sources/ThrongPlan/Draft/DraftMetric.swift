/// A metric of a drafted plan besides the visits.
struct DraftMetric: Sendable {
    let name: String
    let title: PlanPhrase
    let events: [String]
    /// A remark on the events.
    let remark: String
    /// The dimension that splits it, if any.
    let dimension: DraftDimension?
    let period: String
    /// The lines that say what is measured.
    let measures: [String]
    /// The parts into which a day's devices fall.
    let parts: Int
    /// The insights that show it: names, and what stands in their braces after the title.
    let insights: [(name: String, title: PlanPhrase, body: String)]
    /// The shortest grace that it allows.
    let grace: DraftGrace
    /// The fields of an event by hand, as JSON; empty for none. Nil where devices send the event by themselves.
    let fields: String?
    /// The word for what it counts, in reports; nil for actions.
    var noun: (one: PlanPhrase, many: PlanPhrase)?

    static let features = DraftMetric(
        name: "features", title: PlanPhrase("Use of features", "Nutzung von Funktionen", "Usage des fonctions"),
        events: ["search", "save", "share"], remark: "EDIT: what your clients record", dimension: .feature,
        period: "day",
        measures: ["measures: {reach: true}    # devices, too"], parts: 4,
        insights: [
            (
                "by_feature",
                PlanPhrase(
                    "Devices that used each feature", "Geräte je Funktion", "Appareils par fonction"),
                "kind: reach, by: [feature]"
            )
        ], grace: .day, fields: "")

    static func returning(_ visits: [String]) -> DraftMetric {
        DraftMetric(
            name: "returning", title: PlanPhrase("Returning devices", "Wiederkehrende Geräte", "Appareils de retour"),
            events: ["came_back"], remark: "the Swift SDK sends it by itself", dimension: .week, period: "week",
            measures: ["answered: {retention: {of: [\(visits.last ?? "")], weeks: 4}}"], parts: 6,
            insights: [
                (
                    "came_back",
                    PlanPhrase("Weeks in which people came back", "Wochen der Wiederkehr", "Semaines de retour"),
                    "kind: retention"
                )
            ], grace: .twoDays, fields: nil)
    }

    static let journey = DraftMetric(
        name: "journey", title: PlanPhrase("Way to an account", "Weg zum Konto", "Chemin vers le compte"),
        events: ["sign_up_opened", "sign_up_filled", "sign_up_done"], remark: "EDIT: your steps, here and below",
        dimension: nil, period: "day",
        measures: [
            "measures:", "  funnel:", "    steps:", "      - {title: Opened, event: sign_up_opened}",
            "      - {title: Filled in, event: sign_up_filled}", "      - {title: Done, event: sign_up_done}",
        ], parts: 4,
        insights: [
            (
                "steps", PlanPhrase("How far people come", "Wie weit Leute kommen", "Jusqu’où l’on va"), "kind: funnel"
            )
        ], grace: .twoWindows, fields: "")

    static let purchases = DraftMetric(
        name: "purchases", title: PlanPhrase("Purchases", "Käufe", "Achats"), events: ["purchase"],
        remark: "with the field amount", dimension: nil, period: "day",
        measures: [
            "measures:", "  reach: true              # devices, too", "  sums:",
            "    revenue: {field: amount, from: 0, to: 200, decimals: 2, unit: EUR}    # EDIT: larger amounts count as the largest",
            "contribution_bound: 3      # purchases of one device and day that count; what is added up is off in proportion",
        ], parts: 1,
        insights: [
            (
                "buyers", PlanPhrase("Devices that bought", "Geräte mit Käufen", "Appareils qui ont acheté"),
                "kind: reach, trend: 14"
            ),
            (
                "order_value", PlanPhrase("Average purchase", "Durchschnittlicher Kauf", "Achat moyen"),
                "kind: mean, sum: revenue"
            ),
        ], grace: .day, fields: "\"amount\": 24.90",
        noun: (PlanPhrase("purchase", "Kauf", "achat"), PlanPhrase("purchases", "Käufe", "achats")))
}

/// The time that a drafted plan waits after a period, for reasons of what it counts.
enum DraftGrace: Int, Sendable, Comparable {
    case day, twoDays, twoWindows

    /// The grace as a plan writes it, and why it is so long.
    var text: (value: String, reason: String) {
        switch self {
        case .day: ("24 hours", "how long a day waits for devices that were offline")
        case .twoDays: ("48 hours", "a device that was offline may answer so late; none is missed")
        case .twoWindows:
            ("49 hours", "a way is known when two windows of identifiers are over, two days after it began")
        }
    }

    /// The weekday on which a week's report can be made in the morning.
    var weekday: String { self == .day ? "tue" : "wed" }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
