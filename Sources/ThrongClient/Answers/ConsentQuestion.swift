public import ThrongWire

/// What a person is asked about one purpose, and all that they should know before they answer: ready to be shown.
///
/// Texts of the plan are in the person's language where the plan has it; those of the library are English, and
/// ``ThrongOptions/localize`` translates them.
public struct ConsentQuestion: Sendable, Hashable, Codable, Identifiable {
    /// The purpose's name in the plan.
    public let id: String
    /// Which version of the purpose it is about; the answer holds for this one.
    public let version: Int
    /// What people call the app.
    public let app: SpokenText
    /// The question.
    public let title: SpokenText
    /// What the numbers are for.
    public let explanation: SpokenText
    /// What they said so far; ``Consent/notDetermined`` where they are to be asked.
    public let consent: Consent
    /// What they can answer; refusing is as near as agreeing.
    public let choices: [Choice]
    /// What is counted, and how coarsely.
    public let counted: [Counted]
    /// How long the device shows one random identifier; 0 where it shows none. Unit: seconds.
    public let identifierSeconds: Int64
    /// How long numbers are kept. Unit: seconds.
    public let retentionSeconds: Int64
    /// The least number of devices behind each published number.
    public let threshold: Int64
    /// Who receives numbers of the app.
    public let recipients: [Recipient]
    /// Whom to ask.
    public let contact: String
    /// Signals that are set and refuse the purpose whatever is answered, sorted.
    public let refusedBy: [OptOutSignal]

    /// One answer.
    public struct Choice: Sendable, Hashable, Codable {
        /// What it means.
        public let consent: Consent
        /// What stands on its button.
        public let words: SpokenText
    }

    /// One thing that is counted.
    public struct Counted: Sendable, Hashable, Codable {
        /// Its name in the plan.
        public let metric: String
        /// What people call it.
        public let title: SpokenText
        /// The question that it answers.
        public let question: SpokenText
        /// The events that count.
        public let events: [String]
        /// How precisely times are kept.
        public let period: PeriodKind
        /// All that is kept of each event.
        public let parts: [Part]
        /// What is added up.
        public let sums: [Sum]
        /// Share of events that are sent at all.
        public let sampling: Double
    }

    /// What a field becomes before it leaves the device.
    public struct Part: Sendable, Hashable, Codable {
        /// What people call it.
        public let title: SpokenText
        /// Every word that it can become; empty where words are learned while counting goes on.
        public let buckets: [String]
    }

    /// A number that is added up, held between two bounds.
    public struct Sum: Sendable, Hashable, Codable {
        /// Its name.
        public let name: String
        /// The least that it adds.
        public let lowest: Double
        /// The most that it adds.
        public let highest: Double
        /// Such as EUR; empty for none.
        public let unit: String
    }

    /// Who receives numbers, from published ones only.
    public struct Recipient: Sendable, Hashable, Codable {
        /// What people call them.
        public let title: String
        /// Whom to ask there.
        public let contact: String
        /// What they get, in the titles of the plan.
        public let insights: [String]
    }
}
