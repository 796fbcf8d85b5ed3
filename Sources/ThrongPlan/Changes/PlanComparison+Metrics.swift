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
                ("measures", old.measureWords(of: before), new.measureWords(of: now)),
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

    /// Compares how fields are coarsened, of what metrics use.
    mutating func compareDimensions() {
        for dimension in new.dimensions {
            guard let before = old.dimension(dimension.name) else { continue }
            let parts = parts(of: dimension.name, (before.title, before.titles), (dimension.title, dimension.titles))
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
            let parts = parts(of: dimension.name, (before.title, before.titles), (dimension.title, dimension.titles))
            guard before.base != dimension.base || before.groups != dimension.groups else { continue }
            noteGrain(parts, isCoarser: before.base == dimension.base && Self.isCoarser(dimension, than: before))
        }
    }

    /// Notes other titles of a dimension or its buckets, and returns it as a part of each purpose whose former metrics use it.
    private mutating func parts(
        of name: DimensionName, _ before: (String, [BucketLabel: String]), _ now: (String, [BucketLabel: String])
    ) -> [Part] {
        let subject = "dimension '\(name)'"
        noteWords(
            Part(subject),
            [
                words("dimensions.\(name).title", before.0, now.0),
                ("titles", old.words(for: before.1, of: name), new.words(for: now.1, of: name)),
            ])
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

    mutating func compareReports() {
        compareRecipients()
        if old.annotations != new.annotations {
            note(.words, Part("the annotations"), "tell readers of trends something else")
        }
        for partner in new.partners {
            guard let former = old.partner(partner.name) else { continue }
            noteWords(
                Part("partner '\(partner.name)'"),
                [
                    words("partners.\(partner.name).title", former.title, partner.title),
                    ("contact", former.contact, partner.contact),
                ])
        }
        for report in new.reports {
            let (part, place) = (Part("report '\(report.name)'"), "reports.\(report.name)")
            guard let former = old.report(report.name) else {
                note(.runs, part, "is new")
                continue
            }
            noteWords(
                part,
                [
                    words("\(place).title", former.title, report.title),
                    words("\(place).explanation", former.explanation ?? "", report.explanation ?? ""),
                ])
            if former.insights != report.insights || former.period != report.period || former.formats != report.formats
                || old.language(of: former) != new.language(of: report)
            {
                note(.runs, part, "says something else, or says it otherwise")
            }
            if former.alert != report.alert { note(.runs, part, "goes under another condition") }
            if former.schedule != report.schedule || former.deliveries != report.deliveries
                || former.partner != report.partner
            {
                note(.runs, part, "goes at another time, or somewhere else")
            }
            if let reach = report.publicity, let before = former.publicity, reach != before {
                note(.runs, part, "\(reach == .listed ? "may" : "should not") be listed by search engines from then on")
            }
        }
        for report in old.reports where new.report(report.name) == nil {
            note(.runs, Part("report '\(report.name)'"), "is made no more")
        }
        for insight in new.insights {
            let (own, its) = (new.translations.words, old.translations.words)
            let keys = ["title", "explanation"].map { "insights.\(insight.name).\($0)" }
            guard let former = old.insight(insight.name),
                former != insight || keys.contains(where: { own[$0] != its[$0] })
            else { continue }
            let isWords =
                former.kind == insight.kind && former.metric == insight.metric && former.by == insight.by
                && former.filters == insight.filters && former.view == insight.view
            note(
                isWords ? .words : .runs, Part("insight '\(insight.name)'"),
                isWords ? "its words are others" : "asks for something else")
        }
    }

    /// Notes the partners who receive numbers of a metric from now on, or no more.
    private mutating func compareRecipients() {
        func pairs(_ plan: Plan) -> [PartnerName: Set<MetricName>] {
            var pairs: [PartnerName: Set<MetricName>] = [:]
            for metric in plan.metrics {
                for partner in plan.recipients(of: metric.name) { pairs[partner, default: []].insert(metric.name) }
            }
            return pairs
        }
        let (before, now) = (pairs(old), pairs(new))
        func part(_ partner: PartnerName, _ purpose: PurposeName?) -> Part {
            Part(partner == Partner.everybody ? "everybody" : "partner '\(partner)'", of: purpose)
        }
        for (partner, metrics) in now.sorted(by: { $0.key < $1.key }) {
            for metric in metrics.subtracting(before[partner] ?? []).sorted() {
                note(
                    .widens, part(partner, new.metric(metric)?.purpose),
                    "receives numbers of '\(metric)' that are counted from then on")
            }
        }
        for (partner, metrics) in before.sorted(by: { $0.key < $1.key }) {
            for metric in metrics.subtracting(now[partner] ?? []).sorted() {
                note(.tightens, part(partner, old.metric(metric)?.purpose), "receives numbers of '\(metric)' no more")
            }
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
    /// Returns texts that people read and what is said in several languages at places below another, to see if they read otherwise.
    fileprivate func words(below place: String, _ texts: [String?]) -> String {
        let others = translations.words.keys.filter { $0.hasPrefix(place + ".") }.sorted().map { allWords($0, "") }
        return (texts.compactMap(\.self) + others).joined(separator: "\u{1e}")
    }

    fileprivate func nounWords(of metric: Metric) -> String {
        words(below: "metrics.\(metric.name).noun", [metric.noun?.one, metric.noun?.many])
    }

    /// Returns the titles of a histogram and of sums. Those of a funnel's steps are names of buckets, but in other languages.
    fileprivate func measureWords(of metric: Metric) -> String {
        let titles = [metric.histogram?.title] + metric.sums.map { metric.sumTitles[$0.name] }
        return ["histogram", "steps", "sums"].map { words(below: "metrics.\(metric.name).\($0)", titles) }.joined()
    }

    fileprivate func words(for titles: [BucketLabel: String], of name: DimensionName) -> String {
        let told = titles.sorted { $0.key.text < $1.key.text }.flatMap { [$0.key.text, $0.value] }
        return words(below: "dimensions.\(name).titles", told)
    }
}
