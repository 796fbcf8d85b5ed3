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
}

extension StoredCube {
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
