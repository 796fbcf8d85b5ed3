package import ThrongPlan

extension MetricLayout {
    /// Whether a cell is of the rest of one of its dimensions: of what has no bucket of its own there.
    package func isRest(_ cell: CellIndex, in margin: Margin) -> Bool {
        zip(dimensions.indices.filter(margin.keeps), buckets(of: cell, in: margin)).contains { dimension, bucket in
            dimensions[dimension].labels[bucket] == .other
        }
    }
}
