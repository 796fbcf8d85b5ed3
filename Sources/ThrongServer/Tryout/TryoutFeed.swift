internal import Synchronization
package import ThrongPlan
internal import ThrongStore

/// All that the page of `throng try` shows, and since when: what changed has the version of its last change.
package final class TryoutFeed: Sendable {
    private struct State {
        var version = 1
        var batches: [(version: Int, batch: TryoutBatch)] = []
        var count = 0
        var plan: TryoutPlan
        var reports: [Report] = []
        /// The names of batches that came, to know them again.
        var names: Set<String> = []
        /// The events that were counted of each identifier.
        var counted: [[String?]: Int] = [:]
        var lastChange = ContinuousClock.now - .seconds(3600)
    }

    /// A report that the page leads to: the period that it would be about if that ended now, none for one that was made.
    package typealias Report = (title: String, kind: PeriodKind?, address: String)

    private let state: Mutex<State>

    private static let most = 200

    /// Starts with no batch.
    package init(plan: TryoutPlan) { state = Mutex(State(plan: plan)) }

    /// Says how the plan's file is now.
    package func set(_ plan: TryoutPlan) { change { $0.plan = plan } }

    /// Says which reports there are.
    package func set(_ reports: [Report]) { change { $0.reports = reports } }

    private func change(_ change: (inout State) -> Void) {
        state.withLock { state in
            state.version += 1
            change(&state)
        }
    }

    func nextNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    /// Notes a batch by its name; true if it came before.
    func hasCome(_ batch: String) -> Bool { state.withLock { !$0.names.insert(batch).inserted } }

    /// Adds a batch, or replaces the one of its number. A new withdrawal learns what it takes back.
    func put(_ batch: TryoutBatch, isNew: Bool) {
        change { state in
            var batch = batch
            let sender = [batch.body.purpose, batch.body.id, batch.body.window?.description]
            if isNew, batch.isWithdrawal, batch.problem == nil {
                batch.takenBack = state.counted.removeValue(forKey: sender) ?? 0
            } else if isNew, !batch.isRepeated {
                state.counted[sender, default: 0] += batch.answer?.accepted ?? 0
            }
            state.batches.removeAll { $0.batch.number == batch.number }
            state.batches.append((state.version, batch))
            if state.batches.count > Self.most { state.batches.removeFirst() }
            if isNew { state.lastChange = .now }
        }
    }

    /// The newest batches, and the time since one came.
    func newest(_ count: Int) -> (batches: [TryoutBatch], age: Duration) {
        state.withLock { state in
            let batches = state.batches.map(\.batch).sorted { $0.number < $1.number }.suffix(count)
            return (Array(batches), .now - state.lastChange)
        }
    }

    private struct News: Encodable {
        let version: Int
        let plan: TryoutPlan
        let standing: String
        /// Each report's title, address, and in words what period it is about.
        let reports: [[String: String]]
        let entries: [TryoutEntry]
    }

    /// Returns what changed after a version as JSON, in a language; nil if nothing did.
    func news(after version: Int, in language: Language) throws -> String? {
        let state = state.withLock { $0 }
        guard state.version > version else { return nil }
        let batches = state.batches.filter { $0.version > version }.map(\.batch).sorted { $0.number < $1.number }
        let plan = state.plan
        let standing = language.say(
            .tryStanding, ["state": plan.state.rawValue, "file": plan.file, "version": plan.version])
        let reports = state.reports.map { report in
            let period = language.say(.tryReport, ["kind": report.kind?.rawValue ?? "made"])
            return ["title": report.title, "address": report.address, "period": period]
        }
        return try News(
            version: state.version, plan: plan, standing: standing, reports: reports,
            entries: batches.map { TryoutReading(of: $0, in: language).entry }
        ).stableJSON
    }
}

/// A batch that was posted to `throng try`, as the page shows it: what became of it, event by event.
///
/// It holds what the client sent, so it exists in a trial only, in memory, about one batch of somebody who looks on.
struct TryoutEntry: Sendable, Encodable {
    /// Its place among all of the trial, from 1.
    let number: Int
    /// The time of day at which it came, in UTC: `14:03:07`.
    let time: String
    let purpose: String
    /// The window and what the clock says of it.
    let window: String
    /// The consent that the purpose needs, and the version that the batch names.
    let consent: String
    /// The fate of it in words, each with `good`, `bad` or nothing before it.
    let marks: [[String]]
    /// The reason why the batch was refused as a whole.
    let problem: Problem?
    /// None where the same batch had come before: it counts nothing again.
    let events: [Event]

    struct Problem: Sendable, Codable {
        let error: String
        let detail: String
        let pointer: String?
    }

    struct Event: Sendable, Encodable {
        let event: String
        let at: String
        /// The reason why it changed no counter; nil if it changed one.
        var refused: String?
        /// The same in words, or when its numbers come; nil where these are there.
        var note: String?
        /// The refusal's place and remedy, as words.
        var hints: [String] = []
        var counted: [Tuple] = []
    }

    /// All that is left of an event in one metric.
    struct Tuple: Sendable, Encodable {
        let metric: String
        let period: String
        /// The number of times in words; nil for one.
        let times: String?
        /// The titles of dimensions, and buckets.
        let buckets: [[String]]
        let sums: [String]
        /// The published numbers that it went into; nil before they are known.
        let numbers: [Number]?
    }

    /// A number that the event is part of.
    struct Number: Sendable, Encodable {
        /// The cell: `Genre: News`.
        let cell: String
        /// `published`, `small` or `near`.
        let state: String
        /// The outcome in words: `would be published: 132, off by up to 14`.
        let words: String
    }
}

/// The standing of the plan's file, for the page.
package struct TryoutPlan: Sendable, Encodable {
    let file: String
    let title: String
    /// The first digits of the version that counts.
    let version: String
    let state: State
    /// The mistakes of the file as it is now, in English as `throng plan check` has them.
    let problems: [PlanProblem]

    package enum State: String, Sendable, Encodable { case counting, starting, mistaken, missing }

    /// - Parameter plan: the one that counts.
    package init(_ file: String, _ plan: Plan, _ state: State, _ problems: [PlanProblem] = []) {
        (self.file, self.state, self.problems) = (file, state, problems)
        (title, version) = (plan.app.title, plan.version.short)
    }
}
