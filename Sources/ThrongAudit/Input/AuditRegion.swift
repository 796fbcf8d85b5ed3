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

/// What a number covers in time.
package struct AuditPeriod: Hashable, Sendable, Codable, CustomStringConvertible {
    /// First second. Unit: Unix seconds.
    package let start: Int64
    /// First second after it. Unit: Unix seconds.
    package let end: Int64
    /// Which issue of this period, from 0, where it was released more than once: issue n holds all batches up to n.
    /// Nil holds every batch.
    package var revision: Int?

    /// A period.
    package init(start: Int64, end: Int64, revision: Int? = nil) {
        self.start = start
        self.end = end
        self.revision = revision
    }

    /// The one period of a table that says nothing of time.
    package static let timeless = AuditPeriod(start: 0, end: 1)

    /// "1763337600..<1763424000", with the issue if there are several; "the table" without time.
    package var description: String {
        if self == .timeless { return "the table" }
        return "\(start)..<\(end)" + (revision.map { " issue \($0 + 1)" } ?? "")
    }
}
