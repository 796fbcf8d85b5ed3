internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The titles of what the database has short names for: by the plans that the daemon runs, else those names.
struct ExplorerTitles: Sendable {
    let plans: [Plan]

    func app(_ name: AppName) -> String { plan(name)?.app.title ?? name.text }

    func metric(_ metric: AnalystMetric) -> String { planned(metric)?.title ?? metric.metric.text }

    func question(_ metric: AnalystMetric) -> String? { planned(metric)?.question }

    func expires(_ metric: AnalystMetric) -> CalendarDate? { planned(metric)?.expires }

    /// Returns the step that takes numbers of a metric, after the end of their period; nil where no plan has it.
    func end(of metric: AnalystMetric, by period: PeriodKind, splitBy names: [DimensionName]) -> DecayStep? {
        planned(metric).flatMap { plan(metric.app)?.end(of: $0, splitBy: Set(names), by: period) }
    }

    /// Returns the words for how long such numbers are kept, and what is kept for longer; nil if no plan says so.
    func ageing(of metric: AnalystMetric, by period: PeriodKind, splitBy names: [DimensionName]) -> String? {
        guard let step = end(of: metric, by: period, splitBy: names) else { return nil }
        let longer: String? =
            switch step.action {
            case .delete: nil
            case .coarsen(_, to: let name): "by \u{201c}\(dimension(name, of: metric))\u{201d}"
            case .drop(let name): "without \u{201c}\(dimension(name, of: metric))\u{201d}"
            case .keep(let kind): "by \(kind.rawValue)"
            case .keepTotals: "as totals"
            }
        return "Kept for \(step.after.planText)" + (longer.map { ", and \($0) for longer" } ?? "")
    }

    func dimension(_ name: DimensionName, of metric: AnalystMetric) -> String {
        let plan = plan(metric.app)
        let own = planned(metric).flatMap { planned in
            plan?.cubeDimensions(of: planned).first { $0.name == name }?.title
        }
        // A former layout may have dimensions that the metric has no more.
        let title =
            own ?? plan?.derivedDimension(name)?.title ?? plan?.dimension(name)?.title
            ?? planned(metric)?.within.flatMap { $0.name == name ? $0.title : nil } ?? name.text
        // A histogram has no title but its name and unit.
        return title.hasPrefix(name.text) ? Self.worded(title) : title
    }

    /// A name as people write it: "Order value".
    private static func worded(_ name: String) -> String { name.replacing("_", with: " ").sentenceCased }

    /// "Events", "Identifiers", "Revenue", "Devices", "Devices (as they say)".
    func measure(_ column: AnalystColumn) -> String {
        switch column.kind {
        case .count: Self.worded(column.unit)
        case .reached: "Came as far"
        case .sum(let name): Self.worded(name)
        case .devices: Wording.heading(devices: .window)
        case .clientDevices: Wording.heading(devices: .firsts)
        case .dimension(let name): name.text
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
