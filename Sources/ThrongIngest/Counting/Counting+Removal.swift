package import ThrongPlan
internal import ThrongSystem

// The additions of an identifier in an open window lie in the journal, under the window's key, and nowhere else. So a
// removal takes two steps, each a record. A request ends the counting of the identifier. Once PostgreSQL has all that
// came before, what the journal has of it is subtracted.
extension Counting {
    package enum RequestOutcome: Sendable {
        /// Journal this, then answer.
        case noted(Withdrawal)
        /// The request was made before; answer the same once that place is on disk.
        case repeated(JournalPosition)
        case windowOver
        /// Open windows take as much memory as they may.
        case full
    }

    /// Adds a request to remove an identifier from a window. It need not have been counted there.
    package mutating func requestRemoval(
        of identifier: KeyedIdentifier, from id: WindowID, now: UnixSeconds
    ) -> RequestOutcome {
        guard id.over > now, closing[id] == nil else { return .windowOver }
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        defer { windows.putBack(window, at: place) }
        if let known = window.withdrawn[identifier] { return .repeated(known.position) }
        guard !isFull || hasReserve else { return .full }
        _ = window.forgetProgress(of: identifier, in: space)
        position = position.next
        window.withdrawn[identifier] = .init(position: position)
        window.lastPosition = position
        return .noted(Withdrawal(position: position, window: id, identifier: identifier))
    }

    /// Returns identifiers to be removed from one window whose batches are all in PostgreSQL; nil if there are none.
    ///
    /// - Returns: the place of the request for each identifier, whose batches all lie before it.
    package func dueRemovals(most: Int = 256) -> (window: WindowID, identifiers: [KeyedIdentifier: JournalPosition])? {
        guard unresolved == nil else { return nil }
        for id in windows.open.sorted() {
            guard let window = windows.window(of: id), !window.withdrawn.isEmpty else { continue }
            let due = window.withdrawn.filter { !$1.isDone && $1.position <= flushed }
                .sorted { $0.value.position < $1.value.position }.prefix(most)
            guard !due.isEmpty else { continue }
            return (id, Dictionary(uniqueKeysWithValues: due.map { ($0.key, $0.value.position) }))
        }
        return nil
    }

    /// Subtracts what was found of identifiers that asked for it, in periods that were not released.
    ///
    /// - Parameter largest: the most entries that a record may hold.
    /// - Returns: journal these, in their order, before anything else is counted.
    package mutating func remove(
        _ found: [KeyedIdentifier: [CountedBatch]], from id: WindowID, largest: Int
    ) -> [Removal] {
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        var parts: [Removal] = []
        let order = found.keys.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
        for identifier in order { parts += cut(identifier, found[identifier] ?? [], id, largest: largest) }
        for place in parts.indices {
            position = position.next
            (parts[place].position, parts[place].hasMore) = (position, place + 1 < parts.count)
        }
        for identifier in order { window.withdrawn[identifier]?.isDone = true }
        window.lastPosition = position
        windows.putBack(window, at: place)
        addDeltas(of: parts)
        freezeIfLarge(through: position)
        return parts
    }

    /// True if counters of a period can still change.
    private func isOpen(_ metric: Int, _ periodStart: UnixSeconds) -> Bool {
        !lateness.isReleased(periodStart, of: metric, in: space)
    }

    /// Returns what is to be subtracted for one identifier, in parts that fit into records.
    private func cut(
        _ identifier: KeyedIdentifier, _ batches: [CountedBatch], _ id: WindowID, largest: Int
    ) -> [Removal] {
        struct Place: Hashable {
            let metric: Int
            let periodStart: UnixSeconds
            let cell: CellIndex
            let isLate: Bool
            let isProved: Bool
        }
        var places: [Place: Int] = [:]
        var additions: [CountedBatch.Addition] = []
        for addition in batches.all(\.additions) where isOpen(addition.metric, addition.periodStart) {
            let place = Place(
                metric: addition.metric, periodStart: addition.periodStart, cell: addition.cell,
                isLate: addition.isLate, isProved: addition.isProved)
            if let known = places[place] {
                additions[known] = additions[known].adding(addition)
            } else {
                places[place] = additions.count
                additions.append(addition)
            }
        }
        let appearances = batches.all(\.appearances).filter { isOpen($0.metric, $0.periodStart) }
        var events: [UInt8: Int64] = [:]
        for batch in batches where batch.additions.allSatisfy({ isOpen($0.metric, $0.periodStart) }) {
            batch.forEachCoverage {
                if $0.kind != .late { events[$0.kind.code] = (events[$0.kind.code] ?? 0).saturatingAdd($0.events) }
            }
        }
        let outcomes = events.sorted { $0.key < $1.key }.compactMap { code, events in
            CoverageKind(code: code).map { Removal.Outcome(kind: $0, events: events) }
        }
        var parts = [Removal(position: position, window: id, identifier: identifier, outcomes: outcomes)]
        for first in stride(from: 0, to: additions.count, by: largest) {
            let some = Array(additions[first...].prefix(largest))
            parts.append(Removal(position: position, window: id, identifier: identifier, additions: some))
        }
        for first in stride(from: 0, to: appearances.count, by: largest) {
            let some = Array(appearances[first...].prefix(largest))
            parts.append(Removal(position: position, window: id, identifier: identifier, appearances: some))
        }
        return parts
    }

    mutating func replay(request: Withdrawal) {
        position = max(position, request.position)
        let place = windows.place(of: request.window)
        var window = windows.takeOut(place)
        window.forgetProgressLater(of: request.identifier, in: space, at: request.position)
        window.withdrawn[request.identifier] = .init(position: request.position, isDone: Fault.forgetRequests.isOn)
        window.lastPosition = request.position
        windows.putBack(window, at: place)
    }

    mutating func replay(_ record: Removal) {
        position = max(position, record.position)
        if let last = removals.last, last.window != record.window || last.position.next != record.position {
            removals = []
        }
        removals.append(record)
        guard !record.hasMore else { return }
        let parts = removals
        removals = []
        let place = windows.place(of: record.window)
        var window = windows.takeOut(place)
        for part in parts { window.withdrawn[part.identifier, default: .init(position: part.position)].isDone = true }
        window.lastPosition = record.position
        windows.putBack(window, at: place)
        replayDeltas(of: parts)
    }
}

extension CountedBatch.Addition {
    /// Returns the sum of two additions to one cell, or to rungs of one.
    func adding(_ other: Self) -> Self {
        Self(
            metric: metric, cell: cell, periodStart: periodStart, count: count.saturatingAdd(other.count),
            sums: zip(sums, other.sums).map { $0.saturatingAdd($1) }, firsts: firsts.union(other.firsts),
            isLate: isLate, isProved: isProved)
    }
}

extension [CountedBatch] {
    fileprivate func all<Part>(_ path: KeyPath<CountedBatch, [Part]>) -> [Part] { flatMap { $0[keyPath: path] } }
}

/// The subtraction of an identifier's additions in its window, from all periods that were not released by then.
package struct Removal: Sendable, Equatable {
    package internal(set) var position: JournalPosition
    package let window: WindowID
    /// The identifier under the window's key.
    package let identifier: KeyedIdentifier
    /// The identifier's additions, at most one a metric, period, cell, ``CountedBatch/Addition/isLate`` and
    /// ``CountedBatch/Addition/isProved``.
    package let additions: [CountedBatch.Addition]
    /// The tracked cells in which it had been.
    package let appearances: [CountedBatch.Appearance]
    /// The outcomes of events in batches that were removed entirely, at most one a kind; never ``CoverageKind/late``.
    package let outcomes: [Outcome]
    /// True if the next position continues it: all parts together take effect, or none does.
    package internal(set) var hasMore: Bool

    /// Events of one kind.
    package struct Outcome: Sendable, Equatable {
        package let kind: CoverageKind
        /// Unit: events.
        package let events: Int64

        package init(kind: CoverageKind, events: Int64) { (self.kind, self.events) = (kind, events) }
    }

    package init(
        position: JournalPosition, window: WindowID, identifier: KeyedIdentifier,
        additions: [CountedBatch.Addition] = [], appearances: [CountedBatch.Appearance] = [],
        outcomes: [Outcome] = [], hasMore: Bool = false
    ) {
        (self.position, self.window, self.identifier, self.additions) = (position, window, identifier, additions)
        (self.appearances, self.outcomes, self.hasMore) = (appearances, outcomes, hasMore)
    }

    /// Calls `body` for each delta that it takes from the totals of its app.
    func forEachCoverage(_ body: (CoverageDelta) -> Void) {
        let hour = CoverageDelta.hour(holding: window.rotation.start(of: window.number))
        for outcome in outcomes {
            body(CoverageDelta(app: window.app, hour: hour, kind: outcome.kind, events: -outcome.events))
        }
        for addition in additions where addition.isLate {
            let hour = CoverageDelta.hour(ofPeriod: addition.periodStart)
            body(CoverageDelta(app: window.app, hour: hour, kind: .late, events: -addition.count))
        }
    }
}
