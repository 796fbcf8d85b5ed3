/// How a daemon is, as of now: health, never values.
package struct DaemonHealth: Sendable {
    /// A part of it, under a heading.
    package struct Panel: Sendable {
        /// Its heading.
        package let title: String
        /// What is so, each a label and a value.
        package let facts: [Fact]

        /// Puts a panel together.
        package init(title: String, facts: [Fact]) {
            self.title = title
            self.facts = facts
        }
    }

    /// Something that is so.
    package struct Fact: Sendable {
        /// What it is.
        package let label: String
        /// How much, with its unit.
        package let value: String
        /// Whether somebody has to look.
        package let isAlarm: Bool

        /// Puts a fact together.
        package init(_ label: String, _ value: String, isAlarm: Bool = false) {
            self.label = label
            self.value = value
            self.isAlarm = isAlarm
        }
    }

    /// In reading order.
    package let panels: [Panel]
    /// Why events were refused, and how often since the start; the most frequent first.
    package let refusals: [(reason: String, count: Int)]
    /// This daemon's name in PostgreSQL; nil where nobody says.
    package var daemon: String?
    /// The daemons that releases wait for, by their names in PostgreSQL.
    package var waitsFor: [String] = []
    /// Of each app of which another plan is in force than this daemon's, what that means and what to do.
    package var plansBehind: [String] = []
    /// Whether releases wait because the time of day is not believed.
    package var isClockDoubted = false
    /// What runs here: the program, its formats, its plans; each with its version or digest.
    package var versions: [(name: String, version: String)] = []

    /// Puts a daemon's health together.
    package init(panels: [Panel], refusals: [(reason: String, count: Int)]) {
        self.panels = panels
        self.refusals = refusals
    }
}
