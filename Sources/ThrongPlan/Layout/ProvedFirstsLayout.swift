/// Of what devices prove by a credential that they are in it (`reach: attested`): one first a length of time and cell of a margin.
///
/// A first is in a cell of a tracked margin, so it keeps every dimension that partitions devices. What is proved is the cell
/// without these: within a period a device has one first in it, in one bucket of the partition, as an identifier is in one in a
/// window. So numbers of different buckets add.
package struct ProvedFirstsLayout: Hashable, Sendable, Codable {
    /// The metric's own period, then its rollups.
    package let periods: [PeriodKind]
    /// The tracked margins of what a release shows, ascending.
    package let margins: [Margin]

    /// Puts a layout of proved firsts together.
    package init(periods: [PeriodKind], margins: [Margin]) {
        self.periods = periods
        self.margins = margins
    }
}

extension MetricLayout {
    /// What a tracked margin keeps besides the dimensions that partition devices.
    package func apart(of margin: Margin) -> Margin {
        Margin(keeping: dimensions.indices.filter { margin.keeps($0) && !partition.keeps($0) })
    }
}
