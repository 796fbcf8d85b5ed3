package import ThrongPlan

/// The layout and period of a release, and the other periods concerned.
package struct ReleaseScope: Sendable {
    package let layout: MetricLayout
    package let period: Period
    let source: Source

    enum Source: Sendable {
        /// A period of its own, which is part of coarser ones that are to be released too.
        case counted(rollups: [Period])
        /// The released periods that it is made of.
        case parts
    }

    /// Creates the scope of a counted period; `rollups` are the coarser ones around it that are to be released too.
    package init(_ open: OpenPeriod, rollups: [Period] = []) {
        (layout, period, source) = (open.layout, open.period, .counted(rollups: rollups))
    }

    /// Creates the scope of a coarser period, over the counters of its parts.
    package init(_ rollup: OpenRollup) { (layout, period, source) = (rollup.layout, rollup.period, .parts) }
}

/// A period of one layout that has counters and no release yet.
package struct OpenPeriod: Sendable, Hashable {
    package let layout: MetricLayout
    package let period: Period
}

/// A coarser period that is to be released itself, and whose first parts were released.
package struct OpenRollup: Sendable, Hashable {
    /// The layout of its parts' counters.
    package let layout: MetricLayout
    package let period: Period
    /// True if one of its parts still waits for its own release.
    package let hasOpenParts: Bool
}

/// A period that will be released, and the time it is due.
package struct PendingRelease: Sendable, Hashable {
    package let metric: MetricName
    package let period: Period
    /// The time it is due: see ``MetricLayout/due(periodEnding:grace:)``; of several layouts the last.
    package let due: UnixSeconds
}

extension ReleaseStore {
    /// Returns the periods of a plan's app that have no release yet, the next one due first. Each comes once, however
    /// many layouts were counted in it.
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
            due[place] = max(due[place] ?? .epoch, layout.due(periodEnding: period.end, grace: plan.app.grace))
        }
        let all = due.map { PendingRelease(metric: $0.metric, period: $0.period, due: $1) }
        return all.sorted { ($0.due, $0.period, $0.metric) < ($1.due, $1.period, $1.metric) }
    }
}
