internal import ThrongPlan

/// For how long a process could hear other daemons without a break, if they had been there: where PostgreSQL was away, or all of them,
/// nobody could be heard, and silence says nothing of anybody.
struct Hearing: Sendable, Hashable {
    /// So long it has to have listened before it goes on without one. Unit: seconds.
    private static let enough: Int64 = 3600
    /// What a rest between two looks counts for at most: in a longer one much may have happened. Unit: seconds.
    private static let longestRest: Int64 = 300
    /// How much longer than three rests may pass between two looks. Unit: seconds.
    private static let slack: Int64 = 120

    /// Unit: seconds.
    private var listened: Int64 = 0
    /// When the last look ended.
    private var lookedAt: UnixSeconds?

    /// Whether it may tell who is gone.
    var isEnough: Bool { listened >= Self.enough }

    /// Adds the time since the last look, at the beginning of one that reaches PostgreSQL.
    ///
    /// - Parameter rest: how long a process rests between two looks.
    mutating func look(at now: UnixSeconds, rest: Duration) {
        let passed = lookedAt.map { now - $0 } ?? -1
        // A machine that stood still has heard nobody, whatever its connections say.
        let isUnbroken = (0...3 * rest.components.seconds + Self.slack).contains(passed)
        listened = isUnbroken ? listened + min(passed, Self.longestRest) : 0
        lookedAt = now
    }

    /// At the end of a look, which may have taken long.
    mutating func end(at now: UnixSeconds) {
        if lookedAt != nil { lookedAt = now }
    }

    /// Nobody could be heard.
    mutating func interrupt() { self = Hearing() }
}
