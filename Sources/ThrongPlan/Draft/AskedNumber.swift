package import ThrongWire

/// A number that a reader misses, in the plan's words: what is counted, split by what, as what, how often.
package struct AskedNumber: Sendable, Hashable {
    /// A metric, for its events; or else an event, which perhaps no metric counts.
    let what: String
    /// A dimension, or else a field of the event, which perhaps no dimension reads; nil for a total.
    let split: String?
    /// `events`, `devices`, or `sum.` and a field: partners are told its mean, as reports have it.
    let measure: String
    let period: PeriodKind
    /// The decision that hangs on it, in the reader's words; empty where none was said.
    package let decision: String
    /// The partner in whose reports it is missing; nil where an analyst misses it.
    let partner: PartnerName?

    /// The most Unicode scalars of a decision.
    package static let longestDecision = 200

    /// Reads a form's values, of which free ones go before chosen ones; nil where it names nothing, or something that can't be
    /// a name.
    package init?(for partner: PartnerName?, _ value: (String) -> String?) {
        guard let what = value("event") ?? value("metric"),
            let period = value("kind").flatMap(PeriodKind.init(rawValue:))
        else { return nil }
        (self.what, self.period, self.partner) = (what, period, partner)
        split = value("field") ?? value("split")
        measure = value("amount").map { "sum.\($0)" } ?? value("measure") ?? "events"
        let field = measure.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isKnown = field.count == 2 ? field[0] == "sum" : ["events", "devices"].contains(measure)
        let names = [what, split, field.count == 2 ? String(field[1]) : nil].compactMap(\.self)
        guard isKnown, names.allSatisfy({ $0.wholeMatch(of: /[a-z][a-z0-9_]{0,62}/) != nil }) else { return nil }
        let scalars = (value("decision") ?? "").unicodeScalars.prefix(Self.longestDecision).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: " " as Unicode.Scalar
            default: scalar
            }
        }
        decision = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
    }

    /// The form's names and values, which ``init(for:_:)`` reads.
    package var form: [(String, String?)] {
        [("event", what), ("field", split), ("measure", measure), ("kind", period.rawValue), ("decision", decision)]
    }

    private var sum: FieldName? { measure.hasPrefix("sum.") ? FieldName(String(measure.dropFirst(4))) : nil }

    /// The number in words: "Orders by System: devices, every day".
    ///
    /// - Parameter plan: in the language.
    package func words(of plan: Plan, in language: Language) -> String {
        let (word, title) = (sum == nil ? measure : partner == nil ? "sum" : "mean", title(of: plan, in: language))
        let amount = sum.map(plan.title(summing:)) ?? ""
        return language.say(.asked, ["title": title, "measure": word, "amount": amount, "kind": period.rawValue])
    }

    /// The title: what is counted, and by what: "Orders by System".
    private func title(of plan: Plan, in language: Language) -> String {
        let title = plan.metric(MetricName(what))?.title ?? what
        let groups = split.map { plan.title(of: DimensionName($0)) ?? $0 }
        return groups.map { language.say(.exploreBy, ["title": title, "groups": $0]) } ?? title
    }

    private func events(in plan: Plan) -> [EventName] { plan.metric(MetricName(what))?.events ?? [EventName(what)] }

    /// True if a metric counts just these events, for the same purpose where a metric was named.
    private func counts(_ metric: Metric, in plan: Plan) -> Bool {
        metric.within == nil && metric.answered == nil && Set(metric.events) == Set(events(in: plan))
            && plan.metric(MetricName(what)).map { $0.purpose == metric.purpose } ?? true
    }

    /// True if a grouping is the split.
    private func isSplit(by grouping: [DimensionName], in plan: Plan) -> Bool {
        guard let split else { return grouping.isEmpty }
        guard grouping.count == 1 else { return false }
        let isNamed = plan.title(of: DimensionName(split)) != nil
        return isNamed ? grouping[0].text == split : plan.dimension(grouping[0])?.field.text == split
    }

    /// True if an insight about a metric tells it.
    private func isTold(by insight: Insight, of metric: Metric, in plan: Plan) -> Bool {
        let isMeasured =
            switch insight.kind {
            case .count: measure == "events"
            case .reach: measure == "devices"
            case .mean(let name): metric.sums.contains { $0.name == name && $0.field == sum }
            default: false
            }
        return isMeasured && insight.metric == metric.name && insight.filters.isEmpty
            && isSplit(by: insight.by, in: plan)
    }

    /// The metric of a plan that tells it, to the partner whose reports lacked it; nil while there is none.
    package func metric(of plan: Plan) -> Metric? {
        plan.metrics.first { metric in
            guard counts(metric, in: plan), sum.map({ field in metric.sums.contains { $0.field == field } }) ?? true,
                measure != "devices" || metric.reach, ([metric.period] + metric.rollups).contains(period),
                plan.groupingNames(of: metric).contains(where: { isSplit(by: $0, in: plan) })
            else { return false }
            return partner.map { partner in
                plan.reports.contains { report in
                    report.partner == partner && report.period == period
                        && report.insights.compactMap(plan.insight).contains { isTold(by: $0, of: metric, in: plan) }
                }
            } ?? true
        }
    }

    /// The first whole period from now on, and when its number comes if the plan has it: in a partner's report, or as it is released.
    package func first(of plan: Plan, now: UnixSeconds) -> (period: Period, at: UnixSeconds)? {
        let calendar = plan.calendar
        let period = calendar.period(period, containing: calendar.period(period, containing: now).end)
        let (due, report) = (plan.release(of: period), report(of: plan))
        guard partner == nil || report != nil else { return nil }
        guard let schedule = report?.schedule else { return (period, due) }
        return schedule.next(after: due - 1, in: calendar).map { (period, $0) }
    }

    private func report(of plan: Plan) -> Report? {
        plan.reports.first { ($0.partner, $0.period) == (partner, period) }
    }
}

extension Plan {
    /// The title of a dimension, also of one that is made of another; nil where there is none.
    package func title(of name: DimensionName) -> String? { dimension(name)?.title ?? derivedDimension(name)?.title }

    /// The words for what a field is added up to: the first title of such a sum, or the field's name.
    package func title(summing field: FieldName) -> String {
        let known = metrics.flatMap { metric in metric.sums.map { (sum: $0, title: metric.sumTitles[$0.name]) } }
        return known.first { $0.sum.field == field && $0.title != nil }?.title ?? field.text.replacing("_", with: " ")
    }

    /// Returns the plan as a partner may know it: its own reports, the metrics that they tell, and what splits these.
    package func known(to partner: PartnerName) -> Plan {
        var plan = self
        plan.reports = reports.filter { $0.partner == partner }
        plan.insights = insights(for: partner)
        plan.metrics = metrics.filter { metric in plan.insights.contains { $0.metric == metric.name } }
        let names = Set(plan.metrics.flatMap(\.dimensions))
        plan.dimensions = dimensions.filter { names.contains($0.name) }
        plan.derivedDimensions = derivedDimensions.filter { names.contains($0.base) }
        return plan
    }

    /// A text in each language of the plan's texts, as YAML.
    fileprivate func value(_ text: (Plan, Language) -> String) -> String {
        let tags =
            translations.languages.count > 1 ? translations.languages : [labelLanguage(for: [])].compactMap(\.self)
        let languages = tags.isEmpty ? [.english] : tags.map { Language(for: [$0]) }
        return PlanPhrase.value(languages) { PlanDraft.quoted(text(translated(into: $0.tag), $0)) }
    }

    /// A name that nothing of a kind has yet.
    fileprivate func free(_ name: String, among taken: [String]) -> String {
        let base = String(name.prefix(60))
        return ([base] + (2...99).map { "\(base)_\($0)" }).first { !taken.contains($0) } ?? base
    }
}

/// Lines for a plan that make it tell a number that somebody misses, and what that costs the others.
///
/// They only add: groupings, periods and devices to the metric that counts the same events, as far as it can have them, or else
/// a metric of its own, so that what is counted goes on as it is. The first lines that the reader takes are the draft.
package struct AskedEdit: Sendable {
    /// The sections, parts and keys that come, or have a value that takes the former one's place.
    package let lines: String
    /// The plan with the lines.
    package let plan: Plan
    /// The margins and costs that change, as they are, nil of what is new, and as they would be.
    package let changes: [(now: MarginLine?, then: MarginLine)]
    /// True if all numbers that the plan has keep their margins.
    package var isFree: Bool { changes.allSatisfy { $0.now?.names == nil } }

    /// - Returns: nil where no draft passes, or the plan tells the number already.
    package init?(_ asked: AskedNumber, of plan: Plan, now: UnixSeconds) {
        let today = PeriodCalendar.utc.date(at: now)
        guard asked.metric(of: plan) == nil else { return nil }
        for draft in asked.drafts(of: plan, today: today) {
            let lines = draft.joined(separator: "\n")
            var (reader, own, more) = (PlanReader(file: "", today: today), YAMLText(plan.text), YAMLText(lines))
            // A draft that the reader does not take is none; there may be another.
            guard let root = own.compose(&reader.problems), let others = more.compose(&reader.problems),
                let then = reader.plan(from: root.with(others), version: plan.version), asked.metric(of: then) != nil
            else { continue }
            let old = plan.marginLines().filter { !$0.figures.isEmpty }
            changes = then.marginLines().filter { !$0.figures.isEmpty }.map { new in
                (old.first { ($0.metric, $0.names) == (new.metric, new.names) }, new)
            }.filter { $0?.figures != $1.figures }
            (self.lines, self.plan) = (lines, then)
            return
        }
        return nil
    }
}

extension YAMLNode {
    /// Returns the tree with another one's mappings in it, key by key; what is no mapping takes the place of what was there.
    fileprivate func with(_ other: YAMLNode) -> YAMLNode {
        guard case .mapping(let entries) = content, case .mapping(let others) = other.content else { return other }
        let own = entries.map { own in
            let value = others.first { $0.key == own.key }.map { own.value.with($0.value) }
            return Entry(key: own.key, place: own.place, value: value ?? own.value)
        }
        let new = others.filter { other in !entries.contains { $0.key == other.key } }
        return YAMLNode(place: place, content: .mapping(own + new))
    }
}

extension AskedNumber {
    /// Returns lines that could make a plan tell the number, the fewest first.
    fileprivate func drafts(of plan: Plan, today: CalendarDate) -> [[String]] {
        guard partner == nil || report(of: plan) != nil else { return [] }
        return plan.metrics.filter { counts($0, in: plan) }.compactMap { grown($0, of: plan) }
            + plan.purposes.compactMap { added(to: plan, for: $0, today: today) }
    }

    /// Returns what a metric lacks; nil where it can't have it.
    private func grown(_ metric: Metric, of plan: Plan) -> [String]? {
        let own = metric.dimensions + plan.derivedDimensions.filter { metric.dimensions.contains($0.base) }.map(\.name)
        let (known, groupings) = (metric.sums.first { $0.field == sum }, plan.groupingNames(of: metric))
        guard let grouping = ([[]] + own.map { [$0] }).first(where: { isSplit(by: $0, in: plan) }),
            sum == nil || known != nil
        else { return nil }
        var lines: [String] = []
        if measure == "devices", !metric.reach { lines += ["    measures:", "      reach: true"] }
        if metric.period != period, !metric.rollups.contains(period) {
            lines.append("    rollups: [\((metric.rollups + [period]).map(\.rawValue).joined(separator: ", "))]")
        }
        if partner == nil, !groupings.contains(grouping) {
            let all = (metric.margins.isEmpty ? groupings.filter { !$0.isEmpty } : metric.margins) + [grouping]
            let texts = all.map { "[\($0.map(\.text).joined(separator: ", "))]" }
            lines.append("    margins: [\(texts.joined(separator: ", "))]")
        }
        return (lines.isEmpty ? [] : ["metrics:", "  \(metric.name):"]) + lines
            + told(metric.name, by: grouping.first?.text, sum: known?.name, in: plan)
    }

    /// Returns one more metric, for a purpose, beside those that count some of the same events.
    private func added(to plan: Plan, for purpose: Purpose, today: CalendarDate) -> [String]? {
        let events = events(in: plan)
        let like =
            plan.metric(MetricName(what))
            ?? plan.metrics.first { $0.within == nil && $0.events.contains { events.contains($0) } }
        guard like.map({ $0.purpose == purpose.name }) ?? true else { return nil }
        var (lines, base, group) = ([String](), split, split)
        if let split, let derived = plan.derivedDimension(DimensionName(split)) {
            base = derived.base.text
        } else if let split, plan.dimension(DimensionName(split)) == nil {
            base = plan.dimensions.first { $0.field.text == split }?.name.text ?? split
            group = base
            let title = plan.value { _, _ in split }
            let list = "    list: [first, second]    # EDIT: the values that count as themselves"
            if base == split {
                lines = ["dimensions:", "  \(split):", "    title: \(title)", "    field: \(split)", list]
            }
        }
        let name = plan.free(what + (group.map { "_by_\($0)" } ?? ""), among: plan.metrics.map(\.name.text))
        let known = plan.metrics.flatMap(\.sums).first { $0.field == sum }
        lines += [
            "metrics:", "  \(name):", "    title: \(plan.value(title))",
            "    events: [\(events.map(\.text).joined(separator: ", "))]", "    question: \(plan.value(words))",
            "    decision: \(PlanDraft.quoted(decision.isEmpty ? "Not said yet." : decision))    # EDIT",
            "    owner: \(PlanDraft.quoted(like?.owner ?? plan.app.owner))",
            "    expires: \(today.adding(days: 364))", "    purpose: \(purpose.name)", "    period: \(period.rawValue)",
        ]
        if let base { lines.append("    dimensions: [\(base)]") }
        if let group, group != base, partner == nil { lines.append("    margins: [[\(group)]]") }
        if measure == "devices" { lines.append("    measures: {reach: true}") }
        if let sum {
            // A field that is added up already is clipped as it is there.
            let ends = [known?.lowest ?? 0, known?.highest ?? 100].map { PlanNumber.text($0) }
            let unit = known.map { $0.unit.isEmpty ? "" : ", unit: \(PlanDraft.quoted($0.unit))" } ?? ""
            let title = plan.value { plan, _ in plan.title(summing: sum) }
            let body = "field: \(sum), from: \(ends[0]), to: \(ends[1]), decimals: \(known?.decimals ?? 0)\(unit)"
            let remark = known == nil ? "    # EDIT: larger values count as the largest" : ""
            lines.append("    measures: {sums: {\(known?.name ?? sum.text): {title: \(title), \(body)}}}\(remark)")
        }
        // Metrics of the same events have these terms alike.
        if let like {
            let bound = like.choosesBound ? "auto" : "\(like.contributionBound)"
            if like.within == nil { lines.append("    contribution_bound: \(bound)") }
            if like.sampling < 1 { lines.append("    sampling: \(PlanNumber.text(like.sampling))") }
            if like.threshold > plan.app.threshold { lines.append("    threshold: \(like.threshold.devices)") }
        }
        return lines + told(MetricName(name), by: group, sum: known?.name ?? sum?.text, in: plan)
    }

    /// Returns the lines by which the partner's report of such periods tells it, if it is a partner's number.
    private func told(_ metric: MetricName, by group: String?, sum: String?, in plan: Plan) -> [String] {
        guard let report = report(of: plan) else { return [] }
        let own = plan.metric(metric)
        let known = own.flatMap { own in plan.insights.first { isTold(by: $0, of: own, in: plan) } }?.name.text
        // A metric of its own is named after its split.
        let wanted = metric.text + (own == nil ? "" : group.map { "_by_\($0)" } ?? "")
        let name = known ?? plan.free(wanted, among: plan.insights.map(\.name.text))
        let kind = sum.map { "mean, sum: \($0)" } ?? (measure == "devices" ? "reach" : "count")
        let by = group.map { ", by: [\($0)]" } ?? ""
        let insight = "  \(name): {title: \(plan.value(title)), metric: \(metric), kind: \(kind)\(by)}"
        let names = (report.insights.map(\.text) + [name]).joined(separator: ", ")
        return (known == nil ? ["insights:", insight] : [])
            + ["reports:", "  \(report.name):", "    insights: [\(names)]"]
    }
}
