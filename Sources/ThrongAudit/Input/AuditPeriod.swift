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
