import ThrongChance
import ThrongCounting
import ThrongPlan
import ThrongReport
import ThrongStore

@testable import ThrongPostgres
@testable import ThrongServer

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
    /// It runs on the daemon's machine and has its clock.
    var shown: UnixSeconds { clock.shown }
    private(set) var condition = Condition.up
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

    /// Returns once the question is heard.
    ///
    /// - Parameter seconds: how long the connection waits for an answer.
    func hear(_ query: String, of client: DatabaseClient, within seconds: Int) async throws {
        let end = clock.truth + Int64(seconds)
        while condition == .hung, client.isAlive {
            guard clock.truth < end else { throw PostgresError.timedOut(query: query, seconds: seconds) }
            await withCheckedContinuation { waiting.append($0) }
        }
        guard client.isAlive else { throw PostgresError.closed }
        guard condition == .up else { throw PostgresError.unreachable(reason: "simulated") }
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
