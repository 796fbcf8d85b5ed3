extension PublicPlan {
    /// The cells in which a device proves to be, by a credential: once for each length of time and cell.
    public struct ProvedFirsts: Codable, Sendable, Hashable {
        /// The lengths of time.
        public let periods: [PeriodKind]
        /// The groupings, each a list of dimensions that do not partition devices. A device has a first in each of
        /// their cells that it was in. The empty list is the one cell that holds everything.
        public let groupings: [[DimensionName]]
        /// The dimensions that partition devices: each first says its bucket of these, too.
        public let partition: [DimensionName]
        /// A name for what the metric counts and in which buckets: 32 hexadecimal digits. A proof holds for one layout.
        public let layout: String

        package init(
            periods: [PeriodKind], groupings: [[DimensionName]], partition: [DimensionName], layout: String
        ) {
            (self.periods, self.groupings, self.partition, self.layout) = (periods, groupings, partition, layout)
        }
    }
}
