/// What each metric has counters of, by which the devices behind a number could be known.
struct MetricCounts {
    /// By metric, by axis but time: the finest sets of places that it tells apart; none where it does not.
    private let cells: [[[Set<Int32>]]]
    private let space: LeafSpace

    init(_ family: JointMetrics, _ space: LeafSpace) {
        self.space = space
        let table = family.table
        let axes = space.axes.dropLast()
        let placeOf = axes.map { axis in
            Dictionary(zip(axis.elements, Int32(0)...)) { first, _ in first }
        }
        cells = family.history.metrics.filter { family.names.contains($0.name) }.map { metric in
            let counted = table.pieces(of: metric.name, in: .timeless).first?.region.slices.first?.labels
            return zip(axes, placeOf).map { axis, placeOf in
                var sets: [Set<Int32>] = []
                for dimension in metric.dimensions where dimension.groups == nil {
                    for label in dimension.labels {
                        guard let slice = table.slice(.init(dimension: dimension.name, labels: [label]), of: metric),
                            slice.dimension == axis.name
                        else { continue }
                        sets.append(Set(slice.labels.compactMap { placeOf[$0] }))
                    }
                }
                guard axis.name == Happenings.axis else { return sets }
                let own = Set((counted ?? axis.elements).compactMap { placeOf[$0] })
                return sets.isEmpty ? [own] : sets.map { $0.intersection(own) }
            }
        }
    }

    /// Whether some metric counts the difference of two numbers: both of them, or what is left, as it is.
    ///
    /// Where they differ in more than one way, or by time, it is made up of what some metrics count, and taken to be counted.
    func isCounted(_ whole: [LeafRegion], _ part: [LeafRegion]) -> Bool {
        // Of what was counted under several plans, each is a part of its own.
        guard whole.count == 1, part.count == 1 else { return true }
        let (all, inside) = (members(of: whole[0]), members(of: part[0]))
        let different = all.indices.filter { all[$0] != inside[$0] }
        guard different.count == 1, let axis = different.first else { return true }
        var rest = all
        rest[axis] = all[axis].subtracting(inside[axis])
        return cells.contains { (covers($0, all) && covers($0, inside)) || covers($0, rest) }
    }

    private func members(of region: LeafRegion) -> [Set<Int32>] {
        zip(space.axes, region.sets).dropLast().map { Set($0.members(of: $1)) }
    }

    /// Whether a metric's cells make a region up.
    private func covers(_ metric: [[Set<Int32>]], _ region: [Set<Int32>]) -> Bool {
        zip(zip(metric, region), space.axes).allSatisfy { pair, axis in
            let (sets, wanted) = pair
            if wanted.count == axis.elements.count && axis.name != Happenings.axis { return true }
            return sets.filter { !$0.isEmpty && $0.isSubset(of: wanted) }.reduce(into: Set<Int32>()) {
                $0.formUnion($1)
            }
                == wanted
        }
    }
}
