/// An event that somebody made up on a label's page, and all that would remain of it.
public struct LabelTrial: Sendable, Hashable {
    /// The event's name.
    public let event: String
    /// What was written into the form, by field.
    public let values: [String: String]
    /// What would become of it.
    public let outcomes: [Outcome]

    /// What would become of the event in one metric, or in none of a purpose.
    public struct Outcome: Sendable, Hashable {
        /// What it is about.
        public let title: String
        /// What happens, in a sentence.
        public let text: String
        /// All that would be kept: a name with a value.
        public let remains: [Remain]

        /// Puts an outcome together.
        public init(title: String, text: String, remains: [Remain]) {
            self.title = title
            self.text = text
            self.remains = remains
        }
    }

    /// One thing that would be kept.
    public struct Remain: Sendable, Hashable {
        /// What it is.
        public let name: String
        /// Its bucket or number.
        public let value: String

        /// Puts a thing together.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Puts a trial together.
    public init(event: String, values: [String: String], outcomes: [Outcome]) {
        self.event = event
        self.values = values
        self.outcomes = outcomes
    }
}
