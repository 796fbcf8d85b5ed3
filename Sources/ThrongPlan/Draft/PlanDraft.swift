package import ThrongWire

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
    var dimensions: [DraftDimension] { splits + others.compactMap(\.metric.dimension) }

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
