package import ThrongPlan
internal import ThrongPostgres
package import ThrongRelease

/// What a release covers, and what else its making concerns.
package struct ReleaseScope: Sendable {
    /// What the counters mean.
    package let layout: MetricLayout
    /// What they cover.
    package let period: Period
    /// Which metrics count the same events; nil decides the period as if there were none.
    package let ties: EventTies?
    let source: Source

    /// Where its counters are.
    enum Source: Sendable {
        /// In a period of its own, which is part of coarser ones that are to be released too.
        case counted(rollups: [Period])
        /// In the released periods that it is made of.
        case parts
    }

    /// The same as if no other metric counted any of the events.
    var untied: ReleaseScope { ReleaseScope(layout: layout, period: period, ties: nil, source: source) }

    private init(layout: MetricLayout, period: Period, ties: EventTies?, source: Source) {
        (self.layout, self.period, self.ties, self.source) = (layout, period, ties, source)
    }

    /// A period that was counted.
    ///
    /// - Parameter rollups: coarser periods that the period is part of and that are to be released too.
    package init(_ open: OpenPeriod, rollups: [Period] = [], ties: EventTies?) {
        layout = open.layout
        period = open.period
        source = .counted(rollups: rollups)
        self.ties = ties
    }

    /// A coarser period, over the counters of its parts.
    package init(_ rollup: OpenRollup, ties: EventTies?) {
        layout = rollup.layout
        period = rollup.period
        source = .parts
        self.ties = ties
    }
}

/// A period of one layout that has counters and no release yet.
package struct OpenPeriod: Sendable, Hashable {
    /// What its counters mean.
    package let layout: MetricLayout
    /// What they cover.
    package let period: Period

    /// Puts the pair together.
    package init(layout: MetricLayout, period: Period) {
        self.layout = layout
        self.period = period
    }
}

/// A coarser period of which parts were released and that is to be released itself.
package struct OpenRollup: Sendable, Hashable {
    /// What its parts' counters mean.
    package let layout: MetricLayout
    /// What it covers.
    package let period: Period
    /// Whether one of its parts still waits for its own release.
    package let hasOpenParts: Bool
}

/// What came of a decision that was to be released.
package enum ReleaseCommit: Sendable {
    /// It is released, and its period closed for good.
    case released
    /// Another process had released the period, or given it up because the plan no longer asks for it.
    case elsewhere
    /// What it was decided on has changed, so nothing happened. Carries what there is now.
    case changed(ReleaseEvidence)
}

/// A period that will be released, and when.
package struct PendingRelease: Sendable, Hashable {
    /// The metric.
    package let metric: MetricName
    /// What it covers.
    package let period: Period
    /// See ``MetricLayout/due(periodEnding:grace:)``; of several layouts the last.
    package let due: UnixSeconds
}

extension ReleaseStore {
    /// The periods of a plan's app that have no release yet, the next one due first; each once, however many layouts were
    /// counted in it.
    package func pending(of plan: Plan) async throws -> [PendingRelease] {
        struct Place: Hashable {
            let metric: MetricName
            let period: Period
        }
        let open = try await openPeriods(app: plan.app.name).map { ($0.layout, $0.period) }
        let rollups = try await openRollups(app: plan.app.name).map { ($0.layout, $0.period) }
        var due: [Place: UnixSeconds] = [:]
        for (layout, period) in open + rollups {
            let place = Place(metric: layout.metric, period: period)
            due[place] = max(
                due[place] ?? .epoch, layout.due(periodEnding: period.end, grace: plan.app.grace))
        }
        let all = due.map { PendingRelease(metric: $0.metric, period: $0.period, due: $1) }
        return all.sorted { ($0.due, $0.period, $0.metric) < ($1.due, $1.period, $1.metric) }
    }
}
