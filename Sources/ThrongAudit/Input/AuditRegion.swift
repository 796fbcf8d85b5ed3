/// Which leaves a number adds up: a set of buckets along some dimensions, in one period.
public struct AuditRegion: Hashable, Sendable, Codable, CustomStringConvertible {
    /// When.
    public var period: AuditPeriod
    /// One a dimension that is not summed out, sorted by dimension.
    public let slices: [Slice]

    /// Some buckets of one dimension.
    public struct Slice: Hashable, Sendable, Codable {
        /// The dimension's name.
        public let dimension: String
        /// At least one label; several are added up.
        public let labels: [String]

        /// A slice.
        public init(dimension: String, labels: [String]) {
            self.dimension = dimension
            self.labels = labels
        }
    }

    /// A region of slices.
    public init(period: AuditPeriod, slices: [Slice]) {
        self.period = period
        self.slices = slices.sorted { $0.dimension < $1.dimension }
    }

    /// A region of one bucket a dimension.
    public init(period: AuditPeriod, buckets: [String: String]) {
        self.init(period: period, slices: buckets.map { Slice(dimension: $0.key, labels: [$0.value]) })
    }

    /// "os=Linux, region=AT+DE", or "everything".
    public var buckets: String {
        slices.isEmpty
            ? "everything"
            : slices.map { "\($0.dimension)=\($0.labels.joined(separator: "+"))" }.joined(separator: ", ")
    }

    /// Buckets and period.
    public var description: String { "\(buckets) in \(period)" }
}
