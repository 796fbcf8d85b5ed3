/// A coarser way to split a metric: made of the buckets of another dimension instead of from a field.
///
/// Any number of them may be made of one dimension; they need not nest. Nothing is counted by them: their numbers are
/// sums of the finer ones.
package struct DerivedDimension: Sendable, Hashable {
    /// Column name in the analyst's tables.
    package let name: DimensionName
    /// What people read above a chart.
    package let title: String
    /// The dimension whose buckets it is made of.
    package let base: DimensionName
    /// Its buckets besides `other`, each with the base's buckets that it holds.
    package let groups: [BucketGroup]
    /// Whether a device can be in only one bucket within a window: as the base says.
    package let partitionsDevices: Bool

    /// Puts a derived dimension together.
    package init(
        name: DimensionName, title: String, base: DimensionName, groups: [BucketGroup], partitionsDevices: Bool
    ) {
        self.name = name
        self.title = title
        self.base = base
        self.groups = groups
        self.partitionsDevices = partitionsDevices
    }

    /// Its buckets in order; the last is `other`, where everything goes that no group names.
    package var labels: [BucketLabel] { groups.map(\.label) + [.other] }

    /// By bucket of the base: the bucket that holds it, an index into ``labels``.
    package func buckets(of base: [BucketLabel]) -> [Int] {
        base.map { label in
            groups.firstIndex { $0.values.contains { BucketLabel($0) == label } } ?? groups.count
        }
    }
}
