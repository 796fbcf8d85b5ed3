import ThrongIngest
import ThrongPlan
import ThrongReport
import ThrongSystem

@testable import ThrongServer
@testable import ThrongStore

/// A PostgreSQL in memory: there, away, or hung; it can lose a connection at COMMIT, and be restored to what it once was.
///
/// One thread uses it: that is the proof of `@unchecked Sendable`.
final class VirtualDatabase: @unchecked Sendable {
    /// Whether it answers.
    enum Condition: Equatable {
        case up
        case away
        /// Takes questions and answers none.
        case hung
    }

    /// What happens to the next COMMIT.
    enum Loss {
        case before
        case after
    }

    var state = DatabaseState()
    /// How often somebody has asked whether everything has come: a sequence, which no restart and no lost COMMIT sets back.
    var asked: Int64 = 0
    /// Whether another daemon is known, which is away and may release what is due; nil where none ever comes.
    var hasOthers: Bool?
    /// It runs on the daemon's machine and has its clock.
    var shown: UnixSeconds { clock.shown }
    private(set) var condition = Condition.up
    /// How long an answer takes, at most; it is half of it on its way there, and half of it on its way back.
    var latency = Duration.zero
    private var chance = SeededGenerator(seed: 3)
    /// What happens to the next COMMIT; nil for nothing.
    var loss: Loss?
    private var backups: [(truth: UnixSeconds, state: DatabaseState)] = []
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let clock: VirtualClock
    /// What the world wants to know at once.
    var onRelease: (DatabaseState.MetricPeriod, _ end: UnixSeconds) -> Void = { _, _ in }
    var onCommit: (String, _ isApplied: Bool) -> Void = { _, _ in }
    var onExpiry: (DatabaseState.MetricPeriod, _ end: UnixSeconds) -> Void = { _, _ in }
    /// Layouts by name, for what a release says.
    var layouts: [MetricName: MetricLayout] = [:]

    init(_ clock: VirtualClock) { self.clock = clock }

    /// Answers, or stops doing so; who waits is answered.
    func set(_ condition: Condition) {
        self.condition = condition
        guard condition != .hung else { return }
        wake()
    }

    /// Lets go of everybody who waits for an answer.
    func wake() {
        let woken = waiting
        waiting = []
        for waiter in woken { waiter.resume() }
    }

    /// Returns once a connection has come about. Where nobody takes any time that takes none.
    ///
    /// - Parameter seconds: how long it may take.
    func connect(_ client: DatabaseClient, within seconds: Int) async throws {
        guard latency > .zero || client.isStanding() else { return }
        let end = clock.elapsed + .seconds(seconds)
        // What libpq does, and what a session begins with.
        for trip in 0..<4 {
            try await hear("connect", of: client, within: seconds)
            try await answer("connect", client, by: trip < 2 ? end : clock.elapsed + .seconds(seconds))
        }
    }

    /// Returns once the question is heard.
    ///
    /// - Parameter seconds: how long the connection waits for an answer.
    func hear(_ query: String, of client: DatabaseClient, within seconds: Int) async throws {
        let (end, due) = (clock.truth + Int64(seconds), clock.elapsed + halfWay())
        while condition == .hung || clock.elapsed < due, client.isAlive {
            if condition == .hung, !client.isStanding(), clock.truth >= end {
                throw PostgresError.timedOut(query: query, seconds: seconds)
            }
            await withCheckedContinuation { waiting.append($0) }
        }
        guard client.isAlive else { throw PostgresError.closed }
        guard condition == .up else { throw PostgresError.unreachable(reason: "simulated") }
    }

    /// Returns once the answer is with a process that can take it.
    ///
    /// - Parameter end: when it gives up, unless the answer is there by the time that it looks.
    func answer(_ query: String, _ client: DatabaseClient, by end: Duration) async throws {
        let due = clock.elapsed + halfWay()
        while client.isStanding() || clock.elapsed < due, client.isAlive {
            if !client.isStanding(), clock.elapsed >= end { throw PostgresError.timedOut(query: query, seconds: 0) }
            await withCheckedContinuation { waiting.append($0) }
        }
        guard client.isAlive else { throw PostgresError.closed }
    }

    /// What no step changes.
    var elapsed: Duration { clock.elapsed }

    private func halfWay() -> Duration {
        latency > .zero ? latency * (2 + chance.below(4)) / 10 : .zero
    }

    /// Commits, unless the connection is lost before; throws where the answer is.
    func commit<Value>(_ query: String, _ change: (inout DatabaseState) throws -> Value) throws -> Value {
        let lost = loss
        loss = nil
        onCommit(query, lost != .before)
        if lost == .before { throw PostgresError.connectionLost(query: query) }
        var next = state
        let value = try change(&next)
        state = next
        if lost == .after { throw PostgresError.connectionLost(query: query) }
        return value
    }

    // MARK: Backups

    func backUp() { backups.append((clock.truth, state)) }

    /// Goes back to a backup that is no older than from then; false where there is none.
    func restore(since time: UnixSeconds, _ chance: inout SeededGenerator) -> Bool {
        backups.removeAll { $0.truth < time }
        guard !backups.isEmpty else { return false }
        let place = chance.below(backups.count)
        state = backups[place].state
        backups.removeSubrange((place + 1)...)
        return true
    }
}
