public import ThrongWire

/// What an app counts, how coarsely, why, for how long, who receives it and whom to ask, in plain language.
///
/// One source for the page that the daemon serves and for the text of `throng plan label`.
public struct PrivacyLabel: Sendable, Hashable {
    /// What clients call the app.
    public let app: AppName
    /// What people call it.
    public let appTitle: String
    /// The label's heading.
    public let title: String
    /// What it all comes to.
    public let lede: String
    /// What holds for everything below.
    public let promises: [String]
    /// Whom to ask.
    public let contact: String
    /// k. Unit: devices.
    public let threshold: Int64
    /// Why things are counted, and what is counted for it.
    public let purposes: [Purpose]
    /// What fields are reduced to.
    public let dimensions: [Dimension]
    /// Who receives what; the app itself is the first.
    public let recipients: [Recipient]
    /// Every event that is counted, by name.
    public let events: [String]
    /// Every field that is looked at, by name.
    public let fields: [Field]
    /// The first digits of the plan's SHA-256.
    public let plan: String
    /// Where days begin: a name from the IANA time zone database.
    public let timeZone: String

    /// One thing to know.
    public struct Fact: Sendable, Hashable {
        /// What it is about, in a word or two.
        public let topic: String
        /// What there is to know, below the topic.
        public let text: String
        /// The same without the topic.
        public let sentence: String

        init(_ topic: String, lead: String = "", _ text: String) {
            self.topic = topic
            self.text = text
            sentence = lead + text
        }
    }

    /// Why things are counted.
    public struct Purpose: Sendable, Hashable {
        /// Its name in the plan.
        public let name: PurposeName
        /// What the numbers are for.
        public let explanation: String
        /// How long an identifier lasts: "15 minutes".
        public let rotation: String
        /// How long numbers are kept: "400 days".
        public let retention: String
        /// The same. Unit: seconds.
        public let rotationSeconds: Int64
        /// The same. Unit: seconds.
        public let retentionSeconds: Int64
        /// Consent, signals, identifiers, retention.
        public let facts: [Fact]
        /// What is counted for it.
        public let metrics: [Metric]
    }

    /// One thing that is counted.
    public struct Metric: Sendable, Hashable {
        /// What people call it.
        public let title: String
        /// The question that it answers.
        public let question: String
        /// What is counted, split, added up, bounded, deleted.
        public let facts: [Fact]
    }

    /// What a field is reduced to.
    public struct Dimension: Sendable, Hashable {
        /// What people call it.
        public let title: String
        /// Where it comes from: "from user_agent".
        public let source: String
        /// All that is ever kept, in order.
        public let buckets: [String]
        /// The same as a text, shortened where it is long.
        public let summary: String
    }

    /// What an event may carry.
    public struct Field: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// The titles of what it is reduced to, or the names of the sums that it is added to.
        public let uses: [String]
        /// Whether browsers say it of themselves in every request.
        public let isUserAgent: Bool
    }

    /// Who receives what.
    public struct Recipient: Sendable, Hashable {
        /// A sentence, or a name with whom to ask there.
        public let title: String
        /// The titles of the insights.
        public let insights: [String]
    }
}
