/// Which leaves a number adds up: a set of buckets along some dimensions, in one period.
package struct AuditRegion: Hashable, Sendable, Codable, CustomStringConvertible {
    /// When.
    package var period: AuditPeriod
    /// One a dimension that is not summed out, sorted by dimension.
    package let slices: [Slice]

    /// Some buckets of one dimension.
    package struct Slice: Hashable, Sendable, Codable {
        /// The dimension's name.
        package let dimension: String
        /// At least one label; several are added up.
        package let labels: [String]

        /// A slice.
        package init(dimension: String, labels: [String]) {
            self.dimension = dimension
            self.labels = labels
        }
    }

    /// A region of slices.
    package init(period: AuditPeriod, slices: [Slice]) {
        self.period = period
        self.slices = slices.sorted { $0.dimension < $1.dimension }
    }

    /// A region of one bucket a dimension.
    package init(period: AuditPeriod, buckets: [String: String]) {
        self.init(period: period, slices: buckets.map { Slice(dimension: $0.key, labels: [$0.value]) })
    }

    /// "os=Linux, region=AT+DE", or "everything".
    package var buckets: String {
        slices.isEmpty
            ? "everything"
            : slices.map { "\($0.dimension)=\($0.labels.joined(separator: "+"))" }.joined(separator: ", ")
    }

    /// Buckets and period.
    package var description: String { "\(buckets) in \(period)" }
}
