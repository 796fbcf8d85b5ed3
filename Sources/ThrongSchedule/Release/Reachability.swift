internal import ThrongPlan

/// The unbroken time for which a process could have heard other daemons.
///
/// While PostgreSQL is away, nobody can be heard, and a daemon's silence means nothing.
struct Reachability: Sendable, Hashable {
    /// The shortest time to have listened before releases go on without a silent daemon. Unit: seconds.
    private static let enough: Int64 = 3600
    /// The most that a rest between two looks adds: in a longer one much may have happened. Unit: seconds.
    private static let longestRest: Int64 = 300
    /// The time that may pass between two looks beyond three rests. Unit: seconds.
    private static let slack: Int64 = 120

    /// The time listened so far. Unit: seconds.
    private var listened: Int64 = 0
    private var lookedAt: UnixSeconds?

    /// True if the process has listened for long enough to tell which daemons are gone.
    var isEnough: Bool { listened >= Self.enough }

    /// Adds the time since the last look, at the beginning of one that reaches PostgreSQL; a process rests in between.
    mutating func look(at now: UnixSeconds, rest: Duration) {
        let passed = lookedAt.map { now - $0 } ?? -1
        // A machine that stood still has heard nobody, whatever its connections say.
        let isUnbroken = (0...3 * rest.components.seconds + Self.slack).contains(passed)
        listened = isUnbroken ? listened + min(passed, Self.longestRest) : 0
        lookedAt = now
    }

    /// Notes the end of a look, which may have taken long.
    mutating func end(at now: UnixSeconds) { if lookedAt != nil { lookedAt = now } }

    /// Starts over, as nobody could be heard.
    mutating func interrupt() { self = Reachability() }
}
