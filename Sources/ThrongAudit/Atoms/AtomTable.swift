/// What some metrics of an app count together: their numbers as sums over atoms, which are happenings of the finest
/// buckets that any rule on a field cuts out, whatever a plan calls its dimensions.
///
/// Two metrics that count one happening show it twice, so it is one unknown for both. That holds as long as no
/// identifier came to a contribution bound, which an attacker will assume.
struct AtomTable {
    let history: KnownHistory
    let names: Set<String>
    private let app: String
    private let happenings: Happenings
    private let fields: [String: FieldAtoms]
    /// Fields by which some rule does not keep devices apart.
    private let shared: Set<String>
    /// Numbers of devices are compared where identifiers are the same.
    private let purpose: String

    /// - Parameters:
    ///   - names: of metrics whose numbers are exact.
    ///   - learned: by dimension, buckets that were published and are in no plan.
    init(_ app: String, _ history: KnownHistory, names: Set<String>, learned: [String: Set<String>]) {
        self.app = app
        self.history = history
        self.names = names
        let metrics = history.metrics.filter { names.contains($0.name) }
        happenings = Happenings(metrics)
        purpose =
            Dictionary(grouping: metrics, by: \.purpose).max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?
            .key ?? ""
        var rules: [String: Set<KnownRule>] = [:]
        var late: [String: Set<String>] = [:]
        shared = Set(metrics.flatMap(\.dimensions).filter { !$0.partitionsDevices }.map(Self.axis))
        for dimension in metrics.flatMap(\.dimensions) where dimension.field != "event" {
            rules[Self.axis(of: dimension), default: []].insert(dimension.rule)
            late[Self.axis(of: dimension), default: []].formUnion(
                dimension.rule.labels.isEmpty ? learned[dimension.name] ?? [] : [])
        }
        var fields: [String: FieldAtoms] = [:]
        for (axis, rules) in rules { fields[axis] = FieldAtoms(rules, learned: late[axis] ?? []) }
        self.fields = fields
    }

    /// What the metrics count together, for want of a name.
    var title: String { names.sorted().joined(separator: " + ") }

    /// Within what devices are told apart of which numbers are compared; nil where that was edited, or is not the same of all.
    var deviceSpan: DeviceSpan? {
        let all = Set(history.metrics.filter { names.contains($0.name) && $0.purpose == purpose }.map(\.deviceSpan))
        return all.count == 1 ? all.first : nil
    }

    /// The axes, with their parts.
    var dimensions: [AuditPlan.Dimension] {
        [AuditPlan.Dimension(name: Happenings.axis, elements: happenings.elements)]
            + fields.sorted { $0.key < $1.key }.map {
                .init(
                    name: $0.key, elements: $0.value.elements, partitionsDevices: !shared.contains($0.key))
            }
    }

    private static func axis(of dimension: KnownDimension) -> String {
        switch dimension.rule {
        case .values: dimension.field
        case .edges: Self.axis(ofNumber: dimension.field)
        case .names(_, let kind): dimension.field == kind ? kind : "\(dimension.field) by \(kind)"
        case .apart: "\(dimension.field) by \(dimension.rule.kind)"
        }
    }

    private static func axis(ofNumber field: String) -> String { "\(field) in numbers" }

    /// Some buckets of a metric's dimension in atoms; nil where the plan has none such.
    func slice(_ slice: AuditRegion.Slice, of metric: KnownMetric) -> AuditRegion.Slice? {
        guard let dimension = metric.dimensions.first(where: { $0.name == slice.dimension }) else { return nil }
        let base = slice.labels.flatMap { label in dimension.groups.map { $0[label] ?? [] } ?? [label] }
        if dimension.field == "event" {
            let meant = Set(base)
            guard meant.isSubset(of: dimension.rule.labels) else { return nil }
            let parts = happenings.of { dimension.rule.label(of: $0).map(meant.contains) ?? false }
            return .init(dimension: Happenings.axis, labels: parts)
        }
        let axis = Self.axis(of: dimension)
        var parts: [String] = []
        for label in base {
            guard let found = fields[axis]?.parts(of: label, by: dimension.rule) else { return nil }
            parts += found
        }
        return .init(dimension: axis, labels: parts)
    }

    /// What a metric counted in a period, in pieces without an atom in common.
    func pieces(of name: String, in period: AuditPeriod) -> [(metric: KnownMetric, region: AuditRegion)] {
        history.stretches(of: name, in: period).map { stretch in
            let counted = happenings.counted(by: stretch.metric)
            let slices: [AuditRegion.Slice] =
                counted.count == happenings.elements.count ? [] : [.init(dimension: Happenings.axis, labels: counted)]
            return (stretch.metric, AuditRegion(period: stretch.period, slices: slices))
        }
    }

    /// A measure, by what makes it the same as another metric's; nil where it can't be told or compared.
    func measure(_ measure: AuditMeasure, of metric: KnownMetric) -> AuditMeasure? {
        switch measure {
        case .count: return .count
        case .reach: return metric.purpose == purpose ? .reach : nil
        case .sum(let name):
            let named = metric.sums.filter { $0.name == name }
            // Reports name a sum by its unit.
            let all = named.isEmpty ? metric.sums.filter { $0.unit == name } : named
            return all.count == 1 ? .sum(all[0].content) : nil
        }
    }

    /// A sum lies between its clip's ends, and within a band of its own field between the band's.
    var ties: [AuditPlan.Tie] {
        let sums = Set(history.metrics.filter { names.contains($0.name) }.flatMap(\.sums))
        return sums.sorted { $0.content < $1.content }.flatMap { sum -> [AuditPlan.Tie] in
            let bands = fields[Self.axis(ofNumber: sum.field)]?.bands ?? [:]
            return ties(of: sum, from: sum.lowest, to: sum.highest, within: [])
                + bands.sorted { $0.key < $1.key }.flatMap { name, band in
                    ties(
                        of: sum, from: max(sum.lowest, min(band.lowerBound, sum.highest)),
                        to: min(sum.highest, max(band.upperBound, sum.lowest)),
                        within: [.init(dimension: Self.axis(ofNumber: sum.field), labels: [name])])
                }
        }
    }

    /// Sums that may be below zero.
    var signedSums: Set<String> {
        Set(history.metrics.flatMap(\.sums).filter { $0.lowest < 0 }.map(\.content))
    }

    private func ties(
        of sum: KnownSum, from lowest: Double, to highest: Double, within: [AuditRegion.Slice]
    ) -> [AuditPlan.Tie] {
        let measure = AuditPlan.Tie.Side(metric: title, measure: .sum(sum.content))
        func events(_ value: Double) -> AuditPlan.Tie.Side? {
            // Rounded to the sum's decimals, as each value was.
            var scale = 1.0
            for _ in 0..<sum.decimals { scale *= 10 }
            let millionths = ((value * scale).rounded(.toNearestOrEven) * 1_000_000 / scale).rounded()
            guard millionths != 0, abs(millionths) < 1e12 else { return nil }
            return .init(metric: title, measure: .count, factor: Int64(millionths))
        }
        let above = events(lowest).map {
            AuditPlan.Tie(app: app, left: $0, right: measure, isEqual: false, within: within)
        }
        let below = events(highest).map {
            AuditPlan.Tie(app: app, left: measure, right: $0, isEqual: false, within: within)
        }
        return [above, below].compactMap { $0 }
    }
}

extension KnownSum {
    /// All that makes it the same sum as another metric's.
    var content: String { "\(field) from \(lowest) to \(highest) with \(decimals) decimals" }
}
