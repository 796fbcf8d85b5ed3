internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The titles of what the database has short names for: by the plans that the daemon runs, else those names.
struct ExplorerTitles: Sendable {
    /// The plans, in the language.
    let plans: [Plan]
    let language: Language

    func app(_ name: AppName) -> String { plan(name)?.app.title ?? name.text }

    func metric(_ metric: AnalystMetric) -> String { planned(metric)?.title ?? metric.metric.text }

    func question(_ metric: AnalystMetric) -> String? { planned(metric)?.question }

    func expires(_ metric: AnalystMetric) -> CalendarDate? { planned(metric)?.expires }

    /// Returns the step that takes numbers of a metric, after the end of their period; nil where no plan has it.
    func end(of metric: AnalystMetric, by period: PeriodKind, splitBy names: [DimensionName]) -> DecayStep? {
        planned(metric).flatMap { plan(metric.app)?.end(of: $0, splitBy: Set(names), by: period) }
    }

    /// Returns the words for when such numbers go, and what is kept for longer; nil if no plan says so.
    func ageing(of metric: AnalystMetric, by period: PeriodKind, splitBy names: [DimensionName]) -> String? {
        end(of: metric, by: period, splitBy: names).flatMap { plan(metric.app)?.words(for: $0, in: language) }
    }

    func dimension(_ name: DimensionName, of metric: AnalystMetric) -> String {
        let plan = plan(metric.app)
        let own = planned(metric).flatMap { planned in
            plan?.cubeDimensions(of: planned).first { $0.name == name }?.title
        }
        // A former layout may have dimensions that the metric has no more.
        let title =
            own ?? plan?.derivedDimension(name)?.title ?? plan?.dimension(name)?.title ?? planned(metric)?.within
            .flatMap { $0.name == name ? $0.title : nil } ?? name.text
        // A histogram has no title but its name and unit.
        return title.hasPrefix(name.text) ? Self.worded(title) : title
    }

    /// A name as people write it: "Order value".
    private static func worded(_ name: String) -> String { name.replacing("_", with: " ").sentenceCased }

    /// Returns the rule that makes a dimension's buckets; nil where no plan has it, or they are groups of others.
    func rule(_ name: DimensionName, of metric: AnalystMetric) -> BucketingRule? {
        plan(metric.app)?.dimension(name)?.rule
    }

    /// "Events", "Identifiers", "Revenue", "Devices", "Devices (as they say)".
    func measure(_ column: AnalystColumn) -> String {
        switch column.kind {
        case .count: Wording(language).noun(Counted(rawValue: column.unit) ?? .events).many.sentenceCased
        case .reached: language.say(.exploreFigure, ["figure": "reached", "title": ""])
        case .sum(let name): Self.worded(name)
        case .devices: Wording.heading(devices: .window, in: language)
        case .clientDevices: Wording.heading(devices: .firsts, in: language)
        case .dimension(let name): name.text
        }
    }

    /// Returns the words for what a measure counts, in the basis of its numbers.
    func meaning(_ column: AnalystColumn, of metric: AnalystMetric) -> String {
        let counted = Counted(rawValue: column.unit) ?? .events
        let noun = Wording(language).noun(counted).many
        switch column.kind {
        case .count:
            guard let within = within(metric) else { return language.say(.countsNoun, ["noun": noun]) }
            let isFunnel = if case .funnel = within.kind { true } else { false }
            return language.say(.exploreWithin, ["noun": noun, "isFunnel": isFunnel])
        case .sum(let name):
            let sum = planned(metric)?.sums.first { $0.name == name }
            return sum.flatMap { plan(metric.app)?.words(for: $0, in: language) } ?? Self.worded(name)
        case .clientDevices: return language.say(.countsDevices, ["kind": "said", "time": ""])
        case .reached, .devices, .dimension: return measure(column)
        }
    }

    /// The same with its unit: "Revenue (EUR)".
    func heading(_ column: AnalystColumn) -> String {
        let title = measure(column)
        guard case .sum = column.kind, !column.unit.isEmpty else { return title }
        return "\(title) (\(column.unit))"
    }

    /// Returns the measure that counts identifiers instead of events, by the plan alone; nil where events are counted.
    func within(_ metric: AnalystMetric) -> WindowMeasure? {
        planned(metric)?.within.flatMap { metric.dimensions.contains($0.name) ? $0 : nil }
    }

    private func plan(_ app: AppName) -> Plan? { plans.first { $0.app.name == app } }

    private func planned(_ metric: AnalystMetric) -> Metric? { plan(metric.app)?.metric(metric.metric) }
}

extension AnalystColumn {
    /// Its unit, as its comment says; empty where it has none.
    var unit: String {
        guard let place = comment.ranges(of: "Unit: ").last else { return "" }
        let unit = comment[place.upperBound...]
        let text = String(unit.hasSuffix(".") ? unit.dropLast() : unit)
        return text == "none" ? "" : text
    }

    /// The meaning of the column, as its comment says, without its unit and what withheld numbers look like.
    var meaning: String {
        let ends = [comment.ranges(of: "; null ").first, comment.ranges(of: " Unit: ").last].compactMap {
            $0?.lowerBound
        }
        let text = ends.min().map { comment[..<$0] } ?? comment[...]
        return String(text.hasSuffix(".") ? text.dropLast() : text)
    }
}
