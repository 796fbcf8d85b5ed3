/// The firsts that devices prove by a credential (`reach: attested`): one per length of time and cell of a margin.
///
/// A first lies in a cell of a tracked margin, so it keeps every dimension that partitions devices. The proof is for
/// the cell without these dimensions: a device has one first in it per period, in one bucket of the partition, as an
/// identifier is in one bucket per window. So numbers of different buckets add.
package struct ProvedFirstsLayout: Hashable, Sendable, Codable {
    /// The metric's own period, then its rollups.
    package let periods: [PeriodKind]
    /// The tracked margins of what a release shows, ascending.
    package let margins: [Margin]
}

extension MetricLayout {
    /// Returns the dimensions that a tracked margin keeps besides those that partition devices.
    package func apart(of margin: Margin) -> Margin {
        Margin(keeping: dimensions.indices.filter { margin.keeps($0) && !partition.keeps($0) })
    }
}
