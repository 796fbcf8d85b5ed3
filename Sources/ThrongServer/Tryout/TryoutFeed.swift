internal import Foundation
internal import Synchronization

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

    /// The entries that are kept.
    private static let most = 200

    /// Starts with no batch.
    package init(plan: TryoutPlan) { state = Mutex(State(plan: plan)) }

    /// The plan's file, as it was last said.
    package var plan: TryoutPlan { state.withLock { $0.plan } }

    /// Says how the plan's file is now.
    package func set(_ plan: TryoutPlan) {
        state.withLock { state in
            state.version += 1
            state.plan = plan
        }
    }

    /// Says which reports there are.
    package func set(_ reports: [TryoutReport]) {
        state.withLock { state in
            state.version += 1
            state.reports = reports
        }
    }

    /// The number of the next entry.
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
        state.withLock { state in
            state.version += 1
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
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(news), as: UTF8.self)
    }
}
