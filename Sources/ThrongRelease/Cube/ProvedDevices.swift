package import ThrongPlan

/// The numbers of devices that proved to be in a metric's cells in a period, once each (`reach: attested`).
package struct ProvedDevices: Sendable, Hashable {
    /// A stored period, or one that is a sum of stored ones.
    package let period: Period
    /// The rows, in no order; at most one for each cell.
    package let rows: [Row]

    /// The devices of one cell.
    package struct Row: Sendable, Hashable {
        /// A margin of the layout's proved firsts.
        package let margin: Margin
        package let cell: CellIndex
        /// Unit: devices.
        package let devices: Int64

        package init(margin: Margin, cell: CellIndex, devices: Int64) {
            (self.margin, self.cell, self.devices) = (margin, cell, devices)
        }
    }

    package init(period: Period, rows: [Row]) { (self.period, self.rows) = (period, rows) }
}

/// The devices that proved to be in the cells of a run of parts, as far as events bear them out: a cell has no more of
/// them than proved events, nor than any cell that contains it.
struct ProvedSpan {
    /// The numbers of devices, by margin and cell. Unit: devices.
    let devices: [Margin: [CellIndex: Int64]]

    /// - Parameter parts: the stored periods of the release.
    /// - Complexity: O(rows · margins).
    init(_ proved: ProvedDevices, of parts: some Collection<StoredCube>, _ layout: MetricLayout) {
        var events: [CellIndex: Int64] = [:]
        for part in parts {
            for (cell, count) in part.provedEvents { events[cell] = (events[cell] ?? 0).addedClamped(count) }
        }
        let margins = layout.provedFirsts?.margins ?? []
        var claimed: [Margin: [CellIndex: Int64]] = [:]
        for row in proved.rows where margins.contains(row.margin) {
            claimed[row.margin, default: [:]][row.cell] = row.devices
        }
        var borne: [Margin: [CellIndex: Int64]] = [:]
        for margin in margins {
            let project = layout.projection(from: layout.leaf, to: margin)
            var most: [CellIndex: Int64] = [:]
            for (cell, count) in events { most[project(cell)] = (most[project(cell)] ?? 0).addedClamped(count) }
            borne[margin] = (claimed[margin] ?? [:]).reduce(into: [:]) { $0[$1.key] = min($1.value, most[$1.key] ?? 0) }
        }
        var devices = borne
        for margin in margins {
            for whole in margins where whole != margin && layout.refines(margin, whole) {
                let project = layout.projection(from: margin, to: whole)
                for (cell, count) in devices[margin] ?? [:] {
                    devices[margin]?[cell] = min(count, borne[whole]?[project(cell)] ?? 0)
                }
            }
        }
        self.devices = devices
    }
}

extension StoredCube {
    /// The events of each leaf cell: those of proved identifiers, if the metric counts these apart.
    var provedEvents: [CellIndex: Int64] {
        counters.reduce(into: [:]) { events, counter in
            if counter.measure == layout.provedCount { events[counter.cell] = counter.value }
        }
    }
}
