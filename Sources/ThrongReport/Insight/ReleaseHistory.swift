package import ThrongPlan
package import ThrongRelease

/// The releases of one metric that one report reads: that of its own period, and those that had been made by then.
///
/// A release that came later is not part of it, although its period may be earlier: so a report says the same whenever
/// it is made.
package struct ReleaseHistory: Sendable {
    package let current: Release
    /// The releases of other periods of the same kind; what is not needed is not read.
    package let earlier: [Release]
    /// The start of the first period of which the metric was ever released.
    package let began: UnixSeconds
    /// Earlier periods whose numbers the plan promised to others only.
    package let unnamed: Set<Period>

    package init(current: Release, earlier: [Release] = [], began: UnixSeconds? = nil, unnamed: Set<Period> = []) {
        (self.current, self.earlier, self.unnamed) = (current, earlier, unnamed)
        self.began = began ?? ([current] + earlier).map(\.header.period.start).min() ?? current.header.period.start
    }

    /// The release of an earlier period that can be compared with the current one, or why there is none.
    package func release(of period: Period, for insight: Insight) -> (release: Release?, absence: Absence) {
        if period == current.header.period { return (current, .notReleased) }
        if unnamed.contains(period) { return (nil, .unnamed) }
        let candidates = earlier.filter { $0.header.period == period }
        guard let last = candidates.last else { return (nil, period.start < began ? .beganLater : .notReleased) }
        for candidate in candidates where current.header.difference(from: candidate.header, for: insight) == nil {
            return (candidate, .notReleased)
        }
        return (nil, current.header.difference(from: last.header, for: insight).map { .changed($0) } ?? .notReleased)
    }
}

extension ReleaseHeader {
    /// Returns the difference that keeps the numbers of an insight from being compared with an earlier release's; nil
    /// where they are the same thing counted in the same way.
    package func difference(from earlier: ReleaseHeader, for insight: Insight) -> Absence.Difference? {
        let old = earlier.layout
        if let events, let before = earlier.events, events != before { return .events }
        if sampling != earlier.sampling { return .sampling }
        if layout.purpose != old.purpose || layout.rotation != old.rotation { return .identifiers }
        if layout.contributionBound != old.contributionBound { return .contribution }
        let isKnownAlike = hasFirsts == earlier.hasFirsts && provesFirsts == earlier.provesFirsts
        if !isKnownAlike, insight.kind.counts == .devices { return .devices }
        // Values are of all who send, proved or not.
        if layout.floor != old.floor, insight.kind.counts == .devices || layout.within != nil { return .devices }
        if case .mean(let name) = insight.kind,
            layout.sums.first(where: { $0.name == name }) != old.sums.first(where: { $0.name == name })
        {
            return .sum
        }
        return insight.usedDimensions.allSatisfy { layout.splits($0, as: old) } ? nil : .buckets
    }
}

extension MetricLayout {
    fileprivate func splits(_ name: DimensionName, as other: MetricLayout) -> Bool {
        guard let mine = dimensions.first(where: { $0.name == name }),
            let theirs = other.dimensions.first(where: { $0.name == name }), mine.isSplit(as: theirs),
            mine.coarsening?.buckets == theirs.coarsening?.buckets
        else { return false }
        guard let base = mine.coarsening?.place, let otherBase = theirs.coarsening?.place else { return true }
        return dimensions[base].isSplit(as: other.dimensions[otherBase])
    }
}

extension Insight {
    /// The dimensions whose buckets the numbers of a count, reach, share or mean depend on.
    var usedDimensions: [DimensionName] {
        guard case .share(_, let part?) = kind else { return by + filters.map(\.dimension) }
        return by + filters.map(\.dimension) + [part.dimension]
    }
}

extension Insight {
    /// The periods besides a report's own whose releases the insight reads, the latest first.
    package func earlierPeriods(of period: Period, in calendar: PeriodCalendar) -> [Period] {
        switch view {
        case .table, .ranking: return []
        case .change(let references): return references.map { $0.period(of: period, in: calendar) }
        case .trend(let periods):
            var all: [Period] = []
            var next = period
            for _ in 1..<max(periods, 1) {
                next = Reference.periodBefore.period(of: next, in: calendar)
                all.append(next)
            }
            return all
        }
    }
}
