internal import ThrongFaults
package import ThrongPlan

// What an identifier added in an open window lies in the journal, under the window's key, and nowhere else. So a removal
// takes two steps, each a record: a request, from which on nothing of the identifier is counted; and, once PostgreSQL has
// all that came before, what was found of it in the journal, to be subtracted.
extension Counting {
    /// What a request came to.
    package enum RequestOutcome: Sendable {
        /// Journal this, then answer.
        case noted(RemovalRequest)
        /// It was made before; answer the same once that place is on disk.
        case repeated(JournalPosition)
        /// The window is over.
        case windowOver
        /// Open windows take as much memory as they may.
        case full
    }

    /// Notes that somebody wants to be taken out of a window. Whether it was ever in there makes no difference.
    package mutating func requestRemoval(
        of identifier: KeyedIdentifier, from id: WindowID, now: UnixSeconds
    ) -> RequestOutcome {
        guard id.over > now, closing[id] == nil else { return .windowOver }
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        defer { windows.putBack(window, at: place) }
        if let known = window.withdrawn[identifier] { return .repeated(known.position) }
        guard !isFull || hasReserve else { return .full }
        for metric in window.progress.keys {
            _ = window.progress[metric]?.forget(identifier.hash(with: space.metrics[metric].seed, 0))
        }
        position = position.next
        window.withdrawn[identifier] = .init(position: position)
        window.lastPosition = position
        return .noted(RemovalRequest(position: position, window: id, identifier: identifier))
    }

    /// Those who asked to be taken out of one window, and all of whose batches are in PostgreSQL; nil where there are none.
    ///
    /// - Returns: by identifier the place of its request. Its batches lie before that.
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

    /// A sum of a tracked cell in a period.
    package struct SumPlace: Hashable, Sendable {
        let metric: Int
        let slot: UInt32
        let periodStart: UnixSeconds
    }

    /// The sums of which those who go may have one of the two largest contributions: from here on it is noted who adds to
    /// them, until ``remove(_:from:leaders:largest:)``.
    ///
    /// - Parameter found: by identifier its batches in the window.
    package mutating func watchSums(of found: [KeyedIdentifier: [CountedBatch]], in id: WindowID) -> Set<SumPlace> {
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        defer { windows.putBack(window, at: place) }
        var places: Set<SumPlace> = []
        for (identifier, batches) in found {
            for addition in batches.all(\.additions) where isOpen(addition.metric, addition.periodStart) {
                let metric = space.metrics[addition.metric]
                metric.forEachContribution(of: addition, by: identifier) { slot, key, _ in
                    let mayLead = window.totals[addition.metric]?.mayLead(
                        key, sum: slot, periodStart: addition.periodStart)
                    guard mayLead == true, !Fault.keepLeaders.isOn else { return }
                    let place = SumPlace(metric: addition.metric, slot: slot, periodStart: addition.periodStart)
                    if places.insert(place).inserted {
                        window.totals[addition.metric]?.watch(sum: slot, periodStart: addition.periodStart)
                    }
                }
            }
        }
        return places
    }

    /// Those who were taken out of a window before: the journal still has their batches.
    package func removed(from id: WindowID) -> Set<KeyedIdentifier> {
        Set((windows.window(of: id)?.withdrawn ?? [:]).lazy.filter { $0.value.isDone }.map(\.key))
    }

    /// Takes away what was found of those who asked for it, where its period was not released.
    ///
    /// - Parameters:
    ///   - found: by identifier its batches in the window; one without any has none there.
    ///   - leaders: of the sums that ``watchSums(of:in:)`` named, who leads without them, by all that was journalled before
    ///     that.
    ///   - largest: how many entries a record may hold.
    /// - Returns: journal these, in their order, before anything else is counted.
    package mutating func remove(
        _ found: [KeyedIdentifier: [CountedBatch]], from id: WindowID, leaders: [SumPlace: SumLeaders],
        largest: Int
    ) -> [Removal] {
        let place = windows.place(of: id)
        var window = windows.takeOut(place)
        var parts: [Removal] = []
        let order = found.keys.sorted { ($0.high, $0.low) < ($1.high, $1.low) }
        for identifier in order {
            let own = cut(identifier, found[identifier] ?? [], id, largest: largest)
            window.forget(own, space)
            parts += own
        }
        let left = leaders.keys.sorted().compactMap { sum -> Removal.Leaders? in
            guard isOpen(sum.metric, sum.periodStart) else { return nil }
            let pair = window.totals[sum.metric]?.lead(
                among: leaders[sum]?.keys ?? [], sum: sum.slot, periodStart: sum.periodStart)
            return pair.map { space.leaders(of: sum, pair: $0) }
        }
        for first in stride(from: 0, to: left.count, by: largest) {
            guard let identifier = order.last else { break }
            parts.append(
                part(id, identifier, leaders: Array(left[first..<min(first + largest, left.count)])))
        }
        parts = parts.enumerated().map { number, part in
            position = position.next
            return part.placed(at: position, hasMore: number + 1 < parts.count)
        }
        for identifier in order { window.withdrawn[identifier]?.isDone = true }
        window.lastPosition = position
        windows.putBack(window, at: place)
        for part in parts { addDeltas(of: part) }
        freezeIfLarge(through: position)
        return parts
    }

    /// Whether counters of a period can still change.
    private func isOpen(_ metric: Int, _ periodStart: UnixSeconds) -> Bool {
        closed.isEmpty || !closed.contains(ClosedPeriod(layout: space.ids[metric], periodStart: periodStart))
    }

    private func part(
        _ id: WindowID, _ identifier: KeyedIdentifier, additions: [CountedBatch.Addition] = [],
        appearances: [CountedBatch.Appearance] = [], leaders: [Removal.Leaders] = [], outcomes: [Removal.Outcome] = []
    ) -> Removal {
        Removal(
            position: position, window: id, identifier: identifier, additions: additions, appearances: appearances,
            leaders: leaders, outcomes: outcomes)
    }

    /// What is to be taken away of one identifier, in parts that records hold.
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
            batch.forEachCoverage { if $0.kind != .late { events[$0.kind.code, default: 0].add($0.events) } }
        }
        let outcomes = events.sorted { $0.key < $1.key }.compactMap { code, events in
            CoverageKind(code: code).map { Removal.Outcome(kind: $0, events: events) }
        }
        var parts = [part(id, identifier, outcomes: outcomes)]
        for first in stride(from: 0, to: additions.count, by: largest) {
            let end = min(first + largest, additions.count)
            parts.append(part(id, identifier, additions: Array(additions[first..<end])))
        }
        for first in stride(from: 0, to: appearances.count, by: largest) {
            parts.append(
                part(id, identifier, appearances: Array(appearances[first..<min(first + largest, appearances.count)])))
        }
        return parts
    }

    /// Notes again what the journal says was asked for.
    mutating func replay(_ request: RemovalRequest) {
        position = max(position, request.position)
        let place = windows.place(of: request.window)
        var window = windows.takeOut(place)
        for metric in window.progress.keys {
            let key = request.identifier.hash(with: space.metrics[metric].seed, 0)
            window.progress[metric]?.forgetLater(key, at: request.position)
        }
        window.withdrawn[request.identifier] = .init(position: request.position, isDone: Fault.forgetRequests.isOn)
        window.lastPosition = request.position
        windows.putBack(window, at: place)
    }

    /// Takes away again what the journal says was taken away.
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
        window.forget(parts, space, at: record.position)
        var leaders: [Removal.Leaders] = []
        for part in parts {
            for one in part.leaders {
                let isSet = window.totals[one.metric]?.set(
                    one.pair, ofSum: space.sum(of: one), periodStart: one.periodStart, at: record.position)
                // What a checkpoint has PostgreSQL has, and perhaps more of it by now.
                if isSet ?? true { leaders.append(one) }
            }
            window.withdrawn[part.identifier, default: .init(position: part.position)].isDone = true
        }
        window.lastPosition = record.position
        windows.putBack(window, at: place)
        if unresolved != nil {
            unresolved?.append(parts, in: space)
            // As with all pairs while the watermark is unknown: one that PostgreSQL has already changes nothing.
            replace(leaders, in: record.window)
        } else if record.position > flushed {
            for part in parts { addDeltas(of: part) }
            freezeIfLarge(through: record.position)
        }
    }

    private mutating func addDeltas(of removal: Removal) {
        removal.forEachDelta(
            in: space,
            counter: { slot, start, amount in pending.take(amount, fromCounter: slot, periodStart: start) },
            tracked: { slot, start in
                pending.addIdentifiers(-1, toTracked: slot, periodStart: start, window: removal.window.number)
            })
        removal.forEachCoverage { pending.coverage.add($0) }
        replace(removal.leaders, in: removal.window)
    }

    private mutating func replace(_ leaders: [Removal.Leaders], in window: WindowID) {
        for one in leaders {
            pending.replace(one.pair, ofSum: space.sum(of: one), periodStart: one.periodStart, window: window.number)
        }
    }
}

extension Counting.SumPlace: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.metric, left.periodStart, left.slot) < (right.metric, right.periodStart, right.slot)
    }
}

/// Who has added most to a sum of a tracked cell, but for those who go: by keys that mean nothing outside ``Counting``.
package struct SumLeaders: Sendable {
    /// Of the two who lead; of one, or none, where nobody else is there.
    let keys: [UInt64]
}

extension CellSpace {
    /// Adds up who leads sums.
    ///
    /// - Parameters:
    ///   - places: of which sums.
    ///   - batches: calls its argument with each batch of the window but those of who goes, or has gone.
    package func leaders<Failure>(
        of places: Set<Counting.SumPlace>, batches: ((CountedBatch) -> Void) throws(Failure) -> Void
    ) throws(Failure) -> [Counting.SumPlace: SumLeaders] {
        var totals: [Counting.SumPlace: [UInt64: Int64]] = [:]
        for place in places { totals[place] = [:] }
        try batches { batch in
            for addition in batch.additions where !addition.sums.isEmpty {
                metrics[addition.metric].forEachContribution(of: addition, by: batch.identifier) { slot, key, amount in
                    let place = Counting.SumPlace(
                        metric: addition.metric, slot: slot, periodStart: addition.periodStart)
                    guard totals[place] != nil else { return }
                    totals[place]?[key, default: 0].add(amount)
                }
            }
        }
        return totals.mapValues { totals in
            SumLeaders(keys: totals.max(2) { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key))
        }
    }

    func leaders(of place: Counting.SumPlace, pair: TwoLargest) -> Removal.Leaders {
        let metric = metrics[place.metric]
        let margin = metric.margins.lastIndex { $0.firstSum <= place.slot } ?? 0
        let (cell, sum) = (place.slot - metric.margins[margin].firstSum)
            .quotientAndRemainder(dividingBy: UInt32(max(1, metric.ranked.count)))
        return Removal.Leaders(
            metric: place.metric, margin: margin, cell: CellIndex(cell), periodStart: place.periodStart,
            sum: Int(sum), pair: pair)
    }

    /// The slot of a sum.
    func sum(of leaders: Removal.Leaders) -> UInt32 {
        let metric = metrics[leaders.metric]
        return metric.margins[leaders.margin].firstSum + leaders.cell.value * UInt32(metric.ranked.count)
            + UInt32(leaders.sum)
    }
}

extension OpenWindow {
    /// Forgets what was taken away of contributions to sums.
    ///
    /// - Parameter position: of the record that is replayed.
    fileprivate mutating func forget(_ removal: [Removal], _ space: CellSpace, at position: JournalPosition? = nil) {
        for part in removal {
            for addition in part.additions where !addition.sums.isEmpty {
                space.metrics[addition.metric].forEachContribution(of: addition, by: part.identifier) { _, key, _ in
                    totals[addition.metric]?.take(key, at: position)
                }
            }
        }
    }
}

extension Removal {
    /// The same at its place.
    fileprivate func placed(at position: JournalPosition, hasMore: Bool) -> Removal {
        Removal(
            position: position, window: window, identifier: identifier, additions: additions, appearances: appearances,
            leaders: leaders, outcomes: outcomes, hasMore: hasMore)
    }

    /// What it takes from counters and from tracked cells.
    func forEachDelta(
        in space: CellSpace,
        counter: (_ slot: UInt32, _ periodStart: UnixSeconds, _ amount: Int64) -> Void,
        tracked: (_ slot: UInt32, _ periodStart: UnixSeconds) -> Void
    ) {
        for addition in additions {
            space.metrics[addition.metric].forEachCounter(of: addition) { slot, amount in
                counter(slot, addition.periodStart, amount)
            }
        }
        for appearance in appearances {
            tracked(space.marginPlace(of: appearance).firstTracked + appearance.cell.value, appearance.periodStart)
        }
    }
}

extension CountedBatch.Addition {
    /// Both together, of one cell.
    fileprivate func adding(_ other: Self) -> Self {
        Self(
            metric: metric, cell: cell, periodStart: periodStart, count: count.saturatingAdd(other.count),
            sums: zip(sums, other.sums).map { $0.saturatingAdd($1) }, firsts: firsts.union(other.firsts),
            isLate: isLate, isProved: isProved)
    }
}

extension Int64 {
    fileprivate mutating func add(_ other: Int64) { self = saturatingAdd(other) }
}

extension [CountedBatch] {
    fileprivate func all<Part>(_ path: KeyPath<CountedBatch, [Part]>) -> [Part] { flatMap { $0[keyPath: path] } }
}

extension Dictionary where Key == UInt64, Value == Int64 {
    /// The largest few, by a total order.
    fileprivate func max(_ most: Int, by areOrdered: (Element, Element) -> Bool) -> [Element] {
        var found: [Element] = []
        for element in self {
            found.append(element)
            found.sort { areOrdered($1, $0) }
            if found.count > most { found.removeLast() }
        }
        return found
    }
}
