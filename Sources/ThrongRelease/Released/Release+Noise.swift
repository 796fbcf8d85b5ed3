package import ThrongNoise
package import ThrongPlan

extension Threshold {
    /// What a noisy release has: its numbers stand for no number of devices, each carries noise instead.
    package static let none = Threshold(devices: 0)
}

extension StoredCube {
    /// The counted numbers to which noise is added: one array a measure, the count first, a number a declared cell.
    ///
    /// - Complexity: O(declared cells + touched leaves × groupings).
    package func declaredValues(_ groupings: [Margin]) -> [[Int64]] {
        var sums: [MeasureIndex: [MetricLayout.DeclaredCell: Int64]] = [:]
        for margin in groupings {
            let project = layout.projection(from: layout.leaf, to: margin)
            for counter in counters {
                let place = MetricLayout.DeclaredCell(margin: margin, cell: project(counter.cell))
                let sum = sums[counter.measure]?[place] ?? 0
                sums[counter.measure, default: [:]][place] = sum.addedClamped(counter.value)
            }
        }
        let places = layout.declaredCells(of: groupings)
        let measures = [.count] + layout.sums.indices.map { MeasureIndex.sum($0) }
        return measures.map { measure in places.map { sums[measure]?[$0] ?? 0 } }
    }
}

extension Release {
    /// Publishes noisy numbers as they were drawn and stored: all of them, negative ones too.
    ///
    /// Where the noise hides devices or events, they are made to add up first, and none of them is negative where none can be.
    ///
    /// No threshold and no withholding, because which cells are withheld would itself be a number without noise.
    /// - Parameter digest: of the values when they were drawn.
    /// - Throws: ``NoiseError/notTheUniverse(measures:cells:declaredMeasures:declaredCells:)``, and
    ///   ``ReleaseError/altered(metric:period:)`` where the values are not what was drawn.
    @_spi(Ledger) public init(noisy header: ReleaseHeader, draw: NoiseDraw, digest: DrawDigest) throws {
        let layout = header.layout
        let places = layout.declaredCells(of: header.groupings)
        let measures = 1 + layout.sums.count
        guard let noise = header.noise, draw.values.count == measures,
            draw.values.allSatisfy({ $0.count == places.count })
        else {
            throw NoiseError.notTheUniverse(
                measures: draw.values.count, cells: draw.values.first?.count ?? 0, declaredMeasures: measures,
                declaredCells: places.count)
        }
        guard DrawDigest(of: draw) == digest else {
            throw ReleaseError.altered(metric: layout.metric, period: header.period)
        }
        var (header, values) = (header, draw.values)
        if noise.unit.isConsistent {
            let consistent = try ConsistentShape(header).numbers(of: draw)
            (header, values) = (header.stating(consistent.margins), consistent.values)
        }
        self.init(
            remaining: header,
            cells: places.enumerated().map { place, declared in
                Row(
                    margin: declared.margin, cell: declared.cell, count: values[0][place],
                    sums: values.dropFirst().map { $0[place] }, reach: nil)
            })
    }
}
