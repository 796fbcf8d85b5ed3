internal import ThrongPlan

/// Every cell that a release could show: all margins of one metric and period, each with its values and its floor.
///
/// Shape: one slab a margin, dense, indexed by ``CellIndex``.
struct ReleaseCube {
    /// What the cells mean.
    let layout: MetricLayout
    /// The margins in ascending order.
    let slabs: [Slab]

    /// The cells of one margin.
    struct Slab {
        /// Which dimensions are kept.
        let margin: Margin
        /// One array a measure, by cell: the count first.
        var values: [[Int64]]
        /// By cell.
        var floors: [Int64]
    }

    /// Sums the leaves into every margin and takes each cell's floor from the distinct counts.
    ///
    /// The floor of a cell is the maximum over windows of its distinct identifiers. A margin that sums out only
    /// dimensions that partition devices adds the distinct counts within a window before the maximum is taken.
    /// - Complexity: O(touched leaves × margins + distinct counts × margins).
    init(of stored: StoredCube, groupings: [Margin]) {
        layout = stored.layout
        let measures = 1 + stored.layout.sums.count
        slabs = groupings.map { margin in
            let size = stored.layout.size(of: margin)
            var values = Array(repeating: Array(repeating: Int64(0), count: size), count: measures)
            for counter in stored.counters {
                let place = Int(stored.layout.project(counter.cell, from: stored.layout.leaf, to: margin).value)
                let measure = Int(counter.measure.value)
                values[measure][place] = values[measure][place].saturatingAdd(counter.value)
            }
            return Slab(
                margin: margin,
                values: values,
                floors: Self.floors(of: margin, size: size, in: stored))
        }
    }

    private static func floors(of margin: Margin, size: Int, in stored: StoredCube) -> [Int64] {
        let tracked = margin.union(stored.layout.partition)
        var byWindow: [WindowNumber: [Int: Int64]] = [:]
        for row in stored.distinct where row.margin == tracked {
            let place = Int(stored.layout.project(row.cell, from: tracked, to: margin).value)
            byWindow[row.window, default: [:]][place, default: 0] += row.devices
        }
        var floors = Array(repeating: Int64(0), count: size)
        for cells in byWindow.values {
            for (place, devices) in cells { floors[place] = max(floors[place], devices) }
        }
        return floors
    }
}

extension Int64 {
    /// The sum, or the nearest bound where it does not fit.
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
