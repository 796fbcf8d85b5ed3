/// The mapping of one margin's cells to those of a coarser one: divisions, weights and one small table.
///
/// - Complexity: O(kept dimensions) a cell, without allocation.
package struct CellProjection: Sendable {
    private let steps: [Step]
    /// The bucket of a coarser dimension for each bucket of its base dimension; the dimensions follow one another.
    private let table: [UInt32]
    private let isIdentity: Bool

    private struct Step: Sendable {
        /// The number of cells of the finer margin from one bucket to the next.
        let stride: UInt32
        let size: UInt32
        /// The number of cells of the coarser margin from one bucket to the next.
        let weight: UInt32
        /// The start of the step's part of the table; nil if a bucket stays what it is.
        let translation: Int?
    }

    init(_ dimensions: [MetricLayout.DimensionLayout], from finer: Margin, to coarser: Margin) {
        isIdentity = finer == coarser
        var strides: [UInt32] = Array(repeating: 0, count: dimensions.count)
        var stride: UInt32 = 1
        for place in dimensions.indices.reversed() where finer.keeps(place) {
            strides[place] = stride
            stride *= UInt32(dimensions[place].labels.count)
        }
        var steps: [Step] = []
        var table: [UInt32] = []
        var weight: UInt32 = 1
        for place in dimensions.indices.reversed() where coarser.keeps(place) {
            let dimension = dimensions[place]
            var source = place
            var translation: Int?
            if !finer.keeps(place), let coarsening = dimension.coarsening {
                source = coarsening.place
                translation = table.count
                table += coarsening.buckets.map { UInt32($0) }
            }
            precondition(finer.keeps(source), "a margin can't be projected to one that keeps more")
            let size = UInt32(dimensions[source].labels.count)
            steps.append(Step(stride: strides[source], size: size, weight: weight, translation: translation))
            weight *= UInt32(dimension.labels.count)
        }
        self.steps = steps
        self.table = table
    }

    /// Returns the coarser margin's cell that holds a cell of the finer one.
    package func callAsFunction(_ cell: CellIndex) -> CellIndex {
        if isIdentity { return cell }
        var result: UInt32 = 0
        for step in steps {
            let bucket = cell.value / step.stride % step.size
            result += (step.translation.map { table[$0 + Int(bucket)] } ?? bucket) * step.weight
        }
        return CellIndex(result)
    }
}
