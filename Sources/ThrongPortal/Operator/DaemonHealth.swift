/// How a daemon is, as of now: health, never values.
public struct DaemonHealth: Sendable {
    /// A part of it, under a heading.
    public struct Panel: Sendable {
        /// Its heading.
        public let title: String
        /// What is so, each a label and a value.
        public let facts: [Fact]

        /// Puts a panel together.
        public init(title: String, facts: [Fact]) {
            self.title = title
            self.facts = facts
        }
    }

    /// Something that is so.
    public struct Fact: Sendable {
        /// What it is.
        public let label: String
        /// How much, with its unit.
        public let value: String
        /// Whether somebody has to look.
        public let isAlarm: Bool

        /// Puts a fact together.
        public init(_ label: String, _ value: String, isAlarm: Bool = false) {
            self.label = label
            self.value = value
            self.isAlarm = isAlarm
        }
    }

    /// In reading order.
    public let panels: [Panel]
    /// Why events were refused, and how often since the start; the most frequent first.
    public let refusals: [(reason: String, count: Int)]

    /// Puts a daemon's health together.
    public init(panels: [Panel], refusals: [(reason: String, count: Int)]) {
        self.panels = panels
        self.refusals = refusals
    }
}
