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
        var added: [Int: [UnixSeconds: ([StoredCounter], [StoredDistinct])]] = [:]
        while let flush = counting.freeze() {
            let places = flush.layouts.map { layout in layouts.firstIndex { $0.id == layout.id } ?? 0 }
            for each in flush.counters {
                added[places[each.layout], default: [:]][each.periodStart, default: ([], [])].0
                    .append(StoredCounter(measure: each.measure, cell: each.cell, value: each.delta))
            }
            for each in flush.distinct {
                let row = StoredDistinct(margin: each.margin, cell: each.cell, window: each.window, devices: each.delta)
                added[places[each.layout], default: [:]][each.periodStart, default: ([], [])].1.append(row)
            }
            counting.applied(flush, closed: [])
        }
        let cubes = layouts.enumerated().flatMap { place, layout in
            (added[place] ?? [:]).map { start, rows in
                let period = Self.period(of: layout, containing: start)
                return StoredCube(layout: layout, period: period, counters: rows.0, distinct: rows.1)
            }
        }.sorted { ($0.period.end, $0.period.kind) < ($1.period.end, $1.period.kind) }
        return CountedDay(
            cubes: cubes, proved: firsts.proved { Self.period(of: $0, containing: $1) }, sent: senders.sent(layouts))
    }

    private static func period(of layout: MetricLayout, containing time: UnixSeconds) -> Period {
        PeriodCalendar.utc.period(layout.period, containing: time)
    }
}

/// The events that each identifier sent of each metric in its window.
private struct Senders {
    private var events: [Int: [WindowID: [KeyedIdentifier: Int64]]] = [:]

    mutating func add(_ batch: BucketedBatch, by identifier: KeyedIdentifier) {
        for event in batch.events where event.refusal == nil {
            for each in batch.contributions(of: event) {
                events[Int(each.metric), default: [:]][batch.window, default: [:]][identifier, default: 0] +=
                    Int64(each.count)
            }
        }
    }

    /// Returns the number of identifiers that sent so many events, by metric and events. It is not known where nobody
    /// has an identifier.
    func sent(_ layouts: [MetricLayout]) -> [MetricName: [Int64: Int]] {
        var sent: [MetricName: [Int64: Int]] = [:]
        for (layout, windows) in events {
            for (identifier, events) in windows.values.joined() where identifier != .nobody {
                sent[layouts[layout].metric, default: [:]][events, default: 0] += 1
            }
        }
        return sent
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

/// A metric's period that can be released: one that was counted, or one that is made of such.
struct CountedPeriod: Sendable {
    let period: Period
    /// The counted period, or those that a rollup adds up.
    let parts: [StoredCube]
    let proved: [ProvedDevices]

    /// All that was counted in it: rows of one cell add up. Nil without parts.
    var cube: StoredCube? {
        parts.first.map {
            StoredCube(
                layout: $0.layout, period: period, counters: parts.flatMap(\.counters),
                distinct: parts.flatMap(\.distinct))
        }
    }
}

extension CountedDay {
    /// Its periods of some kinds, the day's part of longer ones among them.
    func periods(upTo longest: PeriodKind) -> [CountedPeriod] {
        cubes.filter { $0.period.kind <= longest }.map {
            CountedPeriod(period: $0.period, parts: [$0], proved: proved[$0.layout.metric] ?? [])
        }
    }
}

extension [CountedDay] {
    /// Makes longer periods of days that follow each other, one of each metric: as many as the days make up, and one
    /// at least, for which they come again and again. It has the devices that proved themselves on the day of the most.
    func joined(to kind: PeriodKind, of metrics: [Metric]) -> [[CountedPeriod]] {
        guard let last = compactMap({ $0.cubes.last?.period.start }).last, !metrics.isEmpty else { return [] }
        let period = PeriodCalendar.utc.period(kind, containing: last)
        let length = Int(period.end.value - period.start.value) / 86_400
        return (0..<Swift.max(count / length, 1)).map { turn in
            let parts = (turn * length..<(turn + 1) * length).flatMap { ago in
                self[count - 1 - ago % count].cubes.map { $0.earlier(by: ago / count * count) }
            }
            return metrics.compactMap { metric in
                let own = parts.filter { $0.layout.metric == metric.name }
                let most = compactMap { $0.proved[metric.name] }.joined()
                    .max { $0.rows.reduce(0) { $0 + $1.devices } < $1.rows.reduce(0) { $0 + $1.devices } }
                let proved = most.map { [ProvedDevices(period: period, rows: $0.rows)] } ?? []
                let sum = CountedPeriod(period: period, parts: own, proved: proved)
                return sum.cube.map { metric.period == kind ? .init(period: period, parts: [$0], proved: proved) : sum }
            }
        }
    }
}

extension StoredCube {
    /// Unit: events.
    var events: Int64 { counters.reduce(0) { $1.measure == .count ? $0 + $1.value : $0 } }

    /// The same some days earlier.
    fileprivate func earlier(by days: Int) -> StoredCube {
        let seconds = Int64(days) * 86_400
        let period = Period(kind: period.kind, start: period.start - seconds, end: period.end - seconds)
        return StoredCube(
            layout: layout, period: period, counters: counters,
            distinct: distinct.map {
                let window = WindowNumber($0.window.value - seconds / layout.rotation.seconds)
                return StoredDistinct(margin: $0.margin, cell: $0.cell, window: window, devices: $0.devices)
            })
    }
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
    /// The whole cell of each device that was there, by the cell without the partition.
    private var seen: [Place: [Int: CellIndex]] = [:]

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
                    let own = Place(
                        layout: layout, start: contribution.periodStart, margin: margin,
                        cell: apart(contribution.cell))
                    if seen[own]?[device] == nil { seen[own, default: [:]][device] = cell(contribution.cell) }
                }
            }
        }
    }

    /// - Parameter period: the period of a layout that holds an instant.
    func proved(_ period: (MetricLayout, UnixSeconds) -> Period) -> [MetricName: [ProvedDevices]] {
        var rows: [Int: [UnixSeconds: [ProvedDevices.Row]]] = [:]
        for (place, devices) in seen {
            rows[place.layout, default: [:]][place.start, default: []] += Dictionary(
                devices.values.map { ($0, Int64(1)) }, uniquingKeysWith: +
            ).map { .init(margin: place.margin, cell: $0, devices: $1) }
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
