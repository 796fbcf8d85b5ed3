internal import Foundation
internal import Synchronization
package import ThrongPlan

/// All that the page of `throng try` shows, and since when: what changed has the version of its last change.
package final class TryoutFeed: Sendable {
    private struct State {
        var version = 1
        var entries: [(version: Int, entry: TryoutEntry)] = []
        var count = 0
        var plan: TryoutPlan
        var reports: [TryoutReport] = []
        /// The batches that came, to know them again.
        var batches: Set<String> = []
        var lastChange = ContinuousClock.now - .seconds(3600)
    }

    private let state: Mutex<State>

    private static let most = 200

    /// Starts with no batch.
    package init(plan: TryoutPlan) { state = Mutex(State(plan: plan)) }

    /// The plan's file, as it was last said.
    package var plan: TryoutPlan { state.withLock { $0.plan } }

    /// Says how the plan's file is now.
    package func set(_ plan: TryoutPlan) { change { $0.plan = plan } }

    /// Says which reports there are.
    package func set(_ reports: [TryoutReport]) { change { $0.reports = reports } }

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
    func hasCome(_ batch: String) -> Bool { state.withLock { !$0.batches.insert(batch).inserted } }

    /// Adds an entry, or replaces the one of its number.
    func put(_ entry: TryoutEntry, isNew: Bool) {
        change { state in
            state.entries.removeAll { $0.entry.number == entry.number }
            state.entries.append((state.version, entry))
            if state.entries.count > Self.most { state.entries.removeFirst() }
            if isNew { state.lastChange = .now }
        }
    }

    /// The newest entries, and the time since a batch came.
    func newest(_ count: Int) -> (entries: [TryoutEntry], age: Duration) {
        state.withLock { state in
            let entries = state.entries.map(\.entry).sorted { $0.number < $1.number }.suffix(count)
            return (Array(entries), .now - state.lastChange)
        }
    }

    private struct News: Encodable {
        let version: Int
        let plan: TryoutPlan
        let reports: [TryoutReport]
        let entries: [TryoutEntry]
    }

    /// Returns what changed after a version as JSON; nil if nothing did.
    func news(after version: Int) throws -> String? {
        let news = state.withLock { state -> News? in
            guard state.version > version else { return nil }
            let entries = state.entries.filter { $0.version > version }.map(\.entry).sorted { $0.number < $1.number }
            return News(version: state.version, plan: state.plan, reports: state.reports, entries: entries)
        }
        guard let news else { return nil }
        return try news.stableJSON
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
    let status: Int
    let app: String
    let purpose: String
    /// The window and what the clock says of it.
    let window: String
    /// The consent that the purpose needs, and the version that the batch names.
    let consent: String
    /// True if the same batch had come before: it counts nothing again.
    let isRepeated: Bool
    /// True if the client says that it is a test.
    let isTest: Bool
    /// The reason why the batch was refused as a whole.
    var problem: Problem?
    var events: [Event] = []

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
        /// The refusal's place and remedy, as words.
        var hints: [String] = []
        var counted: [Tuple] = []
    }

    /// All that is left of an event in one metric.
    struct Tuple: Sendable, Encodable {
        let metric: String
        let period: String
        let count: Int64
        /// The titles of dimensions, and buckets.
        let buckets: [[String]]
        let sums: [String]
        /// The published numbers that it went into; nil before they are known.
        var numbers: [Number]?
        /// The same as the daemon said it.
        let said: PreviewAnswer.Tuple

        private enum CodingKeys: String, CodingKey { case metric, period, count, buckets, sums, numbers }
    }

    /// A number that the event is part of.
    struct Number: Sendable, Encodable {
        /// The cell: `genre = News`, or `total`.
        let cell: String
        /// `published`, `small` or `near`.
        let state: String
        /// The outcome in words: `would be published: 132, off by up to 14`.
        let words: String
    }
}

/// The standing of the plan's file, for the page.
package struct TryoutPlan: Sendable, Encodable {
    /// The file, as it was named.
    package var file: String
    /// The app's title.
    package var title: String
    /// The first digits of the version that counts.
    package var version: String
    /// `counting`, `starting` or `mistaken`.
    package var state: State
    /// The mistakes of the file as it is now.
    package var problems: [Problem]

    /// A problem with its place.
    package struct Problem: Sendable, Encodable {
        let line: Int?
        let column: Int?
        let message: String

        package init(_ problem: PlanProblem) {
            (line, column, message) = (problem.line, problem.column, problem.message)
        }

        package init(_ message: String) { (line, column, self.message) = (nil, nil, message) }
    }

    /// The outcome of the file as it is now.
    package enum State: String, Sendable, Encodable { case counting, starting, mistaken }

    package init(file: String, title: String, version: String, state: State, problems: [Problem] = []) {
        (self.file, self.title, self.version, self.state, self.problems) = (file, title, version, state, problems)
    }
}

/// A report that the page leads to.
package struct TryoutReport: Sendable, Encodable {
    package let title: String
    /// The period that it is about.
    package let period: String
    package let address: String

    package init(title: String, period: String, address: String) {
        (self.title, self.period, self.address) = (title, period, address)
    }
}
