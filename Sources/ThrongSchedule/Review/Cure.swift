internal import ThrongInsight
internal import ThrongPlan

/// What an operator could change in the plan so that releases show more.
package struct Cure: Sendable, Hashable, Encodable {
    /// What is changed.
    package enum Kind: String, Sendable, Hashable, Encodable {
        /// A dimension has fewer buckets.
        case merge
        /// A grouping is no more shown, or a coarser one is.
        case leaveOut = "leave_out"
        /// A grouping is shown by a coarser dimension.
        case coarsen
        /// Metrics of the same events tell less of one another.
        case untie
        /// A metric counts longer periods.
        case longer
    }

    /// What is changed.
    package let kind: Kind
    /// What to do and why, in a sentence or two.
    package let sentence: String
    /// The publishable events that are withheld now and could be shown, at most; an event counts once in each grouping. Unit:
    /// events; nil where nobody knows any more.
    package let events: Int64?
}

/// Says in the plan's terms what would help.
struct CureSentences {
    let plan: Plan
    let metric: MetricName

    /// `Put ChromeOS of os into other: leave it out of its list`.
    ///
    /// - Parameter companions: what has to go with it, so that `other` is not small itself.
    func merging(_ bucket: BucketLabel, with companions: [BucketLabel], of name: DimensionName) -> String {
        let buckets = ([bucket] + companions).filter { $0 != .other }.map(\.text)
        guard !buckets.isEmpty else { return "Give \(name) fewer buckets" }
        let them = buckets.count == 1 ? "it" : "them"
        let verb = "Put \(buckets.listed) of \(name) into other"
        if let derived = plan.derivedDimension(name) {
            return "\(verb): leave \(them) out of the groups of \(derived.name)"
        }
        let counted = plan.metric(metric)
        if counted?.within?.name == name {
            return "Give \(name) fewer buckets, so that \(bucket) is part of a larger one"
        }
        let rule = counted.flatMap { plan.cubeDimensions(of: $0) }?.first { $0.name == name }?.rule
        switch rule {
        case .list, .version, .language, .region, .host, .route:
            return "\(verb): leave \(them) out of its list"
        case .browser, .operatingSystem:
            return "\(verb): list the families that it shows, without \(them)"
        case .bands, .powers, .significantFigures, .screen, .time, .utcOffset:
            return "Join \(bucket) of \(name) with the bucket beside it: give it wider bands"
        case .revealed:
            return "Let \(name) learn fewer values (`revealed: {most: \u{2026}}`), or split by less beside it"
        case .deviceClass, .fileType, nil:
            return "Show a dimension made of \(name) (`of: \(name)`) whose groups leave \(buckets.listed) out"
        }
    }

    /// `Leave os × country out, or show area instead of country`.
    func leavingOut(_ dimensions: [DimensionName]) -> String {
        "Leave \(Self.name(dimensions)) out, or show \(coarser(than: dimensions))"
    }

    /// `In os × country show area instead of country`.
    func coarsening(_ dimensions: [DimensionName]) -> String {
        "In \(Self.name(dimensions)) show \(coarser(than: dimensions)), or leave it out"
    }

    /// `Pages and searches count some of the same events …: count these events in one metric, or split those by less`.
    var untying: String {
        let tied = plan.metric(metric).map { plan.metrics(tiedTo: $0).map(\.name.text) } ?? []
        guard !tied.isEmpty else {
            return
                "With what was published of metrics that share events with it, or of its other periods, this would give a "
                + "small number away: split these by less, or release fewer lengths of time (`rollups`)."
        }
        return
            "\(tied.listed.sentenceCased) \(tied.count == 1 ? "counts" : "count") some of the same events, and with what was "
            + "published of them this would give a small number away: count these events in one metric, or split them by "
            + "less there (`throng plan check` says what is shared)."
    }

    private static func name(_ dimensions: [DimensionName]) -> String {
        dimensions.map(\.text).joined(separator: " \u{00d7} ")
    }

    /// `area instead of country`, where the plan has one; else how to get one.
    private func coarser(than dimensions: [DimensionName]) -> String {
        let own = plan.metric(metric).map { plan.derivedDimensions(of: $0) } ?? []
        let known = dimensions.compactMap { name in
            (own + plan.derivedDimensions).first { $0.base == name }.map { "\($0.name) instead of \(name)" }
        }
        return known.first ?? "a coarser dimension (`of: \(dimensions.last?.text ?? "")`)"
    }

    /// `Count days instead of hours`; nil where nothing is longer.
    func longer(than kind: PeriodKind) -> String? {
        let next: PeriodKind
        switch kind {
        case .hour: next = .day
        case .day: next = .week
        case .week: next = .month
        case .month: return nil
        }
        return "count \(next.rawValue)s instead of \(kind.rawValue)s (`period: \(next.rawValue)`)"
    }
}
