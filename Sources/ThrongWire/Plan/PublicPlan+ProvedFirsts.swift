extension PublicPlan {
    /// Of what a device proves, by a credential, that it is in it: once a length of time and cell.
    public struct ProvedFirsts: Codable, Sendable, Hashable {
        /// The lengths of time.
        public let periods: [PeriodKind]
        /// Each a list of dimensions that do not partition devices: a device has a first in each cell of these that it was in.
        /// The empty list is the one cell that holds everything.
        public let groupings: [[DimensionName]]
        /// The dimensions that partition devices: each first says its bucket of these, too.
        public let partition: [DimensionName]
        /// What the metric counts, and in which buckets, as 32 hexadecimal digits. A proof holds for one of them.
        public let layout: String

        /// Puts it together; the plan's reader has checked its parts.
        package init(
            periods: [PeriodKind], groupings: [[DimensionName]], partition: [DimensionName], layout: String
        ) {
            self.periods = periods
            self.groupings = groupings
            self.partition = partition
            self.layout = layout
        }
    }
}
