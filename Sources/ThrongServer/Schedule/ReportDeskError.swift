public import ThrongPlan

/// Why a report could not be made.
public enum ReportDeskError: Error, Sendable, Hashable, CustomStringConvertible {
    /// None of the report's metrics has a release for the period.
    case notReleased(report: ReportName, period: String)

    /// What was found and what to do.
    public var description: String {
        switch self {
        case .notReleased(let report, let period):
            """
            nothing that \(report) needs is released for \(period). A period is released once it is over and the plan's \
            grace has passed; `throng release --period \(period) --ignore-grace` does it earlier.
            """
        }
    }
}
