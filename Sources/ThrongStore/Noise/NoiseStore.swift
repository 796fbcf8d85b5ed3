package import ThrongNoise
package import ThrongPlan
internal import ThrongPostgres

/// The way of noisy releases to PostgreSQL: opens their periods by the calendar, pays, draws once, publishes.
///
/// Works on a ``ReleaseStore``'s connection, as `throng_reporter`.
package struct NoiseStore: Sendable {
    let connection: Connection
    /// What draws are derived from; nil draws by chance alone, and a restored database draws again.
    let secret: DrawSecret?

    /// Shares a release store's connection.
    package init(_ releases: ReleaseStore, secret: DrawSecret? = nil) {
        connection = releases.connection
        self.secret = secret
    }

    /// Opens every period up to the one that holds an instant, whether or not anything is counted in it.
    ///
    /// The first is the one in which the layout was first registered, and the metric became noisy; a period in which it was
    /// still counted exactly stays exact. What is dated before counts into the open period. A layout that no daemon has registered yet has no periods.
    /// - Parameters:
    ///   - expires: the first instant in which the metric counts no more.
    package func keepCalendar(of layout: MetricLayout, expires: UnixSeconds, now: UnixSeconds) async throws {
        try await connection.run { session in
            guard let metric = try session.first(FindLayout(layout: layout.id)) else { return }
            let (last, met) = try session.one(SelectLastNoisyPeriod(metric: metric, layout: layout))
            let periods = CalendarStore.periods(of: layout, from: last ?? min(now, met), expires: expires, now: now)
            guard !periods.isEmpty else { return }
            let opened = try session.run(OpenNoisyPeriods(metric: metric, layout: layout, periods: periods))
            if opened > 0 { try CalendarStore.ensurePartitions(of: layout, periods, session) }
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
            let asked = SelectReleaseKind(app: open.layout.app, metric: open.layout.metric, period: open.period)
            let kind = try session.first(asked) ?? .exact
            guard open.layout.noise != nil else { return kind == .exact ? .exact : .displaced }
            guard case .noisy(let metric) = kind else { return .displaced }
            return try session.metricID(of: open.layout) == metric ? .noisy : .displaced
        }
    }

    /// Whether a metric's period is released with noise or not at all. One that was and is neither open nor released has no
    /// release, and never will.
    package func isNoisy(_ metric: MetricName, of app: AppName, in period: Period) async throws -> Bool {
        try await connection.run { session in
            let kind = try session.first(SelectReleaseKind(app: app, metric: metric, period: period))
            return kind != nil && kind != .exact
        }
    }

    /// Closes a period for good without any release: its counters stay unread.
    package func discard(_ open: OpenPeriod) async throws {
        try await connection.run { session in
            let metric = try session.metricID(of: open.layout)
            try session.transaction {
                try Self.close(open.period, metric, session)
                try Self.settle(open.period, metric, session)
            }
        }
    }
}

extension NoiseStore {
    /// Waits for the flushes under way; later ones count elsewhere.
    static func close(_ period: Period, _ metric: Int64, _ session: Session) throws {
        try session.run(LockMetric(metric: metric))
        try session.run(HoldCounters())
        try session.run(ClosePeriod(metric: metric, period: period))
    }

    /// Takes a period off the list of open ones, with what was only known for its release.
    static func settle(_ period: Period, _ metric: Int64, _ session: Session) throws {
        try ReleaseStore.deleteDistinct(period, metric, session)
        try session.run(DeleteOpenPeriod(metric: metric, period: period))
    }
}
