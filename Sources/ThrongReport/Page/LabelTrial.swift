/// An event that somebody made up on a label's page, and all that would remain of it.
package struct LabelTrial: Sendable, Hashable {
    /// The event's name.
    package let event: String
    /// What was written into the form, by field.
    package let values: [String: String]
    /// What would become of it.
    package let outcomes: [Outcome]

    /// What would become of the event in one metric, or in none of a purpose.
    package struct Outcome: Sendable, Hashable {
        /// What it is about.
        package let title: String
        /// What happens, in a sentence.
        package let text: String
        /// All that would be kept: a name with a value.
        package let remains: [Remain]

        /// Puts an outcome together.
        package init(title: String, text: String, remains: [Remain]) {
            self.title = title
            self.text = text
            self.remains = remains
        }
    }

    /// One thing that would be kept.
    package struct Remain: Sendable, Hashable {
        /// What it is.
        package let name: String
        /// Its bucket or number.
        package let value: String

        /// Puts a thing together.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Puts a trial together.
    package init(event: String, values: [String: String], outcomes: [Outcome]) {
        self.event = event
        self.values = values
        self.outcomes = outcomes
    }
}
