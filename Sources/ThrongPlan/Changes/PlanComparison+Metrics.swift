extension PlanComparison {
    mutating func compareMetrics() throws {
        var renamed: Set<MetricName> = []
        for metric in new.metrics {
            let part = Part("metric '\(metric.name)'", of: metric.purpose)
            if let before = old.metric(metric.name) {
                if try isSplit(metric, before) {
                    note(.splits, part, "gets new counters; the period under way is released in two parts")
                }
                compareContents(metric, before, part)
                continue
            }
            let counted = new.counted(by: metric).kinds
            let former = old.metrics.first { new.metric($0.name) == nil && old.counted(by: $0).kinds == counted }
            guard let former else {
                note(.widens, part, "is new")
                continue
            }
            renamed.insert(former.name)
            note(
                .splits, part,
                "counts what '\(former.name)' counted, in new counters; the period under way is released in two parts")
            compareContents(metric, former, part)
        }
        for metric in old.metrics where new.metric(metric.name) == nil && !renamed.contains(metric.name) {
            note(
                .tightens, Part("metric '\(metric.name)'", of: metric.purpose),
                "counts no more; what it counted is released and kept on its own terms")
        }
    }

    func isSplit(_ now: Metric, _ before: Metric) throws -> Bool {
        try old.layout(of: before, rules: rules) != new.layout(of: now, rules: rules)
    }

    private mutating func compareContents(_ now: Metric, _ before: Metric, _ part: Part) {
        noteWords(
            part,
            [
                words("metrics.\(now.name).title", before.title, now.title),
                words("metrics.\(now.name).question", before.question, now.question),
                ("noun", old.nounWords(of: before), new.nounWords(of: now)),
                ("decision", before.decision, now.decision), ("owner", before.owner, now.owner),
            ])
        noteChange(
            .widens, part, before.purpose, now.purpose,
            "is counted for '\(now.purpose)' instead of '\(before.purpose)'")
        noteSet(part, before.events, now.events) { event, isNew in
            isNew ? "counts '\(event)', too" : "counts '\(event)' no more"
        }
        noteSet(part, old.cubeDimensions(of: before).map(\.name), new.cubeDimensions(of: now).map(\.name)) {
            name, isNew in isNew ? "is split by '\(name)', too" : "is split by '\(name)' no more"
        }
        compareShown(now, before, part)
        compareMeasures(now, before, part)
        // An app's k is said of the app.
        if now.threshold > new.app.threshold || before.threshold > old.app.threshold {
            noteThreshold(part, before.threshold, now.threshold)
        }
        compareDecay(now, before, part)
        noteSize(part, before.expires, now.expires, widensBy: true) { old, new in
            "counts until \(new) instead of \(old)"
        }
    }

    /// Compares groupings over dimensions that both have, and periods.
    private mutating func compareShown(_ now: Metric, _ before: Metric, _ part: Part) {
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
        noteSet(part, names(old, before), names(new, now)) { grouping, isNew in
            isNew ? "numbers by \(grouping) are published, too" : "numbers by \(grouping) are published no more"
        }
        noteSize(part, before.period, now.period, widensBy: false) { old, new in
            "counts by \(new.rawValue) instead of by \(old.rawValue)"
        }
        noteSet(part, before.rollups, now.rollups, came: .runs, went: .runs) { kind, isNew in
            isNew ? "is released by \(kind.rawValue), too" : "is released by \(kind.rawValue) no more"
        }
    }

    private mutating func compareMeasures(_ now: Metric, _ before: Metric, _ part: Part) {
        noteSet(part, before.sums.map(\.name), now.sums.map(\.name)) { sum, isNew in
            isNew ? "adds up '\(sum)', too" : "adds up '\(sum)' no more"
        }
        for sum in now.sums {
            guard let former = before.sums.first(where: { $0.name == sum.name }), former != sum else { continue }
            let isNarrower =
                former.field == sum.field && sum.lowest >= former.lowest && sum.highest <= former.highest
                && sum.decimals <= former.decimals
            let bounds = "\(PlanNumber.text(sum.lowest)) to \(PlanNumber.text(sum.highest))"
            note(
                isNarrower ? .tightens : .widens, part,
                "'\(sum.name)' is clipped to \(bounds) with \(sum.decimals) decimals of '\(sum.field)'")
        }
        if let histogram = now.histogram, let former = before.histogram, histogram.name == former.name,
            histogram.edges != former.edges || histogram.field != former.field
        {
            note(
                part, isLess: histogram.field == former.field && Set(histogram.edges).isSubset(of: former.edges),
                "its histogram has fewer edges", else: "its histogram has other edges")
        }
        func device(_ metric: Metric) -> Int {
            metric.provesFirsts ? 3 : metric.countsFirsts ? 2 : metric.reach ? 1 : 0
        }
        noteSize(part, device(before), device(now), widensBy: true) { _, new in
            [
                "publishes no numbers of devices", "publishes numbers of devices", "asks devices what is their first",
                "asks devices to prove what is their first",
            ][new]
        }
        if now.within != before.within, now.within != nil {
            note(.widens, part, "measures otherwise what an identifier did in its window")
        }
        if now.answered != before.answered {
            note(
                part, isLess: now.answered == nil, "asks devices for no answer any more",
                else: "asks devices for another answer")
        }
        let isOfEvents = new.purpose(now.purpose)?.hasIdentifiers == false
        let wasOfEvents = old.purpose(before.purpose)?.hasIdentifiers == false
        noteChange(
            .runs, Part(part.subject), before.choosesBound, now.choosesBound,
            "its bound is \(now.choosesBound ? "chosen by each release" : "fixed")")
        noteSize(part, before.mostContributions, now.mostContributions, widensBy: true) { old, new in
            isOfEvents
                ? "an event counts \(new) at most; \(wasOfEvents ? "it was" : "an identifier had") \(old)"
                : "an identifier adds \(new) at most in a window instead of \(old)"
        }
        noteSize(part, before.sampling, now.sampling, widensBy: true) { old, new in
            "clients send \(PlanNumber.text(new * 100)) % of its events instead of \(PlanNumber.text(old * 100)) %"
        }
        if now.impossible != before.impossible { note(.runs, Part(part.subject), "other combinations are refused") }
    }

    private mutating func compareDecay(_ now: Metric, _ before: Metric, _ part: Part) {
        func ages(_ metric: Metric) -> [DecayStep.Action: Duration] {
            Dictionary(metric.decay.map { ($0.action, $0.after) }, uniquingKeysWith: min)
        }
        let (mine, its) = (ages(now), ages(before))
        for step in now.decay {
            let words = step.action.words
            guard let former = its[step.action] else {
                note(.tightens, part, "after \(step.after.planText) \(words)")
                continue
            }
            noteSize(part, former, step.after, widensBy: true) { old, new in
                "after \(new.planText) instead of \(old.planText) \(words)"
                    + (new > old ? ", of what is counted from now on" : "")
            }
        }
        for step in before.decay where mine[step.action] == nil {
            let words = "after \(step.after.planText) \(step.action.words)"
            note(.widens, part, "it is no longer so that \(words); of what was counted it is")
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

extension Plan {
    fileprivate func nounWords(of metric: Metric) -> String {
        let place = "metrics.\(metric.name).noun"
        return allWords("\(place).one", metric.noun?.one ?? "") + allWords("\(place).many", metric.noun?.many ?? "")
    }
}

extension PlanComparison {
    /// Compares how fields are coarsened, of what metrics use.
    mutating func compareDimensions() {
        for dimension in new.dimensions {
            guard let before = old.dimension(dimension.name) else { continue }
            let parts = parts(of: dimension.name, before.title, dimension.title)
            guard let part = parts.first else { continue }
            if before.field != dimension.field {
                let change = "is made from '\(dimension.field)' instead of '\(before.field)', in the same counters"
                for part in parts { note(.widens, part, change) }
            } else if before.rule != dimension.rule {
                noteGrain(parts, isCoarser: dimension.rule.isCoarser(than: before.rule))
            }
            noteChange(
                .runs, Part(part.subject), before.partitionsDevices, dimension.partitionsDevices,
                dimension.partitionsDevices
                    ? "a device is in one of its buckets only" : "a device may be in several of its buckets")
        }
        for dimension in new.derivedDimensions {
            guard let before = old.derivedDimension(dimension.name) else { continue }
            let parts = parts(of: dimension.name, before.title, dimension.title)
            guard before.base != dimension.base || before.groups != dimension.groups else { continue }
            noteGrain(parts, isCoarser: before.base == dimension.base && Self.isCoarser(dimension, than: before))
        }
    }

    /// Notes another title of a dimension, and returns it as a part of each purpose whose former metrics use it.
    private mutating func parts(of name: DimensionName, _ before: String, _ now: String) -> [Part] {
        let subject = "dimension '\(name)'"
        noteWords(Part(subject), [words("dimensions.\(name).title", before, now)])
        let used = new.metrics.filter { metric in
            old.metric(metric.name) != nil
                && (metric.dimensions.contains(name) || new.groupingNames(of: metric).joined().contains(name))
        }
        return Set(used.map(\.purpose)).sorted().map { Part(subject, of: $0) }
    }

    private mutating func noteGrain(_ parts: [Part], isCoarser: Bool) {
        for part in parts {
            note(
                part, isLess: isCoarser, "has coarser buckets: each former one lies in one of them",
                else: "has finer or other buckets, which tell people apart that the former ones did not")
        }
    }

    /// True if each former bucket lies within one new bucket, judged by what both are made of.
    private static func isCoarser(_ now: DerivedDimension, than before: DerivedDimension) -> Bool {
        let labels = Set((now.groups + before.groups).flatMap(\.values)).map { BucketLabel($0) }.sorted {
            $0.text < $1.text
        }
        let all = labels + [.other]
        let pairs = Set(zip(before.buckets(of: all), now.buckets(of: all)).map { [$0, $1] })
        return Set(pairs.map { $0[0] }).count == pairs.count
    }
}
