internal import ThrongIngest
package import ThrongPlan
package import ThrongRelease

/// Counts a plan's days as a daemon does, without a journal and PostgreSQL.
package struct DayCounter: Sendable {
    let layouts: [MetricLayout]
    private let space: CellSpace
    private let intake: Intake

    /// Compiles a plan whose days are in UTC.
    package init(_ plan: Plan) throws {
        layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        space = CellSpace(layouts: layouts)
        intake = try Intake(plans: [plan], space: space, rules: .system)
    }

    /// Counts the batches of a time: one cube for each metric and period that has anything, in the order in which they
    /// are released. Every device proves itself, wherever a metric asks it to.
    package func count(_ hand: ((Crowd.Parcel, UnixSeconds) throws -> Void) throws -> Void) throws -> CountedDay {
        var counting = Counting(
            space: space, position: .start, watermark: .start, bounds: Counting.Bounds(windowBytes: .max))
        var keys: [WindowID: WindowKey] = [:]
        var firsts = ProvedCrowd(layouts: layouts)
        var senders = Senders()
        try hand { parcel, now in
            var body = parcel.body
            let outcome = try body.withUTF8 { try intake.read($0, signals: parcel.signals, now: now, isSealed: true) }
            guard case .batch(let incoming) = outcome else { return }
            let window = incoming.bucketed.window
            let key = keys[window] ?? .random()
            keys[window] = key
            let identifier = incoming.identifier.keyed(with: key)
            let counted = counting.count(incoming.bucketed, identifier: identifier, hasProof: true, now: now)
            if case .counted(let batch) = counted {
                firsts.add(incoming.bucketed, by: parcel.device, except: Set(batch.answer.refused.map(\.index)))
                senders.add(incoming.bucketed, by: identifier)
            }
        }
        _ = counting.takeClosings(now: .max)
        var tables: [Place: CubeTable] = [:]
        while let flush = counting.freeze() {
            add(flush, to: &tables)
            counting.applied(flush, closed: [])
        }
        let cubes = tables.map { place, table in
            let layout = layouts[place.layout]
            return (place.layout, table.cube(layout, Self.period(of: layout, containing: place.start)))
        }.sorted { ($0.1.period.end, $0.1.period.kind, $0.0) < ($1.1.period.end, $1.1.period.kind, $1.0) }.map(\.1)
        return CountedDay(
            cubes: cubes, proved: firsts.proved { Self.period(of: $0, containing: $1) }, sent: senders.sent(layouts))
    }

    private static func period(of layout: MetricLayout, containing time: UnixSeconds) -> Period {
        PeriodCalendar.utc.period(layout.period, containing: time)
    }

    private struct Place: Hashable {
        let layout: Int
        let start: UnixSeconds
    }

    private func add(_ flush: Flush, to tables: inout [Place: CubeTable]) {
        let places = flush.layouts.map { layout in layouts.firstIndex { $0.id == layout.id } }
        func table(_ layout: Int, _ start: UnixSeconds) -> Place? {
            places[layout].map { Place(layout: $0, start: start) }
        }
        for delta in flush.counters {
            guard let place = table(delta.layout, delta.periodStart) else { continue }
            let key = CubeTable.Counter(measure: delta.measure, cell: delta.cell)
            tables[place, default: CubeTable()].counters[key, default: 0] += delta.delta
        }
        for delta in flush.distinct {
            guard let place = table(delta.layout, delta.periodStart) else { continue }
            let key = CubeTable.Tracked(margin: delta.margin, cell: delta.cell, window: delta.window)
            tables[place, default: CubeTable()].distinct[key, default: 0] += delta.delta
        }
    }
}

/// The events that each identifier sent of each metric in its window.
private struct Senders {
    private struct Sender: Hashable {
        let layout: Int
        let window: WindowID
        let identifier: KeyedIdentifier
    }

    private var events: [Sender: Int64] = [:]

    mutating func add(_ batch: BucketedBatch, by identifier: KeyedIdentifier) {
        for event in batch.events where event.refusal == nil {
            for contribution in batch.contributions(of: event) {
                let sender = Sender(layout: Int(contribution.metric), window: batch.window, identifier: identifier)
                events[sender, default: 0] += Int64(contribution.count)
            }
        }
    }

    /// Returns the number of identifiers that sent so many events, by metric and events. It is not known where nobody
    /// has an identifier.
    func sent(_ layouts: [MetricLayout]) -> [MetricName: [Int64: Int]] {
        var sent: [MetricName: [Int64: Int]] = [:]
        for (sender, events) in events where sender.identifier != .nobody {
            sent[layouts[sender.layout].metric, default: [:]][events, default: 0] += 1
        }
        return sent
    }
}

/// The counters that flushes add to, of one metric's period.
private struct CubeTable {
    struct Counter: Hashable {
        let measure: MeasureIndex
        let cell: CellIndex
    }
    struct Tracked: Hashable {
        let margin: Margin
        let cell: CellIndex
        let window: WindowNumber
    }

    var counters: [Counter: Int64] = [:]
    var distinct: [Tracked: Int64] = [:]

    func cube(_ layout: MetricLayout, _ period: Period) -> StoredCube {
        StoredCube(
            layout: layout, period: period,
            counters: counters.map { StoredCounter(measure: $0.measure, cell: $0.cell, value: $1) }
                .sorted { ($0.cell, $0.measure) < ($1.cell, $1.measure) },
            distinct: distinct.map {
                StoredDistinct(margin: $0.margin, cell: $0.cell, window: $0.window, devices: $1)
            }.sorted { ($0.margin, $0.cell, $0.window) < ($1.margin, $1.cell, $1.window) })
    }
}

/// The counters of the batches of a time.
package struct CountedDay: Sendable {
    /// One for each metric and period that has anything, in the order in which they are released.
    package let cubes: [StoredCube]
    /// The devices that proved to be in a metric's cells, by metric.
    package let proved: [MetricName: [ProvedDevices]]
    /// The number of identifiers by metric, and by how many of its events an identifier sent in its window, before any
    /// bound.
    package let sent: [MetricName: [Int64: Int]]
}

extension StoredCube {
    /// Unit: events.
    var events: Int64 { counters.reduce(0) { $1.measure == .count ? $0 + $1.value : $0 } }
}

/// The firsts that devices prove of what they sent: one a period, margin and cell without the dimensions that
/// partition devices.
struct ProvedCrowd {
    private struct Place: Hashable {
        let layout: Int
        let start: UnixSeconds
        let margin: Margin
        let cell: CellIndex
    }

    private let layouts: [MetricLayout]
    /// The projections of a leaf, by layout and margin: to the whole cell, and to the cell without the partition.
    private let projections: [[(margin: Margin, cell: CellProjection, apart: CellProjection)]]
    /// The devices that were there, by the cell without the partition.
    private var seen: [Place: Set<Int>] = [:]
    /// The counts by the whole cell. Unit: devices.
    private var counts: [Place: Int64] = [:]

    init(layouts: [MetricLayout]) {
        self.layouts = layouts
        projections = layouts.map { layout in
            (layout.provedFirsts?.margins ?? []).map { margin in
                (
                    margin, layout.projection(from: layout.leaf, to: margin),
                    layout.projection(from: layout.leaf, to: layout.apart(of: margin))
                )
            }
        }
    }

    mutating func add(_ batch: BucketedBatch, by device: Int, except refused: Set<Int>) {
        for (index, event) in batch.events.enumerated() where event.refusal == nil && !refused.contains(index) {
            for contribution in batch.contributions(of: event) {
                let layout = Int(contribution.metric)
                for (margin, cell, apart) in projections[layout] {
                    let start = contribution.periodStart
                    let own = Place(layout: layout, start: start, margin: margin, cell: apart(contribution.cell))
                    guard seen[own, default: []].insert(device).inserted else { continue }
                    let whole = Place(layout: layout, start: start, margin: margin, cell: cell(contribution.cell))
                    counts[whole, default: 0] += 1
                }
            }
        }
    }

    /// - Parameter period: the period of a layout that holds an instant.
    func proved(_ period: (MetricLayout, UnixSeconds) -> Period) -> [MetricName: [ProvedDevices]] {
        var rows: [Int: [UnixSeconds: [ProvedDevices.Row]]] = [:]
        for (place, devices) in counts {
            rows[place.layout, default: [:]][place.start, default: []].append(
                .init(margin: place.margin, cell: place.cell, devices: devices))
        }
        var proved: [MetricName: [ProvedDevices]] = [:]
        for (number, starts) in rows {
            let layout = layouts[number]
            proved[layout.metric] = starts.sorted { $0.key < $1.key }.map { start, rows in
                ProvedDevices(
                    period: period(layout, start), rows: rows.sorted { ($0.margin, $0.cell) < ($1.margin, $1.cell) })
            }
        }
        return proved
    }
}
