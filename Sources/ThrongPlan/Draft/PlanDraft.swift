internal import Yams

/// A plan to begin with, made of a few answers: it passes the reader and ``Plan/lint(today:)``. What its audience can't
/// fill is left out.
package struct PlanDraft: Sendable {
    /// The name of the app, such as "My site".
    package let title: String
    package let client: DraftClient
    /// The questions that are to be answered, the most important first.
    package let topics: [PlanTopic]
    /// The devices of a day, roughly.
    package let audience: Int
    /// The partner who gets reports; nil where nobody gets any.
    package let partner: String?
    /// The languages of its texts; never empty.
    package let languages: [Language]
    /// The date that it is made on.
    package let today: CalendarDate

    /// The k of drafted plans.
    static let threshold = 20
    /// The smallest audience of which a total is mostly shown: two k. Unit: devices a day.
    package static let smallestAudience = 2 * threshold
    /// The most questions of one draft.
    package static let mostTopics = 3

    package init(
        title: String, client: DraftClient, topics: [PlanTopic], audience: Int, partner: String?, languages: [Language],
        today: CalendarDate
    ) {
        (self.title, self.client, self.topics, self.audience) = (title, client, topics, audience)
        (self.partner, self.languages, self.today) = (partner, languages, today)
    }

    /// The app's name as clients send it, made of its title.
    package var name: String {
        let letters = title.lowercased().unicodeScalars.map { scalar -> Character in
            ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
        }
        let words = String(letters).split(separator: "_").joined(separator: "_")
        guard let first = words.first else { return "app" }
        return String((first.isNumber ? "app_" + words : words).prefix(63))
    }

    /// The events that stand for a visit.
    package var visitEvents: [String] {
        switch client {
        case .web: ["page_view"]
        case .app: ["app_opened"]
        case .both: ["page_view", "app_opened"]
        }
    }

    /// True if so many parts of a day's devices have two k each.
    func fits(_ parts: Int) -> Bool { audience / parts >= 2 * Self.threshold }

    /// The dimensions that split visits.
    var splits: [DraftDimension] { topics.flatMap { $0.dimensions(self) }.filter { fits($0.parts) } }

    /// The metrics besides the visits, each with its question.
    var others: [(topic: PlanTopic, metric: DraftMetric)] {
        topics.compactMap { topic in
            guard let metric = topic.metric(self), fits(metric.parts) else { return nil }
            return (topic, metric)
        }
    }

    /// The questions that it leaves out, with the audience that would do. Unit: devices a day.
    package var leftOut: [(topic: PlanTopic, audience: Int)] {
        topics.compactMap { topic in
            let parts = topic.metric(self).map { [$0.parts] } ?? topic.dimensions(self).map(\.parts)
            guard let fewest = parts.min(), !fits(fewest) else { return nil }
            return (topic, fewest * 2 * Self.threshold)
        }
    }

    var grace: DraftGrace { others.map(\.metric.grace).max() ?? .day }

    /// The dimensions of all metrics, each once.
    var dimensions: [DraftDimension] { splits + others.compactMap(\.metric.split) }

    /// Lines that say what is shown at its audience, a grouping each.
    package var shown: [String] {
        func line(_ title: String, _ parts: Int) -> String {
            parts == 1
                ? "\(title): in total"
                : "\(title): \(parts) numbers, of \(PlanNumber.text(audience / parts)) devices on average"
        }
        let visits = PlanPhrase(titled: "visits").text(.english)
        return [line(visits, 1)] + splits.map { line("\(visits) by \($0.name)", $0.parts) }
            + others.map { line($0.metric.title.text(.english), $0.metric.parts) }
    }
}

/// A question that a drafted plan can answer.
package enum PlanTopic: String, Sendable, CaseIterable, Decodable {
    case pages, features, devices, sources, languages, regions, hours, versions, returning, journey, purchases

    /// True if clients of that kind can answer it.
    package func isFor(_ client: DraftClient) -> Bool { DraftCatalogue[self].clients?.contains(client) ?? true }

    /// The question as people ask it.
    package var question: PlanPhrase { PlanPhrase(.draftQuestion, ["topic": rawValue]) }

    /// The decision that the answer drives, an example.
    var decision: String { DraftCatalogue[self].decision }

    /// The dimensions by which it splits the visits; none where it has a metric of its own.
    func dimensions(_ draft: PlanDraft) -> [DraftDimension] {
        (DraftCatalogue[self].dimensions ?? []).compactMap(DraftCatalogue.dimension)
            .filter { $0.clients?.contains(draft.client) ?? true }.map { $0.filled(draft.languages) }
    }

    /// The metric that it needs; nil where it splits the visits.
    func metric(_ draft: PlanDraft) -> DraftMetric? {
        let name = DraftCatalogue[self].metric
        guard var metric = DraftCatalogue.standard.metrics.first(where: { $0.name == name }) else { return nil }
        metric.measures.replace("$visit", with: draft.visitEvents.last ?? "")
        for title in ["revenue", "opened", "filled", "done"] {
            metric.measures.replace("$\(title)", with: PlanPhrase(titled: title).value(draft.languages))
        }
        return metric
    }
}

package enum DraftClient: String, Sendable, CaseIterable, Decodable { case web, app, both }

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

/// All that a drafted plan can have besides the visits: `Drafts.yaml`, which the build puts into the program.
struct DraftCatalogue: Sendable, Decodable {
    let topics: [Topic]
    let metrics: [DraftMetric]
    let dimensions: [DraftDimension]

    /// A question: the decision that its answer drives, and the metric or the splits of visits that answer it.
    struct Topic: Sendable, Decodable {
        let topic: PlanTopic
        /// The kinds of clients that can answer it; nil for all.
        let clients: [DraftClient]?
        let decision: String
        let dimensions: [String]?
        let metric: String?
    }

    static let standard: DraftCatalogue = {
        do {
            let text = String(decoding: PackageResources.Drafts_yaml, as: UTF8.self)
            return try YAMLDecoder().decode(DraftCatalogue.self, from: text)
        } catch { preconditionFailure("Drafts.yaml is no catalogue of drafts: \(error)") }
    }()

    static subscript(topic: PlanTopic) -> Topic {
        guard let found = standard.topics.first(where: { $0.topic == topic }) else {
            preconditionFailure("Drafts.yaml lacks \(topic)")
        }
        return found
    }

    static func dimension(_ name: String) -> DraftDimension? { standard.dimensions.first { $0.name == name } }
}

/// A metric of a drafted plan besides the visits.
struct DraftMetric: Sendable, Decodable {
    let name: String
    let events: [String]
    /// A remark on the events.
    let remark: String
    /// The name of the dimension that splits it, if any.
    let dimension: String?
    let period: String
    /// The lines that say what is measured.
    var measures: String
    /// The parts into which a day's devices fall.
    let parts: Int
    let insights: [Insight]
    /// The shortest grace that it allows.
    let grace: DraftGrace
    /// The fields of an event by hand, as JSON; empty for none. Nil where devices send the event by themselves.
    let fields: String?
    /// True if reports have a word for what it counts.
    let hasNoun: Bool?

    /// An insight that shows it, and what stands in its braces after the title.
    struct Insight: Sendable, Decodable { let name, body: String }

    var title: PlanPhrase { PlanPhrase(titled: name) }
    var split: DraftDimension? { dimension.flatMap(DraftCatalogue.dimension) }
}

/// The time that a drafted plan waits after a period, for reasons of what it counts. Unit: hours.
enum DraftGrace: Int, Sendable, Comparable, Decodable {
    case day = 24
    case twoDays = 48
    case twoWindows = 49

    var reason: String {
        switch self {
        case .day: "how long a day waits for devices that were offline"
        case .twoDays: "a device that was offline may answer so late; none is missed"
        case .twoWindows: "a way is known when two windows of identifiers are over, two days after it began"
        }
    }

    /// The weekday on which a week's report can be made in the morning.
    var weekday: String { self == .day ? "tue" : "wed" }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A dimension of a drafted plan.
struct DraftDimension: Sendable, Decodable {
    let name: String
    /// The kinds of clients that have it; nil for all.
    let clients: [DraftClient]?
    /// The lines under its title, each with its remark.
    var text: String
    /// The parts into which a day's devices fall, `other` with them.
    var parts: Int
    /// A value that a client may send in its field, of the example by hand; nil where nothing is sent.
    var example: Example?

    struct Example: Sendable, Decodable { var field, value: String }

    var title: PlanPhrase { PlanPhrase(titled: name) }

    /// Returns the dimension with a draft's languages, where it is about these.
    func filled(_ languages: [Language]) -> DraftDimension {
        guard text.contains("$languages") else { return self }
        // Two scripts are one language.
        let known = (languages.map(\.tag.language) + ["en", "es"]).reduce(into: [String]()) { known, tag in
            if !known.contains(tag) { known.append(tag) }
        }
        var filled = self
        filled.text.replace("$languages", with: known.joined(separator: ", "))
        filled.parts = known.count + 1
        filled.example?.value = known[0]
        return filled
    }
}
