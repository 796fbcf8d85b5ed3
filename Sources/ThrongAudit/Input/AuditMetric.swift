package import ThrongPlan

/// The public description of a metric: from its plan, or from what its releases say of themselves.
package struct AuditMetric: Sendable {
    let app: String
    let name: String
    /// A name that tells it from the metric under another plan; empty for the one of a given plan.
    let layout: String
    let dimensions: [Dimension]
    /// The events that it counts; nil if no source says.
    let events: Set<String>?
    /// The devices that are asked: by consent and signals, or by the purpose's name if that is all that is known.
    let audience: String
    /// The crowd whose events are told: metrics of one crowd have events that are linear in each other.
    let crowd: String
    /// The length of its own periods; longer ones are sums.
    let period: PeriodKind
    /// Identifiers and sampling, and what is looked at in a window.
    let terms: String
    /// True if it counts identifiers by what they did in a window, in place of events.
    let countsIdentifiers: Bool
    let hasIdentifiers: Bool
    /// The way in which devices are known beyond a window; nil if they are not.
    let knows: String?
    /// The metric's k. Unit: devices.
    let threshold: Int64
    /// The contribution bound. Unit: events of an identifier in a window.
    private(set) var bound: Int64
    /// True if each release chooses its bound.
    let choosesBound: Bool
    /// True if nothing says which bound a release chose, or the periods that it sums up.
    private(set) var isBoundOpen: Bool
    let sums: [Sum]
    /// The numbers of questions that share an event with it, by which variances are multiplied.
    var factors = (events: Int64(1), devices: Int64(1))

    /// A field that it is split by, or one made of another's buckets.
    struct Dimension: Sendable {
        let name: String
        let labels: [String]
        let partitionsDevices: Bool
        let field: String
        /// A text that tells two ways to split a field apart.
        let rule: String
        /// The buckets of the base dimension that each own bucket holds; nil for a base dimension.
        let base: (place: Int, buckets: [String: Set<String>])?
    }

    struct Sum: Sendable {
        let name: String
        /// The most that one event adds. Unit: the sum's.
        let most: Double
        /// The field, the clip and the decimals.
        let text: String
        let isNonNegative: Bool
        /// The unit in which the sum is kept: 10^-decimals. Unit: the sum's.
        let quantum: Double
    }

    /// Describes a metric by its layout.
    ///
    /// - Parameters:
    ///   - named: a name that tells it from other layouts of the metric.
    ///   - fields: the field that each dimension reads, and the kind of its buckets; a dimension that is not there reads the
    ///     field of its own name.
    ///   - reach: true if devices are published.
    package init(
        _ layout: MetricLayout, named: String = "", threshold: Threshold, events: Set<String>?, audience: String,
        fields: [DimensionName: String] = [:], reach: Bool
    ) {
        (app, name, period) = (layout.app.text, layout.metric.text, layout.period)
        self.layout = named
        (self.events, self.audience, self.threshold) = (events, audience, threshold.devices)
        dimensions = layout.dimensions.map { dimension in
            var groups: [String: Set<String>] = [:]
            if let coarsening = dimension.coarsening {
                for (label, bucket) in zip(layout.dimensions[coarsening.place].labels, coarsening.buckets) {
                    groups[dimension.labels[bucket].text, default: []].insert(label.text)
                }
            }
            return Dimension(
                name: dimension.name.text, labels: dimension.labels.map(\.text),
                partitionsDevices: dimension.partitionsDevices, field: fields[dimension.name] ?? dimension.name.text,
                rule: dimension.rule, base: dimension.coarsening.map { ($0.place, groups) })
        }
        crowd = "\(audience), sampling \(layout.sampling)"
        hasIdentifiers = layout.hasIdentifiers
        countsIdentifiers = layout.within != nil
        let progress = layout.within == nil ? nil : layout.dimensions.last { $0.coarsening == nil }?.rule
        terms = [
            hasIdentifiers ? "identifiers of \(layout.rotation.seconds) s" : "no identifiers",
            "in a \(layout.period.rawValue)", "sampling \(layout.sampling)", progress ?? "",
        ].joined(separator: ", ")
        knows = !reach ? nil : layout.provedFirsts != nil ? "proved" : layout.firsts != nil ? "said" : nil
        bound = Int64(layout.contributionBound)
        choosesBound = layout.rungs != nil
        isBoundOpen = choosesBound
        sums = layout.sums.map { sum in
            Sum(
                name: sum.name, most: max(abs(sum.lowest), abs(sum.highest)),
                text: "\(sum.field) from \(sum.lowest) to \(sum.highest) by \(sum.decimals)",
                isNonNegative: sum.lowest >= 0, quantum: (0..<sum.decimals).reduce(1.0) { part, _ in part / 10 })
        }
    }

    /// Reads a metric of a plan.
    ///
    /// - Throws: the errors of the layout's rules.
    package init(_ metric: Metric, of plan: Plan) throws {
        let purpose = plan.purpose(metric.purpose)
        let signals = (purpose?.refusedBy ?? []).map(\.rawValue).sorted().joined(separator: "+")
        var fields: [DimensionName: String] = [:]
        for dimension in plan.cubeDimensions(of: metric) where dimension.name != metric.within?.name {
            fields[dimension.name] = "\(dimension.field), \(dimension.rule.bucketKind)"
        }
        self.init(
            try plan.layout(of: metric, rules: .system), threshold: metric.threshold,
            events: Set(metric.countingEvents.map(\.text)), audience: "\(purpose?.needsConsent ?? false) \(signals)",
            fields: fields, reach: metric.reach)
    }

    /// Returns the metric with the bound that a release chose; nil if nothing says it.
    func bounded(by chosen: Int64?) -> AuditMetric {
        var metric = self
        (metric.bound, metric.isBoundOpen) = (chosen ?? bound, chosen == nil)
        return metric
    }

    /// Returns the place of the dimension of that name; nil if there is none.
    func dimension(_ name: String) -> Int? { dimensions.firstIndex { $0.name == name } }

    /// True if both may count the event.
    private func shares(_ event: String, with other: AuditMetric) -> Bool {
        app == other.app && (other.events?.contains(event) ?? true)
    }

    /// True if each field that both split is split by one rule.
    private func splitsAlike(_ other: AuditMetric) -> Bool {
        dimensions.allSatisfy { mine in
            other.dimensions.allSatisfy {
                mine.base != nil || $0.base != nil || $0.field != mine.field || $0.rule == mine.rule
            }
        }
    }

    /// True if both ask the same of the same events.
    private func asksAlike(_ other: AuditMetric) -> Bool {
        events == other.events && audience == other.audience && terms == other.terms && splitsAlike(other)
            && choosesBound == other.choosesBound && (choosesBound || bound == other.bound)
    }

    /// Returns the metric with the factors that it has beside others.
    ///
    /// - Parameter all: the newest layout of each metric.
    /// - Complexity: O(events · metrics²).
    func beside(_ all: [AuditMetric]) -> AuditMetric {
        var metric = self
        for event in events ?? [] {
            let sharing = all.map { $0.name == name && $0.app == app ? self : $0 }.filter { shares(event, with: $0) }
            func groups(of metrics: [AuditMetric], _ alike: (AuditMetric, AuditMetric) -> Bool) -> Int64 {
                var groups: [[AuditMetric]] = []
                for one in metrics {
                    if let place = groups.firstIndex(where: { $0.allSatisfy { alike($0, one) } }) {
                        groups[place].append(one)
                    } else {
                        groups.append([one])
                    }
                }
                return Int64(groups.count)
            }
            // Numbers of identifiers are not linear in events.
            let linear = sharing.filter { !$0.countsIdentifiers }
            metric.factors.events = max(metric.factors.events, groups(of: linear) { $0.asksAlike($1) })
            metric.factors.devices = max(metric.factors.devices, groups(of: sharing) { $0.splitsAlike($1) })
        }
        return metric
    }
}
