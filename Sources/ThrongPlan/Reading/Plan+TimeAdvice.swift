package import ThrongWire

extension Plan {
    /// Returns advice on days far from those of identifiers, and on schedules just before the numbers.
    func timeAdvice() -> [PlanProblem] { purposes.compactMap(zoneAdvice) + reports.compactMap(scheduleAdvice) }

    // MARK: Zones

    /// The distance of a day's beginning from UTC's from which on it is said what that costs. Unit: seconds.
    private static let farFromUTC: Int64 = 3 * 3600

    /// Returns advice on windows of a day that the app's days cut in two; nil if they cost little.
    private func zoneAdvice(_ purpose: Purpose) -> PlanProblem? {
        let day = Rotation.longest.seconds
        let daily = metrics.contains { $0.purpose == purpose.name && $0.period == .day && !$0.provesFirsts }
        guard purpose.hasIdentifiers, purpose.rotation == .longest, daily else { return nil }
        // The smaller of the two offsets of a year; 2026 stands for any.
        let offsets = [1_768_435_200, 1_784_073_600].map { Swift.abs(calendar.offset(at: UnixSeconds($0))) % day }
        let offset = offsets.map { Swift.min($0, day - $0) }.min() ?? 0
        guard offset >= Self.farFromUTC else { return nil }
        let share = (day - offset) * 100 / day
        return places.message(
            on: .purpose, named: purpose.name.text,
            "purpose '\(purpose.name)' has a window of 1 day by UTC, and days of \(app.timeZone) begin "
                + "\((offset + 1800) / 3600) hours from those: k is compared with the fuller of a day's two windows, "
                + "about \(share) % of its devices; with `time_zone: UTC`, or counted by week, nothing is lost")
    }

    // MARK: Schedules

    /// Returns advice on a schedule by which numbers are shown one run later; nil if that is no great delay.
    private func scheduleAdvice(_ report: Report) -> PlanProblem? {
        guard let schedule = report.schedule, report.period != .hour else { return nil }
        // Any period will do: the first of 2026 that has a regular one before and after.
        let period = calendar.period(report.period, containing: UnixSeconds(1_770_465_600))
        let due = release(of: period)
        guard let run = schedule.next(after: due - 1, in: calendar),
            let early = schedule.next(after: period.end - 1, in: calendar), early < due,
            let second = schedule.next(after: run, in: calendar)
        else { return nil }
        let late = run - due
        // A daily report that is made once a week comes late on purpose.
        let pace = Swift.min(second - run, period.end - period.start)
        guard second - run <= period.end - period.start + 3 * 86_400, 2 * late > pace else { return nil }
        let hours = Duration.seconds(early - period.end)
        return places.message(
            on: .report, named: report.name.text,
            """
            report '\(report.name)' comes \(Self.rough(late)) after its numbers: a \(report.period.rawValue)'s are there \
            \(app.grace.planText) after its end, by the app's grace, and its schedule \
            '\(schedule.text)' ran \(Self.rough(due - early)) before; \(cure(report, schedule, due, run)), or a grace of \
            \(hours.planText) at most
            """)
    }

    /// Returns a day on which the schedule would come soon.
    private func cure(_ report: Report, _ schedule: CronSchedule, _ due: UnixSeconds, _ run: UnixSeconds) -> String {
        let time = calendar.secondOfDay(at: run)
        let date = calendar.date(at: due)
        let day = calendar.secondOfDay(at: due) <= time ? date : date.adding(days: 1)
        switch report.period {
        case .week: return "let it run on \(Self.weekdays[day.weekday].lowercased())"
        case .month: return "let it run on day \(day.day) of the month"
        case .day, .hour: return "let it run after \(moment(due).split(separator: " ")[2])"
        }
    }

    /// Returns a length of time to the day or the hour: "6 days", "18 hours".
    private static func rough(_ seconds: Int64) -> String {
        let hours = Swift.max(1, (seconds + 1800) / 3600)
        if hours < 48 { return hours == 1 ? "1 hour" : "\(hours) hours" }
        return "\((hours + 12) / 24) days"
    }

    /// The calendar of the app's time zone.
    package var calendar: PeriodCalendar { PeriodCalendar(timeZone: app.timeZone) ?? .utc }

    /// Returns lines that say when reports, and numbers in no report, come first if counting begins now.
    package func firstLines(now: UnixSeconds) -> [String] {
        let reported = Set(reports.flatMap(\.insights).compactMap { insight($0)?.metric })
        let silent = metrics.filter { !reported.contains($0.name) }
        let kinds = Set(silent.map(\.period)).sorted()
        return reports.map { first(of: $0, now) }
            + kinds.map { kind in
                let period = calendar.period(kind, containing: now)
                let names = silent.filter { $0.period == kind }.map { "'\($0.name)'" }.joined(separator: ", ")
                return "numbers of \(names) about \(calendar.label(of: period)) come \(moment(release(of: period)))"
            }
    }

    /// The instant at which a period's numbers may be released.
    func release(of period: Period) -> UnixSeconds { period.end + app.grace.components.seconds }

    private func first(of report: Report, _ now: UnixSeconds) -> String {
        let period = calendar.period(report.period, containing: now)
        let label = calendar.label(of: period)
        let due = release(of: period)
        guard let schedule = report.schedule else {
            return "report '\(report.name)' about \(label) can be made by hand from \(moment(due)) on"
        }
        guard let run = schedule.next(after: due - 1, in: calendar) else {
            return "report '\(report.name)' is not made within nine years"
        }
        let condition = report.alert == nil ? "" : ", where its alert asks for it"
        let reach = report.publicity == nil ? "" : "; everybody reads it, and nobody can call it back"
        return "report '\(report.name)' about \(label) is made \(moment(run))\(condition)\(reach)"
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
