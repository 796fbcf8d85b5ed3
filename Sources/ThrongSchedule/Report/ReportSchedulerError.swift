package import ThrongPlan

/// The reason why a report could not be made.
package enum ReportSchedulerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// None of the report's metrics has a release for the period. The period and the plan's grace are over at `due`.
    case notReleased(report: ReportName, period: String, due: UnixSeconds)
    /// All releases for the period have expired.
    case aged(report: ReportName, period: String)
    /// A plan edit within the period restarted the count of a metric, and the plan holds such a report.
    case held(report: ReportName, period: String, metric: MetricName)
    /// The plans under which its numbers were counted did not name the partner as a recipient.
    case unnamed(report: ReportName, period: String, partner: PartnerName)
    /// A release of the app within the period is still to be made; all of them are due at `due`.
    case notComplete(report: ReportName, period: String, due: UnixSeconds)
    /// The number of an alert is as it should be.
    case quiet(report: ReportName, period: String)
    case notDelivered(report: ReportName, period: String, reasons: [String])

    package var description: String {
        switch self {
        case .notReleased(let report, let period, let due):
            "nothing that \(report) needs is released for \(period). Where anything was counted in it, that is "
                + "released once it is over and the plan's grace has passed, at \(Instant.text(due)), or before by "
                + "`throng release --period \(period) --ignore-grace`; where nothing was, there is no such report."
        case .aged(let report, let period):
            """
            the numbers that \(report) needs were released for \(period) and are no longer kept, as the plan's `decay` and \
            `retention` promise; `throng retention status --ledger` says when they went. A longer period may still have its own.
            """
        case .held(let report, let period, let metric):
            "\(report) of \(period) is held, as the plan asks with `split: hold`: a change of the plan began to count "
                + "metric '\(metric)' anew within the period, so that its numbers are of a part of it. With `split: "
                + "say` in the plan `throng report make --period \(period)` makes it of one part and says of which."
        case .unnamed(let report, let period, let partner):
            "\(report) of \(period) is not made: when its numbers were counted, the plan in force did not name partner "
                + "'\(partner)' as one who receives them, and what people were told then holds. The first report is of "
                + "the first period that begins an hour or more after the plan that names it was put in force."
        case .notComplete(let report, let period, let due):
            "not everything of \(period) is released yet, and what \(report) delivers is made once. `throng release "
                + "--period \(period)` releases it from \(Instant.text(due)) on, when its grace is over; --out writes "
                + "what there is into a folder."
        case .quiet(let report, let period):
            "\(report) of \(period) is an alert, and its number is as it should be, so that nothing goes out. `throng "
                + "report --period \(period) --out DIR` writes it all the same."
        case .notDelivered(let report, let period, let reasons):
            "\(report) of \(period) did not arrive everywhere: \(reasons.joined(separator: "; ")). It is on record and "
                + "tried again; `throng report show` says how it stands."
        }
    }

    var detail: String {
        switch self {
        case .held: "held: a change of the plan splits the period"
        default: "\(Self.self)"
        }
    }
}
