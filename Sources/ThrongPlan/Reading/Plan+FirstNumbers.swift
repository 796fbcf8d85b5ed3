package import ThrongWire

extension Plan {
    /// The calendar of the app's time zone.
    var calendar: PeriodCalendar { PeriodCalendar(timeZone: app.timeZone) ?? .utc }

    /// Returns lines that say when reports, and numbers in no report, come first if counting begins now.
    package func firstLines(now: UnixSeconds) -> [String] {
        let reported = Set(reports.flatMap(\.insights).compactMap { insight($0)?.metric })
        let silent = metrics.filter { !reported.contains($0.name) }
        let kinds = Set(silent.map(\.period)).sorted()
        return reports.map { first(of: $0, now) }
            + kinds.map { kind in
                let period = calendar.period(kind, containing: now)
                let names = silent.filter { $0.period == kind }.map { "'\($0.name)'" }.joined(separator: ", ")
                return "numbers of \(names): those of \(calendar.label(of: period)), \(moment(release(of: period)))"
            }
    }

    /// The instant at which a period's numbers may be released.
    func release(of period: Period) -> UnixSeconds { period.end + app.grace.components.seconds }

    private func first(of report: Report, _ now: UnixSeconds) -> String {
        let period = calendar.period(report.period, containing: now)
        let label = calendar.label(of: period)
        let due = release(of: period)
        guard let schedule = report.schedule else {
            return "report '\(report.name)': that of \(label) by hand, from \(moment(due)) on"
        }
        guard let run = schedule.next(after: due - 1, in: calendar) else {
            return "report '\(report.name)': not within nine years"
        }
        return "report '\(report.name)': that of \(label), \(moment(run))"
    }

    /// Returns an instant as people of the app's time zone say it: "Wed 2026-12-02 06:00".
    func moment(_ time: UnixSeconds) -> String {
        let date = calendar.date(at: time)
        let minute = calendar.secondOfDay(at: time) / 60
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(Self.weekdays[date.weekday]) \(date) \(two(minute / 60)):\(two(minute % 60)) \(app.timeZone)"
    }

    /// The days of the week as schedules and people abbreviate them.
    static var weekdays: [String] { ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] }
}
