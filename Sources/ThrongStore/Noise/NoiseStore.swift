package import ThrongPlan
internal import ThrongPostgres

/// The way of noisy releases to PostgreSQL: opens their periods by the calendar, pays, draws once, publishes.
///
/// Works on a ``ReleaseStore``'s connection, as `throng_reporter`.
package struct NoiseStore: Sendable {
    let connection: Connection

    /// Shares a release store's connection.
    package init(_ releases: ReleaseStore) { connection = releases.connection }

    /// Opens every period up to the one that holds an instant, whether or not anything is counted in it.
    ///
    /// The first is the one in which the layout was first registered, and the metric became noisy; a period in which it was
    /// still counted exactly stays exact. What is dated before counts into the open period. A layout that no daemon has registered yet has no periods.
    /// - Parameters:
    ///   - expires: the first instant in which the metric counts no more. Unit: Unix seconds.
    ///   - now: Unit: Unix seconds.
    package func keepCalendar(of layout: MetricLayout, expires: Int64, now: Int64) async throws {
        try await connection.run { session in
            let known = try session.query(Query.selectLayout([.bytes(layout.id.bytes)]))
            guard known.count == 1 else { return }
            let metric = try known.integer(0, 0)
            let name: [Parameter] = [.text(layout.app.text), .text(layout.metric.text), layout.period.parameter]
            let last = try session.query(Query.selectLastNoisy(name + [.integer(metric)]))
            let first = last.isNull(0, 0) ? min(now, try last.integer(0, 1)) : try last.integer(0, 0)
            let periods = ReleaseStore.periods(of: layout, from: first, expires: expires, now: now)
            guard !periods.isEmpty else { return }
            let opened = try session.query(
                Query.openNoisy(
                    name + [.integer(metric), .integers(periods.map(\.start)), .integers(periods.map(\.end))]))
            if opened.count > 0 { try ReleaseStore.ensurePartitions(of: layout, periods, session) }
        }
    }

    /// How an open period is to be released.
    package enum Standing: Sendable, Hashable {
        /// Exactly, with small cells withheld.
        case exact
        /// With noise, and this layout is the one that was in force when the period began.
        case noisy
        /// Not at all: another layout of the metric is released for this period, in the other way or with its noise.
        case displaced
    }

    /// How an open period is to be released: exactly or with noise, never both, never changed.
    package func standing(of open: OpenPeriod) async throws -> Standing {
        try await connection.run { session in
            let rows = try session.query(Query.selectKind(Self.key(open.layout, open.period)))
            let isNoisy = rows.count == 1 ? try rows.integer(0, 0) == 1 : false
            guard open.layout.noise != nil else { return isNoisy ? .displaced : .exact }
            guard isNoisy else { return .displaced }
            let metric = try ReleaseStore.metricID(of: open.layout, session)
            return try rows.integer(0, 1) == metric ? .noisy : .displaced
        }
    }

    /// Whether a metric's period is released with noise or not at all. One that was and is neither open nor released has no
    /// release, and never will.
    package func isNoisy(_ metric: MetricName, of app: AppName, in period: Period) async throws -> Bool {
        try await connection.run { session in
            let rows = try session.query(
                Query.selectKind(
                    [.text(app.text), .text(metric.text), period.kind.parameter, period.start.parameter]))
            return rows.count == 1 ? try rows.integer(0, 0) == 1 : false
        }
    }

    /// Closes a period for good without any release: its counters stay unread.
    package func discard(_ open: OpenPeriod) async throws {
        try await connection.run { session in
            let metric = try ReleaseStore.metricID(of: open.layout, session)
            try session.transaction {
                try Self.close(open.period, metric, session)
                try Self.settle(open.period, metric, session)
            }
        }
    }
}

extension NoiseStore {
    /// What names a release over all layouts.
    static func key(_ layout: MetricLayout, _ period: Period) -> [Parameter] {
        [.text(layout.app.text), .text(layout.metric.text), period.kind.parameter, period.start.parameter]
    }

    /// Waits for the flushes under way; later ones count elsewhere.
    static func close(_ period: Period, _ metric: Int64, _ session: Session) throws {
        try session.query(Query.lockMetric([.integer(metric)]))
        try session.query(Query.closePeriod([.integer(metric), period.start.parameter, period.end.parameter]))
    }

    /// Takes a period off the list of open ones, with what was only known for its release.
    static func settle(_ period: Period, _ metric: Int64, _ session: Session) throws {
        try ReleaseStore.deleteDistinct(period, metric, session)
        try session.query(Query.deleteOpenPeriod([.integer(metric), period.start.parameter]))
    }
}
