internal import ThrongIngest
package import ThrongPlan
package import ThrongRelease

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
            for number in event.contributions {
                let contribution = batch.contributions[Int(number)]
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
