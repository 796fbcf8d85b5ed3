package import ThrongWire

/// A description in plain language: what an app counts, how coarsely, why, for how long, who receives it, whom to ask.
///
/// It is the one source of the page that the daemon serves, the beacon's panel and the text of `throng plan label`.
package struct PrivacyLabel: Sendable, Hashable, Encodable {
    /// The app's name, as clients use it.
    package let app: AppName
    /// The app's title, for people.
    package let appTitle: String
    /// The app title's language; nil here and below if the plan does not say.
    package let appLanguage: LanguageTag?
    /// The label's heading.
    package let title: String
    /// The summary.
    package let lede: String
    /// The promises that hold for everything below.
    package let promises: [String]
    /// The contact for questions.
    package let contact: String
    /// k. Unit: devices.
    package let threshold: Int64
    /// The purposes, each with what is counted for it.
    package let purposes: [Purpose]
    /// The dimensions that fields are reduced to.
    package let dimensions: [Dimension]
    /// The recipients and what each receives; the app itself is the first.
    package let recipients: [Recipient]
    /// The events that are counted, by name.
    package let events: [String]
    /// The fields that are looked at, by name.
    package let fields: [Field]
    /// The first digits of the plan's SHA-256.
    package let plan: String
    /// The time zone in which days begin: a name from the IANA time zone database.
    package let timeZone: String

    /// One thing to know.
    package struct Fact: Sendable, Hashable, Encodable {
        /// The topic, in a word or two.
        package let topic: String
        /// The fact, as it is shown below the topic.
        package let text: String
        /// The fact as a sentence that stands without the topic.
        package let sentence: String

        init(_ topic: String, lead: String = "", _ text: String) {
            self.topic = topic
            self.text = text
            sentence = lead + text
        }
    }

    /// A purpose that things are counted for.
    package struct Purpose: Sendable, Hashable, Encodable {
        /// The purpose's name in the plan.
        package let name: PurposeName
        /// The explanation of what the numbers are for.
        package let explanation: String
        /// The explanation's language.
        package let language: LanguageTag?
        /// True if devices show an identifier.
        package let hasIdentifiers: Bool
        /// The lifetime of an identifier, such as "15 minutes".
        package let rotation: String
        /// The time for which numbers are kept, such as "400 days".
        package let retention: String
        /// The lifetime of an identifier. Unit: seconds.
        package let rotationSeconds: Int64
        /// The time for which numbers are kept. Unit: seconds.
        package let retentionSeconds: Int64
        /// Facts about consent, signals, identifiers and retention.
        package let facts: [Fact]
        /// The metrics that are counted for the purpose.
        package let metrics: [Metric]
        /// The dimensions that fields are reduced to for the purpose.
        package let dimensions: [Dimension]
        /// The recipients and what each receives of the purpose; the app itself is the first.
        package let recipients: [Recipient]
    }

    /// One thing that is counted.
    package struct Metric: Sendable, Hashable, Encodable {
        /// The metric's title, for people.
        package let title: String
        /// The question that the metric answers.
        package let question: String
        /// The title's language.
        package let titleLanguage: LanguageTag?
        /// The question's language.
        package let questionLanguage: LanguageTag?
        /// Facts about what is counted, split, added up, bounded and deleted.
        package let facts: [Fact]
    }

    /// A dimension that a field is reduced to.
    package struct Dimension: Sendable, Hashable, Encodable {
        /// The dimension's title, for people.
        package let title: String
        /// The title's language.
        package internal(set) var language: LanguageTag?
        /// The source, such as "from user_agent".
        package let source: String
        /// The buckets in order: all that is ever kept.
        package let buckets: [String]
        /// The buckets as a text, shortened if it is long.
        package let summary: String
    }

    /// A field that an event may carry.
    package struct Field: Sendable, Hashable, Encodable {
        /// The field's name.
        package let name: String
        /// The titles of the dimensions made from the field, or the names of the sums that it is added to.
        package let uses: [String]
        /// True if browsers send the field by themselves in every request.
        package let isUserAgent: Bool
    }

    /// A recipient and what it receives.
    package struct Recipient: Sendable, Hashable, Encodable {
        /// A sentence, or the recipient's name and contact.
        package let title: String
        /// The titles of the insights that it receives.
        package let insights: [String]
        /// The languages of the titles, in the same order.
        var languages: [LanguageTag?] = []

        /// The titles of the insights with their languages.
        package var spokenInsights: [(title: String, language: LanguageTag?)] {
            insights.enumerated().map { ($1, languages.indices.contains($0) ? languages[$0] : nil) }
        }
    }
}
