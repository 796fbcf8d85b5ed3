package import Foundation

/// A description of what an app counts, in plain language: the source of the daemon's page, the beacon's panel and
/// `throng plan label`.
package struct PrivacyLabel: Sendable, Hashable, Encodable {
    /// The language of its sentences.
    package let language: Language
    package let app: AppName
    package let appTitle: String
    /// The app title's language; nil here and below if the plan does not say.
    package let appLanguage: LanguageTag?
    package let title: String
    package let lede: String
    package let promises: [String]
    /// The rights of people, and how they are used.
    package let rights: [String]
    /// The four steps by which something that is done becomes a number.
    package let steps: [String]
    package let contact: String
    /// k. Unit: devices.
    package let threshold: Int64
    package let purposes: [Purpose]
    package let dimensions: [Dimension]
    /// The recipients and what each receives; the app itself is the first.
    package let recipients: [Recipient]
    package let events: [String]
    package let fields: [Field]
    /// The words of the beacon's panel by their messages' names, `coarsely`, `recipients`, `questions` and the side from which
    /// it is read, `dir`. A name in braces is for the panel to fill in.
    package let words: [String: String]
    /// The first digits of the plan's SHA-256.
    package let plan: String
    /// The time zone in which days begin: a name from the IANA time zone database.
    package let timeZone: String

    /// The things that numbers stand for, as messages name them: `device_visit`.
    package var units: String { LabelUnit.word(for: Set(purposes.map(\.unit))) }

    /// The subjects of facts, in the words of ``Message/labelTopic``.
    enum Topic: String {
        case counts, answered, splitBy, refused, addsUp, spreads, sampling, margin, published, until, deleted, coarser
        case consent, usedFor, signals, children, code, proof, way, takenBack, kept
    }

    package struct Fact: Sendable, Hashable, Encodable {
        package let topic: String
        /// The fact, as it is shown below the topic.
        package let text: String
        /// The fact as a sentence that stands without the topic.
        package let sentence: String
    }

    package struct Purpose: Sendable, Hashable, Encodable {
        package let name: PurposeName
        package let explanation: String
        package let language: LanguageTag?
        package let hasIdentifiers: Bool
        /// True if servers send it, so that an answer on the device changes nothing.
        package let sentByServers: Bool
        /// The lifetime of an identifier. Unit: seconds.
        package let rotationSeconds: Int64
        /// The time for which numbers are kept. Unit: seconds.
        package let retentionSeconds: Int64
        package let facts: [Fact]
        /// The thing that its numbers stand for.
        package var unit: LabelUnit { LabelUnit(hasIdentifiers, Rotation(seconds: rotationSeconds)) }
        package let metrics: [Metric]
        package let dimensions: [Dimension]
        /// The recipients and what each receives of the purpose; the app itself is the first.
        package let recipients: [Recipient]
    }

    package struct Metric: Sendable, Hashable, Encodable {
        package let title: String
        package let question: String
        package let titleLanguage: LanguageTag?
        package let questionLanguage: LanguageTag?
        package let facts: [Fact]
    }

    package struct Dimension: Sendable, Hashable, Encodable {
        package let title: String
        package internal(set) var language: LanguageTag?
        /// The source, such as "from user_agent".
        package let source: String
        /// The buckets in order: all that is ever kept.
        package let buckets: [String]
        /// The buckets as a text, shortened if it is long.
        package let summary: String
    }

    package struct Field: Sendable, Hashable, Encodable {
        package let name: String
        /// The titles of the dimensions made from the field, or of the sums that it is added to.
        package let uses: [String]
        /// True if browsers send the field by themselves in every request.
        package let isUserAgent: Bool
    }

    package struct Recipient: Sendable, Hashable, Encodable {
        /// A sentence, or the recipient's name and contact.
        package let title: String
        package let insights: [String]
        /// The languages of the titles, in the same order.
        var languages: [LanguageTag?] = []

        package var spokenInsights: [(title: String, language: LanguageTag?)] {
            insights.enumerated().map { ($1, languages.indices.contains($0) ? languages[$0] : nil) }
        }
    }

    /// The answer to `GET /v1/label/APP`: the label as JSON with sorted keys in snake_case.
    ///
    /// - Throws: what `JSONEncoder` throws.
    package func json() throws -> Data { try JSONEncoder.stable(keys: .convertToSnakeCase).encode(self) }

    /// The label as plain text that also reads as Markdown; no line is longer than 100 columns unless one word is.
    package var text: String {
        var label = LabelText()
        label.heading(1, title)
        label.paragraph(lede)
        for promise in promises { label.item(promise) }
        label.item(language.say(.questions, ["contact": contact]))
        for purpose in purposes {
            label.heading(2, language.say(.labelPurpose, ["purpose": purpose.name.text]))
            label.paragraph(purpose.explanation)
            for fact in purpose.facts { label.item(fact.sentence) }
            for metric in purpose.metrics {
                label.heading(3, metric.title)
                label.paragraph(metric.question)
                for fact in metric.facts { label.item(fact.sentence) }
            }
        }
        label.heading(2, language.say(.labelCoarsely))
        label.paragraph(coarsening)
        for dimension in dimensions { label.item("\(dimension.title), \(dimension.source): \(dimension.summary)") }
        label.heading(2, language.say(.labelRecipients))
        for recipient in recipients {
            label.item(recipient.insights.isEmpty ? recipient.title : "\(recipient.title):")
            for insight in recipient.insights { label.item(insight, depth: 1) }
        }
        label.heading(2, language.say(.labelRightsTitle))
        for right in rights { label.item(right) }
        label.gap()
        label.paragraph(language.say(.labelPlan, ["plan": plan, "timeZone": timeZone]))
        return label.text.replacing(/\n+$/, with: "\n")
    }

    package var coarsening: String { language.say(dimensions.isEmpty ? .labelUnsplit : .labelCoarsening) }
}

/// Plain text in lines of at most 100 columns, which also reads as Markdown.
struct LabelText {
    /// Longest line. Unit: characters.
    static let width = 100
    private var lines: [String] = []

    /// The text with a line feed at its end.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// A heading with an empty line around it.
    mutating func heading(_ level: Int, _ title: String) {
        if !lines.isEmpty { gap() }
        add(title, first: String(repeating: "#", count: level) + " ", rest: "  ")
        gap()
    }

    mutating func paragraph(_ text: String) {
        add(text, first: "", rest: "")
        gap()
    }

    mutating func item(_ text: String, depth: Int = 0) {
        let indent = String(repeating: "  ", count: depth)
        add(text, first: "\(indent)- ", rest: "\(indent)  ")
    }

    mutating func gap() { if lines.last != "" { lines.append("") } }

    private mutating func add(_ text: String, first: String, rest: String) {
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > Self.width {
                lines.append(line)
                (line, isEmpty) = (rest, true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(line)
    }
}
