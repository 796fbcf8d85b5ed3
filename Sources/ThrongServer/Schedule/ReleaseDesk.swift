internal import Logging
public import ThrongPlan
internal import ThrongRelease
public import ThrongStore

/// Makes releases that are due: once per metric and period, after the period has closed and its grace is over.
public struct ReleaseDesk: Sendable {
    private let store: ReleaseStore
    private let rules: UserAgentRules

    /// A release that was made just now.
    public struct Made: Sendable {
        /// The metric.
        public let metric: MetricName
        /// What it covers.
        public let period: Period
        /// Numbers that were published.
        public let published: Int
        /// Numbers of its margins that were withheld, zeros among them.
        public let withheld: Int
    }

    /// Releases through a store.
    public init(store: ReleaseStore, rules: UserAgentRules) {
        self.store = store
        self.rules = rules
    }

    /// Releases what is due of a plan's app.
    ///
    /// - Parameters:
    ///   - now: Unix seconds.
    ///   - only: a period to confine it to.
    ///   - ignoringGrace: whether a period is due as soon as it is over.
    public func releaseDue(
        of plan: Plan, now: Int64, only: Period? = nil, ignoringGrace: Bool = false
    ) async throws -> [Made] {
        let grace = ignoringGrace ? 0 : plan.app.grace.components.seconds
        var made: [Made] = []
        for open in try await store.openPeriods(app: plan.app.name) {
            guard open.period.end + grace <= now, only == nil || only == open.period else { continue }
            let header = try header(of: open, plan: plan)
            let release = try await store.release(open.layout, open.period) { Release(of: $0, header: header) }
            guard let release else { continue }
            let numbers = header.groupings.reduce(0) { $0 + open.layout.size(of: $1) }
            made.append(
                Made(
                    metric: open.layout.metric,
                    period: open.period,
                    published: release.cells.count,
                    withheld: numbers - release.cells.count))
        }
        return made
    }

    /// What a release says about itself. A layout that the plan no longer has shows what was tracked for it.
    private func header(of open: OpenPeriod, plan: Plan) throws -> ReleaseHeader {
        if let metric = plan.metric(open.layout.metric) {
            if try plan.layout(of: metric, rules: rules) == open.layout {
                return ReleaseHeader(plan: plan, metric: metric, layout: open.layout, period: open.period)
            }
        }
        let metric = plan.metric(open.layout.metric)
        return ReleaseHeader(
            layout: open.layout,
            period: open.period,
            plan: plan.version,
            threshold: max(metric?.threshold ?? plan.app.threshold, plan.app.threshold),
            sampling: metric?.sampling ?? 1,
            reach: metric?.reach ?? false,
            groupings: Set(open.layout.trackedMargins + [.total]).sorted())
    }
}
