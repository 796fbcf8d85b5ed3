internal import ThrongPlan

/// The deltas of batches that PostgreSQL may or may not have, batch by batch, until its watermark is known.
///
/// - Cost: some 80 bytes a batch, 16 a counter that it adds to, 12 an identifier that was new in a cell.
struct UnresolvedDeltas: Sendable {
    private struct Batch {
        let position: JournalPosition
        let window: WindowNumber
        /// The ends of its deltas in the arrays below.
        let counters: Int
        let distinct: Int
        let coverage: Int
        let taken: Int
        /// The end of the window that it closes; nil for a batch.
        let closes: UnixSeconds?
    }

    private struct CounterAmount {
        let slot: UInt32
        let period: UInt32
        let amount: Int64
    }

    private struct Newcomer {
        let tracked: UInt32
        let period: UInt32
        var count: Int64 = 1
    }

    private var batches: [Batch] = []
    private var counters: [CounterAmount] = []
    private var taken: [CounterAmount] = []
    private var distinct: [Newcomer] = []
    private var coverage: [CoverageDelta] = []
    private var periods = Ordinals<Int64>()

    /// The place of the last record; nil if there is none.
    var last: JournalPosition? { batches.last?.position }

    /// Adds the deltas of a batch; call in the order of positions.
    mutating func append(_ record: CountedBatch, in space: CellSpace) {
        for addition in record.additions {
            let period = UInt32(periods.ordinal(of: addition.periodStart.value))
            space.metrics[addition.metric].forEachCounter(of: addition) { slot, amount in
                counters.append(.init(slot: slot, period: period, amount: amount))
            }
        }
        for appearance in record.appearances {
            distinct.append(
                .init(
                    tracked: space.marginPlace(of: appearance).firstTracked + appearance.cell.value,
                    period: UInt32(periods.ordinal(of: appearance.periodStart.value))))
        }
        record.forEachCoverage { coverage.append($0) }
        end(record.position, record.window, closes: nil)
    }

    /// Adds the deltas of a window's closing; call in the order of positions.
    mutating func append(_ closing: WindowClosing, in space: CellSpace) {
        closing.forEachDelta(
            in: space,
            counter: { slot, start, identifiers in
                counters.append(
                    .init(slot: slot, period: UInt32(periods.ordinal(of: start.value)), amount: identifiers))
            },
            tracked: { slot, start, identifiers in
                distinct.append(
                    .init(
                        tracked: slot, period: UInt32(periods.ordinal(of: start.value)),
                        count: identifiers))
            })
        end(closing.position, closing.window, closes: closing.window.over)
    }

    /// Adds the subtractions of a removal, by its parts; call in the order of positions.
    mutating func append(_ removal: [Removal], in space: CellSpace) {
        guard let last = removal.last else { return }
        for part in removal {
            part.forEachDelta(
                in: space,
                counter: { slot, start, amount in
                    taken.append(.init(slot: slot, period: UInt32(periods.ordinal(of: start.value)), amount: amount))
                },
                tracked: { slot, start in
                    distinct.append(.init(tracked: slot, period: UInt32(periods.ordinal(of: start.value)), count: -1))
                })
            part.forEachCoverage { coverage.append($0) }
        }
        end(last.position, last.window, closes: nil)
    }

    private mutating func end(_ position: JournalPosition, _ window: WindowID, closes: UnixSeconds?) {
        batches.append(
            .init(
                position: position, window: window.number, counters: counters.count, distinct: distinct.count,
                coverage: coverage.count, taken: taken.count, closes: closes))
    }

    /// Adds the deltas of batches behind a position to `pending`.
    ///
    /// - Parameter then: called after each batch.
    func add(
        after watermark: JournalPosition, to pending: inout PendingDeltas,
        then: (inout PendingDeltas, JournalPosition) -> Void
    ) {
        let first = batches.firstIndex { $0.position > watermark } ?? batches.endIndex
        var (counter, newcomer) = first > 0 ? (batches[first - 1].counters, batches[first - 1].distinct) : (0, 0)
        var noted = first > 0 ? batches[first - 1].coverage : 0
        var gone = first > 0 ? batches[first - 1].taken : 0
        for batch in batches[first...] {
            for delta in coverage[noted..<batch.coverage] { pending.coverage.add(delta) }
            for delta in counters[counter..<batch.counters] {
                pending.add(delta.amount, toCounter: delta.slot, periodStart: UnixSeconds(periods[Int(delta.period)]))
            }
            for one in distinct[newcomer..<batch.distinct] {
                pending.addIdentifiers(
                    one.count, toTracked: one.tracked, periodStart: UnixSeconds(periods[Int(one.period)]),
                    window: batch.window)
            }
            for delta in taken[gone..<batch.taken] {
                let start = UnixSeconds(periods[Int(delta.period)])
                pending.take(delta.amount, fromCounter: delta.slot, periodStart: start)
            }
            if let over = batch.closes { pending.close(until: over) }
            (counter, newcomer, noted) = (batch.counters, batch.distinct, batch.coverage)
            gone = batch.taken
            then(&pending, batch.position)
        }
    }
}
