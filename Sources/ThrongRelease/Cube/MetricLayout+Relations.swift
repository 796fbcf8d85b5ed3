internal import ThrongPlan
internal import ThrongSuppression

extension MetricLayout {
    /// The cell of a margin that lies in a cell of the dimensions that partition devices and in one of some others.
    func cell(
        of margin: Margin, value: CellIndex, in others: Margin, partition bucket: CellIndex
    ) -> CellIndex {
        var known: [Int: Int] = [:]
        for (place, held) in zip(dimensions.indices.filter(partition.keeps), buckets(of: bucket, in: partition)) {
            known[place] = held
        }
        for (place, held) in zip(dimensions.indices.filter(others.keeps), buckets(of: value, in: others)) {
            known[place] = held
        }
        let kept = dimensions.indices.filter(margin.keeps).map { place -> Int in
            if let held = known[place] { return held }
            guard let coarsening = dimensions[place].coarsening, let held = known[coarsening.place] else { return 0 }
            return coarsening.buckets[held]
        }
        return cell(buckets: kept, in: margin)
    }

    /// What adds up among cells of some margins.
    func relations(among tables: [(margin: Margin, places: [CellIndex: UInt32])]) -> [AdditiveRelation] {
        var relations: [AdditiveRelation] = []
        for fine in tables {
            for coarse in tables where fine.margin != coarse.margin && refines(fine.margin, coarse.margin) {
                let project = projection(from: fine.margin, to: coarse.margin)
                var children: [CellIndex: [ColumnIndex]] = [:]
                for (cell, column) in fine.places.sorted(by: { $0.key < $1.key }) {
                    children[project(cell), default: []].append(ColumnIndex(column))
                }
                for (cell, column) in coarse.places.sorted(by: { $0.key < $1.key }) {
                    guard let parts = children[cell], parts.count > 1 else { continue }
                    relations.append(AdditiveRelation(parent: ColumnIndex(column), children: parts))
                }
            }
        }
        return relations
    }
}
