package import ThrongPlan
package import ThrongWire

extension KnownPlan {
    /// Takes from a plan what concerns published numbers.
    package init(_ plan: Plan, since: UnixSeconds? = nil) {
        self.init(app: plan.app.name.text, since: since, metrics: plan.metrics.map { KnownMetric($0, of: plan) })
    }
}

extension KnownMetric {
    fileprivate init(_ metric: Metric, of plan: Plan) {
        let purpose = plan.purpose(metric.purpose)
        let base = plan.cubeDimensions(of: metric).map { dimension in
            KnownDimension(
                name: dimension.name.text, field: dimension.field.text, rule: KnownRule(dimension.rule),
                partitionsDevices: dimension.partitionsDevices)
        }
        let derived = plan.derivedDimensions(of: metric).compactMap { dimension in
            base.first { $0.name == dimension.base.text }.map { base in
                var groups: [String: [String]] = [:]
                let labels = base.rule.labels
                for (label, bucket) in zip(labels, dimension.buckets(of: labels.map { BucketLabel($0) })) {
                    groups[dimension.labels[bucket].text, default: []].append(label)
                }
                return KnownDimension(
                    name: dimension.name.text, field: base.field, rule: base.rule, groups: groups,
                    partitionsDevices: dimension.partitionsDevices)
            }
        }
        self.init(
            name: metric.name.text, events: Set(metric.events.map(\.text)),
            clients: Clients(
                haveAgreed: purpose?.needsConsent ?? false,
                refusedBy: Set((purpose?.refusedBy ?? []).map(\.rawValue))),
            purpose: metric.purpose.text, windowSeconds: purpose?.rotation.seconds ?? Rotation.longest.seconds,
            provesFirsts: metric.provesFirsts, bound: Int64(metric.contributionBound),
            threshold: metric.threshold.devices,
            isComparable: metric.margin == nil && metric.within == nil && metric.sampling == 1,
            dimensions: base + derived,
            sums: metric.sums.map {
                KnownSum(
                    name: $0.name, field: $0.field.text, lowest: $0.lowest, highest: $0.highest, decimals: $0.decimals,
                    unit: $0.unit)
            })
    }
}

extension KnownRule {
    /// What can be said of a rule beside others on its field.
    init(_ rule: BucketingRule) {
        // Whoever has the plan has these labels; a rule that can't be compiled was refused with its plan.
        let labels = ((try? rule.labels()) ?? []).map(\.text)
        switch rule {
        case .list(let groups):
            self = .values(Self.groups(groups), rest: BucketLabel.other.text, folds: false)
        case .region(let groups):
            self = .values(Self.groups(groups), rest: BucketLabel.other.text, folds: true)
        case .bands(let edges):
            self = .edges(edges, labels: labels)
        case .powers(let base, let lowest, let highest):
            let edges = (lowest...highest).map { exponent in
                var power = 1.0
                for _ in 0..<exponent.magnitude { power *= Double(base) }
                return exponent < 0 ? 1 / power : power
            }
            self = .edges(edges, labels: labels)
        case .screen(let medium, let large):
            self = .edges([Double(medium), Double(large)], labels: labels)
        case .browser: self = .names(labels, kind: "browser")
        case .operatingSystem: self = .names(labels, kind: "system")
        case .language: self = .names(labels, kind: "language")
        case .host: self = .names(labels, kind: "host")
        case .deviceClass: self = .apart(labels, kind: "device class")
        case .significantFigures: self = .apart(labels, kind: "figures")
        case .version: self = .apart(labels, kind: "version")
        case .utcOffset: self = .apart(labels, kind: "offset")
        case .time(let part, _): self = .apart(labels, kind: part.rawValue)
        case .route: self = .apart(labels, kind: "route")
        case .fileType: self = .apart(labels, kind: "file type")
        case .revealed: self = .apart([], kind: "learned")
        }
    }

    private static func groups(_ groups: [BucketGroup]) -> [Group] {
        // What is spelt out to go to the rest is like everything else in it.
        groups.filter { $0.label != .other }.map { Group(label: $0.label.text, values: $0.values) }
    }
}
