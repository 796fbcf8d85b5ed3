import ThrongPlan

@_spi(Ledger) @testable import ThrongRelease

extension Release {
    /// Every cell of k devices and more and no smaller one, as counted: what reports are made of is under test, not noise.
    init(large cube: StoredCube, header: ReleaseHeader) {
        let layout = header.layout
        var rows: [Row] = []
        for margin in header.groupings {
            var values: [CellIndex: [Int64]] = [:]
            for counter in cube.counters {
                let cell = layout.projection(from: layout.leaf, to: margin)(counter.cell)
                values[cell, default: Array(repeating: 0, count: 1 + layout.sums.count)][
                    Int(counter.measure.value)] += counter.value
            }
            var devices: [CellIndex: Int64] = [:]
            let counted = layout.trackedMargin(for: margin)
            for row in cube.distinct where row.margin == counted {
                devices[layout.projection(from: counted, to: margin)(row.cell), default: 0] += row.devices
            }
            for (cell, value) in values {
                guard let floor = devices[cell], floor >= header.threshold.devices else { continue }
                rows.append(
                    Row(
                        margin: margin, cell: cell, count: value[0], sums: Array(value.dropFirst()),
                        reach: header.reach ? DeviceFloor(devices: floor) : nil))
            }
        }
        self.init(remaining: header, cells: rows)
    }
}
