package import ThrongWire

/// What an app counts, how coarsely, why, for how long, who receives it and whom to ask, in plain language.
///
/// One source for the page that the daemon serves, for the beacon's panel and for the text of `throng plan label`.
package struct PrivacyLabel: Sendable, Hashable, Encodable {
    /// What clients call the app.
    package let app: AppName
    /// What people call it.
    package let appTitle: String
    /// The title's language; nil here and below where the plan does not say.
    package let appLanguage: LanguageTag?
    /// The label's heading.
    package let title: String
    /// What it all comes to.
    package let lede: String
    /// What holds for everything below.
    package let promises: [String]
    /// Whom to ask.
    package let contact: String
    /// k. Unit: devices.
    package let threshold: Int64
    /// Why things are counted, and what is counted for it.
    package let purposes: [Purpose]
    /// What fields are reduced to.
    package let dimensions: [Dimension]
    /// Who receives what; the app itself is the first.
    package let recipients: [Recipient]
    /// Every event that is counted, by name.
    package let events: [String]
    /// Every field that is looked at, by name.
    package let fields: [Field]
    /// The first digits of the plan's SHA-256.
    package let plan: String
    /// Where days begin: a name from the IANA time zone database.
    package let timeZone: String

    /// One thing to know.
    package struct Fact: Sendable, Hashable, Encodable {
        /// What it is about, in a word or two.
        package let topic: String
        /// What there is to know, below the topic.
        package let text: String
        /// The same without the topic.
        package let sentence: String

        init(_ topic: String, lead: String = "", _ text: String) {
            self.topic = topic
            self.text = text
            sentence = lead + text
        }
    }

    /// Why things are counted.
    package struct Purpose: Sendable, Hashable, Encodable {
        /// Its name in the plan.
        package let name: PurposeName
        /// What the numbers are for.
        package let explanation: String
        /// Its language.
        package let language: LanguageTag?
        /// Whether devices show an identifier.
        package let hasIdentifiers: Bool
        /// How long an identifier lasts: "15 minutes".
        package let rotation: String
        /// How long numbers are kept: "400 days".
        package let retention: String
        /// The same. Unit: seconds.
        package let rotationSeconds: Int64
        /// The same. Unit: seconds.
        package let retentionSeconds: Int64
        /// Consent, signals, identifiers, retention.
        package let facts: [Fact]
        /// What is counted for it.
        package let metrics: [Metric]
        /// What fields are reduced to for it.
        package let dimensions: [Dimension]
        /// Who receives what of it; the app itself is the first.
        package let recipients: [Recipient]
    }

    /// One thing that is counted.
    package struct Metric: Sendable, Hashable, Encodable {
        /// What people call it.
        package let title: String
        /// The question that it answers.
        package let question: String
        /// The title's language.
        package let titleLanguage: LanguageTag?
        /// The question's language.
        package let questionLanguage: LanguageTag?
        /// What is counted, split, added up, bounded, deleted.
        package let facts: [Fact]
    }

    /// What a field is reduced to.
    package struct Dimension: Sendable, Hashable, Encodable {
        /// What people call it.
        package let title: String
        /// The title's language.
        package internal(set) var language: LanguageTag?
        /// Where it comes from: "from user_agent".
        package let source: String
        /// All that is ever kept, in order.
        package let buckets: [String]
        /// The same as a text, shortened where it is long.
        package let summary: String
    }

    /// What an event may carry.
    package struct Field: Sendable, Hashable, Encodable {
        /// Its name.
        package let name: String
        /// The titles of what it is reduced to, or the names of the sums that it is added to.
        package let uses: [String]
        /// Whether browsers say it of themselves in every request.
        package let isUserAgent: Bool
    }

    /// Who receives what.
    package struct Recipient: Sendable, Hashable, Encodable {
        /// A sentence, or a name with whom to ask there.
        package let title: String
        /// The titles of the insights.
        package let insights: [String]
        /// In which languages they are.
        var languages: [LanguageTag?] = []

        /// The titles of the insights with their languages.
        package var spokenInsights: [(title: String, language: LanguageTag?)] {
            insights.enumerated().map { ($1, languages.indices.contains($0) ? languages[$0] : nil) }
        }
    }
}
