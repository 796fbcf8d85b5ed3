import ArgumentParser
import ThrongPlan

/// A period on the command line.
struct PeriodOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A day, month, week or hour of the app's calendar: 2026-11-20, 2026-11, 2026-W47, 2026-11-20T10:00.",
            valueName: "period"))
    var period: String?

    /// The period in an app's calendar; nil where none was given.
    func period(of plan: Plan) throws -> Period? {
        guard let period else { return nil }
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone), let found = calendar.period(labelled: period)
        else {
            throw ValidationError(
                "'\(period)' is no period: write 2026-11-20 (a day), 2026-11 (a month), 2026-W47 (a week) or "
                    + "2026-11-20T10:00 (an hour).")
        }
        return found
    }
}
