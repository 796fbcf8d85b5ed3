package import ThrongPlan

/// The raw counters of one metric and period, which only the release step may look at.
package struct StoredCube: Sendable, Hashable {
    package let layout: MetricLayout
    package let period: Period
    /// Counts and sums of the leaf cells that were ever touched.
    package let counters: [StoredCounter]
    /// Distinct identifiers of the tracked cells, a window each.
    package let distinct: [StoredDistinct]

    package init(layout: MetricLayout, period: Period, counters: [StoredCounter], distinct: [StoredDistinct]) {
        (self.layout, self.period, self.counters) = (layout, period, counters)
        // Devices of one window add up. Where others took it over under way they count in a second one; what that proves beyond the
        // first is given up.
        self.distinct = layout.window(of: period) == nil ? distinct : distinct.filter { $0.window.takenOver == 0 }
    }

    /// Returns what would have been counted with a bound, where releases choose it: without the events of higher rungs. Devices
    /// that only sent such are in it.
    func bounded(by bound: Int) -> StoredCube {
        guard let rungs = layout.rungs else { return self }
        let (cells, measures) = (UInt32(layout.size(of: layout.leaf)), layout.sums.count)
        return StoredCube(
            layout: layout.bounded(by: bound), period: period,
            counters: counters.filter { counter in
                let rung = Int(counter.cell.value / cells)
                return counter.measure.value > measures || rung < rungs.count && rungs[rung] <= bound
            }, distinct: distinct)
    }

    /// The events of each leaf cell: those of proved identifiers, if the metric counts these apart.
    var provedEvents: [CellIndex: Int64] {
        counters.reduce(into: [:]) { events, counter in
            if counter.measure == layout.provedCount { events[counter.cell, default: 0] += counter.value }
        }
    }
}

/// One counter of one leaf cell; where releases choose a bound, of one of its rungs.
package struct StoredCounter: Sendable, Hashable {
    package let measure: MeasureIndex
    package let cell: CellIndex
    /// Unit: events, or 10^-decimals of the sum's unit.
    package let value: Int64

    package init(measure: MeasureIndex, cell: CellIndex, value: Int64) {
        (self.measure, self.cell, self.value) = (measure, cell, value)
    }
}

/// The distinct identifiers of one tracked cell in one window.
package struct StoredDistinct: Sendable, Hashable {
    package let margin: Margin
    package let cell: CellIndex
    package let window: WindowNumber
    /// Unit: identifiers.
    package let devices: Int64

    package init(margin: Margin, cell: CellIndex, window: WindowNumber, devices: Int64) {
        (self.margin, self.cell, self.window, self.devices) = (margin, cell, window, devices)
    }
}

/// A proved lower bound on the devices behind a cell: the distinct identifiers of one window. Over windows floors are
/// compared, never added.
package struct DeviceFloor: Hashable, Sendable, Comparable, Codable {
    /// The bound. Unit: devices. 0 proves nothing.
    package let devices: Int64
    package init(devices: Int64) { self.devices = devices }
    package static func < (left: Self, right: Self) -> Bool { left.devices < right.devices }
}

extension MetricLayout {
    /// Returns the window that holds all of a period; nil if several have a share in it.
    func window(of period: Period) -> WindowNumber? {
        let first = rotation.window(at: period.start)
        return first == rotation.window(at: UnixSeconds(period.end.value - 1)) ? first : nil
    }

    /// Returns the margin from which the devices of a margin's cells are known exactly; nil if it is not counted.
    func counting(_ margin: Margin) -> Margin? {
        let wanted = trackedMargin(for: margin)
        return trackedMargins.contains(wanted) ? wanted : nil
    }
}

extension Int64 {
    /// Returns the product, or the nearest bound if it does not fit.
    func multipliedClamped(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// Returns the sum, or the nearest bound if it does not fit.
    package func addedClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}

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
