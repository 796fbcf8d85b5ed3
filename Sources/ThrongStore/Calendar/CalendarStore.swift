package import ThrongPlan

/// The periods: opened by the clock, waiting for their release, or released; as `throng_reporter`.
package struct CalendarStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// The furthest time back in which missed periods are still opened: two months and a grace. Unit: seconds.
    private static let horizon: Int64 = 100 * 86_400

    /// Returns the time range in which a layout was counted; `from` is nil if the start was not noted, `until` if it
    /// still counts.
    package func counted(_ layout: MetricLayout) async throws -> (from: UnixSeconds?, until: UnixSeconds?) {
        let all = try await connection.run(Query.selectCounted(app: layout.app, metric: layout.metric))
        let found = all.first { $0.layout == layout.id } ?? all.first { $0.layout == layout.counted.id }
        return (found?.from, found?.until)
    }

    /// Opens every period up to the one that holds an instant, whether or not anything is counted in it.
    ///
    /// The existence of a release must not depend on data: it would tell an empty day from a day of two devices. The
    /// first period is the one in which the calendar first meets the layout, or an earlier one in which late events
    /// were counted. A layout that no daemon has registered yet has no periods.
    /// - Parameter expires: the first instant in which the metric counts no more.
    package func keepCalendar(of layout: MetricLayout, expires: UnixSeconds, now: UnixSeconds) async throws {
        try await connection.run { session in
            guard let metric = try session.first(Query.findLayout(layout: layout.id)) else { return }
            let met = try session.one(Query.selectPeriods(metric: metric, from: now - Self.horizon))
            let periods = Self.periods(of: layout, from: met.first ?? now, expires: expires, now: now)
            guard periods.count > met.count else { return }
            try session.run(Query.openByCalendar(metric: metric, periods: periods))
            try Self.ensurePartitions(of: layout, periods, session)
        }
    }

    /// Returns the time at which the first open period or rollup of a plan's app is due for release; nil where none is
    /// open.
    package func firstDue(of plan: Plan) async throws -> UnixSeconds? {
        try await connection.run(Query.selectFirstOpenEnds(app: plan.app.name)).map { layout, end in
            try layout.layout().due(periodEnding: end, grace: plan.app.grace)
        }.min()
    }

    /// Returns the starts, from an instant on, of the periods of a kind that an app has releases of.
    package func releasedStarts(
        app: AppName, periodKind: PeriodKind, from: UnixSeconds
    ) async throws -> Set<UnixSeconds> {
        Set(try await connection.run(Query.selectReleasedStarts(app: app, periodKind: periodKind, from: from)))
    }

    /// Creates the partitions of the current period and the next, by the clock like the periods. Every user of the
    /// database can list tables, and a partition that exists only if something was counted would tell them so.
    static func ensurePartitions(of layout: MetricLayout, _ periods: [Period], _ session: Session) throws {
        guard let current = periods.last else { return }
        try session.run(Query.ensurePartitions(kind: layout.period, starts: [current.start, current.end]))
    }

    /// Returns the periods from the one that holds an instant to the current one.
    static func periods(of layout: MetricLayout, from first: UnixSeconds, expires: UnixSeconds, now: UnixSeconds)
        -> [Period]
    {
        guard let calendar = PeriodCalendar(timeZone: layout.timeZone) else { return [] }
        var periods: [Period] = []
        var next = calendar.period(layout.period, containing: max(first, now - horizon))
        while next.start <= now, next.start < expires {
            periods.append(next)
            next = calendar.period(layout.period, containing: next.end)
        }
        return periods
    }
}

extension Query {
    static func selectPeriods(metric: Int64, from: UnixSeconds) -> RowQuery<(first: UnixSeconds?, count: Int64)> {
        RowQuery(release_calendar_select_sql, metric, from) { ($0, $1) }
    }

    static func openByCalendar(metric: Int64, periods: [Period]) -> Statement {
        Statement(release_calendar_insert_sql, metric, periods.map(\.start), periods.map(\.end))
    }

    static func selectFirstOpenEnds(app: AppName) -> RowQuery<(layout: StoredLayout, end: UnixSeconds)> {
        RowQuery(open_period_first_sql, app) { ($0, $1) }
    }

    static func selectReleasedStarts(app: AppName, periodKind: PeriodKind, from: UnixSeconds) -> RowQuery<UnixSeconds> {
        RowQuery(release_starts_sql, app, periodKind, from)
    }

    static func ensurePartitions(kind: PeriodKind, starts: [UnixSeconds]) -> Statement {
        Statement(partition_ensure_sql, kind, starts)
    }
}
