package import ThrongPlan

/// A file of a report as its partner finds it, without its bytes.
package struct KeptReportFile: Sendable, Hashable {
    /// Of which report.
    package let report: ReportName
    /// What it covers.
    package let period: Period
    /// Its name.
    package let name: String
    /// Its size. Unit: bytes.
    package let bytes: Int
    /// When it was made. Unit: Unix seconds.
    package let madeAt: Int64
}
