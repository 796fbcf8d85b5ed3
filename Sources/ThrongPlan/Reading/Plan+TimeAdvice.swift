internal import Crypto
internal import Foundation

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

    /// Returns the firsts of a metric that devices prove; nil if the metric does not ask them to.
    ///
    /// - Throws: ``BucketingProblem`` where this machine can't compile a bucketing that the plan's reader could.
    package func provedFirsts(of metric: Metric) throws(BucketingProblem) -> PublicPlan.ProvedFirsts? {
        guard metric.provesFirsts else { return nil }
        let base = cubeDimensions(of: metric)
        let derived = derivedDimensions(of: metric)
        let partition = base.filter(\.partitionsDevices).map(\.name)
        let own = groupingNames(of: metric).map { names in
            // A coarser dimension of one that is kept says nothing more.
            names.filter { name in
                let of = derived.first { $0.name == name }?.base
                return !partition.contains(name) && !(of.map { names.contains($0) || partition.contains($0) } ?? false)
            }
        }
        var groupings: [[DimensionName]] = []
        for names in own where !groupings.contains(names) { groupings.append(names) }
        return PublicPlan.ProvedFirsts(
            periods: metric.provedPeriods, groupings: groupings, partition: partition,
            layout: try firstsDigest(of: metric, base, derived))
    }

    /// Returns a digest that changes as soon as a metric counts anything else, or in other buckets.
    private func firstsDigest(
        of metric: Metric, _ base: [Dimension], _ derived: [DerivedDimension]
    ) throws(BucketingProblem) -> String {
        let dimensions = try base.map { dimension throws(BucketingProblem) in
            PublicPlan.Dimension(
                name: dimension.name, title: "", field: dimension.field, rule: dimension.rule,
                buckets: try dimension.rule.labels(), partitionsDevices: dimension.partitionsDevices)
        }
        let counted = CountedFirsts(
            app: app.name, timeZone: app.timeZone, metric: metric.name, purpose: metric.purpose,
            events: metric.events.sorted(), rotation: purpose(metric.purpose)?.rotation.seconds ?? 0,
            contributionBound: metric.mostContributions, sampling: metric.sampling, dimensions: dimensions,
            derived: derived.map {
                PublicPlan.DerivedDimension(
                    name: $0.name, title: "", of: $0.base, groups: $0.groups, partitionsDevices: $0.partitionsDevices)
            }, impossible: metric.impossible)
        do { return Array(SHA256.hash(data: try JSONEncoder.stable().encode(counted))).prefix(16).lowerHex } catch {
            // Names, labels, whole numbers, and finite ones that the plan's reader checked.
            preconditionFailure("what a metric counts could not be written as JSON: \(error)")
        }
    }

    @ListBuilder<String> func provedFirstsProblems(_ metric: Metric) -> [String] {
        if metric.provesFirsts, let purpose = purpose(metric.purpose), purpose.hasIdentifiers, !purpose.needsProof {
            "'reach' is attested and its purpose '\(metric.purpose)' has 'floor: any'; a first is proved by the "
                + "credential that proves an identifier: write 'floor: attested' in the purpose, or 'reach: true'"
        }
        if metric.provesFirsts, metric.answered != nil {
            "'reach' is attested and the metric has 'answered', which a device says once a period by itself; write "
                + "'reach: true'"
        }
    }

    func provedFirstsAdvice(_ metric: Metric) -> String? {
        guard metric.provesFirsts else { return nil }
        let tracked = Set(groupingNames(of: metric).map { $0.filter { dimension($0)?.partitionsDevices != true } })
            .count
        let lengths = metric.provedPeriods.count
        return """
            has 'reach: attested': each device proves itself in each cell of \(tracked) \
            grouping\(tracked == 1 ? "" : "s") by \
            \(metric.provedPeriods.map(\.rawValue).joined(separator: " and by ")), \(tracked * lengths) times or more, at \
            about a millisecond each time on either side
            """
    }
}

/// The value of which ``Plan/firstsDigest(of:_:_:)`` takes the digest.
private struct CountedFirsts: Encodable {
    let app: AppName
    let timeZone: String
    let metric: MetricName
    let purpose: PurposeName
    let events: [EventName]
    let rotation: Int64
    let contributionBound: Int
    let sampling: Double
    let dimensions: [PublicPlan.Dimension]
    let derived: [PublicPlan.DerivedDimension]
    let impossible: [ImpossibleCombination]
}
