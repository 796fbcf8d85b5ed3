public import ThrongPlan

/// Why a report could not be made.
public enum ReportDeskError: Error, Sendable, Hashable, CustomStringConvertible {
    /// None of the report's metrics has a release for the period.
    case notReleased(report: ReportName, period: String)
    /// Something of the app that lies in the period is not released.
    case notComplete(report: ReportName, period: String)
    /// It was made, and did not arrive everywhere.
    case notDelivered(report: ReportName, period: String, reasons: [String])

    /// What was found and what to do.
    public var description: String {
        switch self {
        case .notReleased(let report, let period):
            """
            nothing that \(report) needs is released for \(period). A period is released once it is over and the plan's \
            grace has passed; `throng release --period \(period) --ignore-grace` does it earlier.
            """
        case .notComplete(let report, let period):
            """
            not everything of \(period) is released yet, and what \(report) delivers is made once. `throng release \
            --period \(period)` releases it once its grace is over; --out writes what there is into a folder.
            """
        case .notDelivered(let report, let period, let reasons):
            """
            \(report) of \(period) did not arrive everywhere: \(reasons.joined(separator: "; ")). It is on record and tried \
            again; `throng report show` says how it stands.
            """
        }
    }
}
