internal import ThrongReport

/// The health of a daemon as of now: never values.
struct DaemonHealth: Sendable {
    struct Panel: Sendable {
        let title: String
        let facts: [Fact]
    }

    /// Something that is so.
    struct Fact: Sendable {
        let label: String
        let value: String
        let isAlarm: Bool

        init(_ label: String, _ value: String, isAlarm: Bool = false) {
            self.label = label
            self.value = value
            self.isAlarm = isAlarm
        }
    }

    let panels: [Panel]
    /// The reasons why events were refused, with their counts since the start and a late example, names of the plan and
    /// shapes; the most frequent first.
    let refusals: [(reason: String, count: Int, example: String)]
    /// This daemon's name in PostgreSQL; nil where nobody says.
    var daemon: String?
    var waitsFor: [String] = []
    /// The consequence and the remedy, for each app of which another plan is in force.
    var plansBehind: [String] = []
    var isClockDoubted = false
    /// The versions or digests of what runs here: the program, its formats, its plans.
    var versions: [(name: String, version: String)] = []
}

/// The time that has passed since something, as people say it.
enum Age {
    /// "3 seconds ago", "2 days ago".
    static func text(_ seconds: Int64) -> String {
        let (count, noun) =
            switch seconds {
            case ..<120: (max(0, seconds), "second")
            case ..<7200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return Wording.english.count(count, noun) + " ago"
    }
}
