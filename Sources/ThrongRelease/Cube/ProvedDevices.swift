package import ThrongPlan

/// How many devices proved to be in a metric's cells in a period, once each (`reach: attested`).
package struct ProvedDevices: Sendable, Hashable {
    /// A stored period, or one that is made of some.
    package let period: Period
    /// In no order, at most one a cell.
    package let rows: [Row]

    /// The devices of one cell.
    package struct Row: Sendable, Hashable {
        /// A margin of the layout's proved firsts.
        package let margin: Margin
        /// The cell of that margin.
        package let cell: CellIndex
        /// Unit: devices.
        package let devices: Int64

        /// Puts one together.
        package init(margin: Margin, cell: CellIndex, devices: Int64) {
            (self.margin, self.cell, self.devices) = (margin, cell, devices)
        }
    }

    /// Puts a period's numbers together.
    package init(period: Period, rows: [Row]) {
        self.period = period
        self.rows = rows
    }
}

/// The devices that proved to be in the cells of a run of parts, as far as events bear them out.
///
/// A claim without an event lifts nothing: a cell has no more devices than proved events. And a device of a part is one of each whole,
/// so a cell has no more than any cell around it, whatever was lost on the way. Every number only becomes smaller by this.
struct ProvedSpan {
    /// The release's own period, or one that was released before.
    let period: Period
    let span: Range<Int>
    /// By margin, by cell. Unit: devices.
    let devices: [Margin: [CellIndex: Int64]]

    /// - Parameter parts: the stored periods of the span.
    /// - Complexity: O(rows · margins).
    init(_ proved: ProvedDevices, span: Range<Int>, of parts: some Collection<StoredCube>, _ layout: MetricLayout) {
        period = proved.period
        self.span = span
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
    /// By leaf cell, the events of identifiers that were proved, of a metric that counts them apart; else all.
    var provedEvents: [CellIndex: Int64] {
        let measure = layout.countsProved && everybody.isEmpty ? layout.provedMeasure(of: .count) : .count
        return counters.reduce(into: [:]) { events, counter in
            if counter.measure == measure { events[counter.cell] = counter.value }
        }
    }
}

extension ProvedSpan {
    /// By cell of a slab of the span.
    func sums(of slab: CubeSlab, _ layout: MetricLayout) -> [Int64] {
        guard let counted = layout.counting(slab.margin) else { return slab.cells.map { _ in 0 } }
        let project = layout.projection(from: counted, to: slab.margin)
        var sums: [CellIndex: Int64] = [:]
        for (cell, count) in devices[counted] ?? [:] {
            sums[project(cell)] = (sums[project(cell)] ?? 0).addedClamped(count)
        }
        return slab.cells.map { sums[$0] ?? 0 }
    }
}
