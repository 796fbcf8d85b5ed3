package import ThrongPlan
package import ThrongPostgres

/// Which periods there are: opened by the clock, waiting for their release, or released.
///
/// Works as `throng_reporter`.
package struct CalendarStore: Sendable {
    private let connection: Connection

    /// Works over a connection as `throng_reporter` that others may share.
    package init(_ connection: Connection) { self.connection = connection }

    /// How far back periods are opened that nobody opened in time: two months and a grace. Unit: seconds.
    private static let horizon: Int64 = 100 * 86_400

    /// From when and until when a layout was counted; nil is before anybody kept that, and to this day.
    package func counted(_ layout: MetricLayout) async throws -> (from: UnixSeconds?, until: UnixSeconds?) {
        try await connection.run { session in
            let all = try session.run(SelectCounted(app: layout.app, metric: layout.metric))
            let found = all.first { $0.layout == layout.id } ?? all.first { $0.layout == layout.counted.id }
            return (found?.from, found?.until)
        }
    }

    /// Opens every period up to the one that holds an instant, whether or not anything is counted in it.
    ///
    /// A release that exists only where somebody was there tells an empty day from a day of two devices. The first
    /// period is the one in which the calendar first meets the layout, or an earlier one in which late events were
    /// counted. A layout that no daemon has registered yet has no periods.
    /// - Parameters:
    ///   - expires: the first instant in which the metric counts no more.
    package func keepCalendar(of layout: MetricLayout, expires: UnixSeconds, now: UnixSeconds) async throws {
        try await connection.run { session in
            guard let metric = try session.first(FindLayout(layout: layout.id)) else { return }
            let met = try session.one(SelectPeriods(metric: metric, from: now - Self.horizon))
            let periods = Self.periods(of: layout, from: met.first ?? now, expires: expires, now: now)
            guard periods.count > met.count else { return }
            try session.run(OpenByCalendar(metric: metric, periods: periods))
            try Self.ensurePartitions(of: layout, periods, session)
        }
    }

    /// When the first period or rollup of a plan's app is due that waits for its release; nil where none does.
    package func firstDue(of plan: Plan) async throws -> UnixSeconds? {
        try await connection.run { session in
            try session.run(SelectFirstOpenEnds(app: plan.app.name)).map { layout, end in
                try layout.layout().due(periodEnding: end, grace: plan.app.grace)
            }.min()
        }
    }

    /// When the periods of a kind start of which an app has releases, from an instant on.
    package func releasedStarts(app: AppName, periodKind: PeriodKind, from: UnixSeconds) async throws -> Set<
        UnixSeconds
    > {
        try await connection.run { Set(try $0.run(SelectReleasedStarts(app: app, periodKind: periodKind, from: from))) }
    }

    /// Makes the partitions of the current period and the next, by the clock like the periods: every user of the database
    /// can list tables, and one that is there only because something was counted would tell them so.
    static func ensurePartitions(of layout: MetricLayout, _ periods: [Period], _ session: Session) throws {
        guard let current = periods.last else { return }
        try session.run(EnsurePartitions(kind: layout.period, starts: [current.start, current.end]))
    }

    /// The periods from the one that holds an instant to the current one.
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
