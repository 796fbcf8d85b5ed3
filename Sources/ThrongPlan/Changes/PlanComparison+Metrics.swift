extension PlanComparison {
    mutating func compareMetrics() throws {
        var renamed: Set<MetricName> = []
        for metric in new.metrics {
            guard let before = old.metric(metric.name) else {
                let counted = new.counted(by: metric).happenings
                let former = old.metrics.first {
                    new.metric($0.name) == nil && old.counted(by: $0).happenings == counted
                }
                noteNew(metric, renamedFrom: former?.name)
                if let former { renamed.insert(former.name) }
                continue
            }
            try compare(metric, before)
        }
        for metric in old.metrics where new.metric(metric.name) == nil && !renamed.contains(metric.name) {
            note(
                .tightens, "metric '\(metric.name)'",
                "counts no more; what it counted is released and kept on its own terms", purpose: metric.purpose)
        }
    }

    private mutating func noteNew(_ metric: Metric, renamedFrom name: MetricName?) {
        let subject = "metric '\(metric.name)'"
        if let name, let before = old.metric(name) {
            note(
                .splits, subject,
                "counts what '\(name)' counted, in new counters; the period under way is released in two parts",
                purpose: metric.purpose)
            compareContents(metric, before, subject)
        } else {
            note(.widens, subject, "is new", purpose: metric.purpose)
        }
    }

    private mutating func compare(_ now: Metric, _ before: Metric) throws {
        let subject = "metric '\(now.name)'"
        if try isSplit(now, before) {
            note(
                .splits, subject, "gets new counters; the period under way is released in two parts",
                purpose: now.purpose)
        }
        compareContents(now, before, subject)
    }

    func isSplit(_ now: Metric, _ before: Metric) throws -> Bool {
        try old.layout(of: before, rules: rules) != new.layout(of: now, rules: rules)
    }

    private mutating func compareContents(_ now: Metric, _ before: Metric, _ subject: String) {
        let purpose = now.purpose
        noteWords(
            subject,
            [
                words("metrics.\(now.name).title", before.title, now.title),
                words("metrics.\(now.name).question", before.question, now.question),
                ("decision", before.decision, now.decision), ("owner", before.owner, now.owner),
            ])
        if before.purpose != now.purpose {
            note(.widens, subject, "is counted for '\(now.purpose)' instead of '\(before.purpose)'", purpose: purpose)
        }
        noteSet(subject, before.events, now.events, purpose: purpose) { event, isNew in
            isNew ? "counts '\(event)', too" : "counts '\(event)' no more"
        }
        noteSet(
            subject, old.cubeDimensions(of: before).map(\.name), new.cubeDimensions(of: now).map(\.name),
            purpose: purpose
        ) { name, isNew in isNew ? "is split by '\(name)', too" : "is split by '\(name)' no more" }
        compareShown(now, before, subject)
        compareMeasures(now, before, subject)
        compareThresholds(now, before, subject)
        compareDecay(now, before, subject)
        noteSize(subject, before.expires, now.expires, purpose: purpose, widensBy: true) { old, new in
            "counts until \(new) instead of \(old)"
        }
    }

    /// Compares groupings over dimensions that both have, and periods.
    private mutating func compareShown(_ now: Metric, _ before: Metric, _ subject: String) {
        let (mine, its) = (new.cubeDimensions(of: now).map(\.name), old.cubeDimensions(of: before).map(\.name))
        func known(_ kept: [DimensionName], _ plan: Plan) -> Bool {
            kept.allSatisfy { name in
                let base = plan.derivedDimension(name)?.base ?? name
                return mine.contains(base) && its.contains(base)
            }
        }
        func names(_ plan: Plan, _ metric: Metric) -> [String] {
            plan.groupingNames(of: metric).filter { !$0.isEmpty && known($0, plan) }
                .map { $0.map(\.text).joined(separator: " × ") }
        }
        noteSet(subject, names(old, before), names(new, now), purpose: now.purpose) { grouping, isNew in
            isNew ? "numbers by \(grouping) are published, too" : "numbers by \(grouping) are published no more"
        }
        noteSize(subject, before.period, now.period, purpose: now.purpose, widensBy: false) { old, new in
            "counts by \(new.rawValue) instead of by \(old.rawValue)"
        }
        noteSet(
            subject, before.rollups, now.rollups, purpose: now.purpose, came: .runs, went: .runs
        ) { kind, isNew in
            isNew
                ? "is released by \(kind.rawValue), too"
                : "is released by \(kind.rawValue) no more"
        }
    }

    private mutating func compareMeasures(_ now: Metric, _ before: Metric, _ subject: String) {
        let purpose = now.purpose
        noteSet(subject, before.sums.map(\.name), now.sums.map(\.name), purpose: purpose) { sum, isNew in
            isNew ? "adds up '\(sum)', too" : "adds up '\(sum)' no more"
        }
        for sum in now.sums {
            guard let former = before.sums.first(where: { $0.name == sum.name }), former != sum else { continue }
            let isNarrower =
                former.field == sum.field && sum.lowest >= former.lowest && sum.highest <= former.highest
                && sum.decimals <= former.decimals
            note(
                isNarrower ? .tightens : .widens, subject,
                "'\(sum.name)' is clipped to \(PlanNumber.text(sum.lowest)) to \(PlanNumber.text(sum.highest)) with "
                    + "\(sum.decimals) decimals of '\(sum.field)'", purpose: purpose)
        }
        if let histogram = now.histogram, let former = before.histogram, histogram.name == former.name,
            histogram.edges != former.edges || histogram.field != former.field
        {
            let isCoarser = histogram.field == former.field && Set(histogram.edges).isSubset(of: former.edges)
            note(
                isCoarser ? .tightens : .widens, subject,
                isCoarser ? "its histogram has fewer edges" : "its histogram has other edges", purpose: purpose)
        }
        func device(_ metric: Metric) -> Int {
            metric.provesFirsts ? 3 : metric.countsFirsts ? 2 : metric.reach ? 1 : 0
        }
        noteSize(subject, device(before), device(now), purpose: purpose, widensBy: true) { _, new in
            [
                "publishes no numbers of devices", "publishes numbers of devices", "asks devices what is their first",
                "asks devices to prove what is their first",
            ][new]
        }
        if now.within != before.within, now.within != nil {
            note(.widens, subject, "measures otherwise what an identifier did in its window", purpose: purpose)
        }
        if now.answered != before.answered {
            note(
                now.answered == nil ? .tightens : .widens, subject,
                now.answered == nil ? "asks devices for no answer any more" : "asks devices for another answer",
                purpose: purpose)
        }
        let isOfEvents = new.purpose(now.purpose)?.hasIdentifiers == false
        let wasOfEvents = old.purpose(before.purpose)?.hasIdentifiers == false
        noteSize(subject, before.contributionBound, now.contributionBound, purpose: purpose, widensBy: true) {
            old, new in
            isOfEvents
                ? "an event counts \(new) at most; \(wasOfEvents ? "it was" : "an identifier had") \(old)"
                : "an identifier adds \(new) at most in a window instead of \(old)"
        }
        noteSize(subject, before.sampling, now.sampling, purpose: purpose, widensBy: true) { old, new in
            "clients send \(PlanNumber.text(new * 100)) % of its events instead of \(PlanNumber.text(old * 100)) %"
        }
        if now.impossible != before.impossible { note(.runs, subject, "other combinations are refused") }
    }

    private mutating func compareThresholds(_ now: Metric, _ before: Metric, _ subject: String) {
        // An app's k is said of the app.
        guard now.threshold > new.app.threshold || before.threshold > old.app.threshold else { return }
        noteSize(subject, before.threshold, now.threshold, purpose: now.purpose, widensBy: false) { old, new in
            "a number stands for \(new.devices) devices instead of \(old.devices), " + Self.whenHeld(isMore: new > old)
        }
    }

    private mutating func compareDecay(_ now: Metric, _ before: Metric, _ subject: String) {
        func ages(_ metric: Metric) -> [DecayStep.Action: Duration] {
            Dictionary(metric.decay.map { ($0.action, $0.after) }, uniquingKeysWith: min)
        }
        let (mine, its) = (ages(now), ages(before))
        for step in now.decay {
            let words = step.action.words
            guard let former = its[step.action] else {
                note(.tightens, subject, "after \(step.after.planText) \(words)", purpose: now.purpose)
                continue
            }
            noteSize(subject, former, step.after, purpose: now.purpose, widensBy: true) { old, new in
                "after \(new.planText) instead of \(old.planText) \(words)"
                    + (new > old ? ", of what is counted from now on" : "")
            }
        }
        for step in before.decay where mine[step.action] == nil {
            note(
                .widens, subject,
                "it is no longer so that after \(step.after.planText) \(step.action.words); of what was counted it is",
                purpose: now.purpose)
        }
    }
}

extension DecayStep.Action {
    /// The numbers that go, as the end of a sentence.
    fileprivate var words: String {
        switch self {
        case .drop(let name): "numbers by '\(name)' go"
        case .coarsen(let name, to: let coarse): "numbers by '\(name)' go, and those by '\(coarse)' stay"
        case .keep(let kind): "numbers of periods shorter than a \(kind.rawValue) go"
        case .keepTotals: "all splits go"
        case .delete: "all of its numbers go"
        }
    }
}
