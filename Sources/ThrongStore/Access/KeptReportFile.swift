public import ThrongPlan

/// A file of a report as its partner finds it, without its bytes.
public struct KeptReportFile: Sendable, Hashable {
    /// Of which report.
    public let report: ReportName
    /// What it covers.
    public let period: Period
    /// Its name.
    public let name: String
    /// Its size. Unit: bytes.
    public let bytes: Int
    /// When it was made. Unit: Unix seconds.
    public let madeAt: Int64
}
