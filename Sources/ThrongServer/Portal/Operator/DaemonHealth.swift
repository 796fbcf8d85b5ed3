/// The health of a daemon as of now: never values.
package struct DaemonHealth: Sendable {
    /// A part of it, under a heading.
    package struct Panel: Sendable {
        /// Its heading.
        package let title: String
        /// The facts, each a label and a value.
        package let facts: [Fact]

        package init(title: String, facts: [Fact]) {
            self.title = title
            self.facts = facts
        }
    }

    /// Something that is so.
    package struct Fact: Sendable {
        /// The name of the fact.
        package let label: String
        /// The amount, with its unit.
        package let value: String
        /// True if somebody has to look.
        package let isAlarm: Bool

        package init(_ label: String, _ value: String, isAlarm: Bool = false) {
            self.label = label
            self.value = value
            self.isAlarm = isAlarm
        }
    }

    /// The panels, in reading order.
    package let panels: [Panel]
    /// The reasons why events were refused, with their counts since the start; the most frequent first.
    package let refusals: [(reason: String, count: Int)]
    /// This daemon's name in PostgreSQL; nil where nobody says.
    package var daemon: String?
    /// The daemons that releases wait for, by their names in PostgreSQL.
    package var waitsFor: [String] = []
    /// The consequence and the remedy, in a sentence, for each app of which another plan is in force than this
    /// daemon's.
    package var plansBehind: [String] = []
    /// True if releases wait because the time of day is not believed.
    package var isClockDoubted = false
    /// The versions or digests of what runs here: the program, its formats, its plans.
    package var versions: [(name: String, version: String)] = []

    package init(panels: [Panel], refusals: [(reason: String, count: Int)]) {
        self.panels = panels
        self.refusals = refusals
    }
}
