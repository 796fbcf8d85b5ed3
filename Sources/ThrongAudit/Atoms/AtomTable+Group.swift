extension AtomTable {
    /// Everything published of the metrics, said in atoms.
    ///
    /// - Parameter groups: each metric alone, its issues told apart.
    /// - Returns: the group, and what could not be said.
    func group(_ groups: [MetricGroup]) -> (group: MetricGroup, unread: [String]) {
        var unread: Set<String> = []
        var plan = AuditPlan(dimensions: dimensions, ties: ties, signedSums: signedSums)
        if let deviceSpan { plan.deviceSpans = [title: deviceSpan] }
        if let known = groups.first?.plan {
            if !known.publicZeros.isDisjoint(with: names) { plan.publicZeros = [title] }
            plan.structuralZeros = known.structuralZeros.compactMap(zero)
        }
        var result = MetricGroup(
            app: groups.first?.app ?? "", metrics: [title], statements: [], families: [], plan: plan, isJoint: true)
        for group in groups {
            for (place, statement) in group.statements {
                if let said = self.said(statement) {
                    result.statements.append((place, said))
                } else {
                    unread.insert("\(statement.source): \(statement.text) fits no plan that was given")
                }
            }
            for family in group.families {
                if let said = self.said(family) { result.families.append(said) }
            }
        }
        result.families += finest(result.families)
        return (result, unread.sorted())
    }

    private func said(_ statement: AuditStatement) -> AuditStatement? {
        var terms: [AuditStatement.Term] = []
        for term in statement.terms {
            guard let found = said(term) else { return nil }
            terms += found
        }
        return statement.with(terms: terms)
    }

    private func said(_ term: AuditStatement.Term) -> [AuditStatement.Term]? {
        let pieces = self.pieces(of: term.metric, in: term.region.period)
        guard !pieces.isEmpty, pieces.count == 1 || term.measure != .reach else { return nil }
        var found: [AuditStatement.Term] = []
        for (metric, region) in pieces {
            guard let measure = self.measure(term.measure, of: metric),
                let slices = said(term.region.slices, of: metric)
            else { return nil }
            found.append(
                AuditStatement.Term(
                    coefficient: term.coefficient, metric: title, measure: measure,
                    region: AuditRegion(period: region.period, slices: slices + region.slices)))
        }
        return found
    }

    private func said(_ slices: [AuditRegion.Slice], of metric: KnownMetric) -> [AuditRegion.Slice]? {
        let found = slices.compactMap { slice($0, of: metric) }
        return found.count == slices.count ? found : nil
    }

    private func said(_ family: AuditFamily) -> AuditFamily? {
        let pieces = self.pieces(of: family.metric, in: family.period)
        guard let metric = pieces.first?.metric else { return nil }
        var measures = family.measures.compactMap { measure($0, of: metric) }
        if pieces.count > 1 { measures.removeAll { $0 == .reach } }
        var axes: [AuditFamily.Axis] = []
        for axis in family.axes {
            let alternatives = axis.alternatives.compactMap {
                slice(.init(dimension: axis.dimension, labels: $0), of: metric)
            }
            guard let dimension = alternatives.first?.dimension, alternatives.count == axis.alternatives.count else {
                return nil
            }
            axes.append(.init(dimension: dimension, alternatives: alternatives.map(\.labels)))
        }
        guard !measures.isEmpty else { return nil }
        return AuditFamily(
            source: family.source, app: family.app, metric: title, measures: measures, period: family.period,
            threshold: max(family.threshold, history.threshold(of: family.metric, since: family.period)), axes: axes,
            subject: family.metric, pieces: pieces.map(\.region))
    }

    private func zero(_ zero: AuditPlan.StructuralZero) -> AuditPlan.StructuralZero? {
        guard let metric = history.metrics.first(where: { $0.name == zero.metric && names.contains($0.name) }),
            let slices = said(zero.slices, of: metric)
        else { return nil }
        let counted = pieces(of: zero.metric, in: .timeless).first?.region.slices ?? []
        return .init(metric: title, slices: slices + counted)
    }

    /// Of each metric and period, the table by everything by which it was ever shown: no cell of it may be told, whether
    /// somebody asked for it or not.
    private func finest(_ families: [AuditFamily]) -> [AuditFamily] {
        struct Key: Hashable {
            let subject: String
            let period: AuditPeriod
        }
        let bySubject = Dictionary(grouping: families) { Key(subject: $0.subject, period: $0.period) }
        return bySubject.sorted {
            ($0.key.subject, $0.key.period.start, $0.key.period.end) < (
                $1.key.subject, $1.key.period.start, $1.key.period.end
            )
        }.compactMap { _, families in
            guard let first = families.first, families.count > 1 else { return nil }
            var axes: [String: AuditFamily.Axis] = [:]
            for axis in families.flatMap(\.axes)
            where axes[axis.dimension].map({ $0.alternatives.count < axis.alternatives.count }) ?? true {
                axes[axis.dimension] = axis
            }
            let cells = axes.values.reduce(1) { min($0, 1 << 20) * $1.alternatives.count }
            let measures = first.measures.filter { $0 != .reach }
            guard cells <= Self.mostCells, !measures.isEmpty else { return nil }
            return AuditFamily(
                source: first.source, app: first.app, metric: first.metric, measures: measures, period: first.period,
                threshold: families.map(\.threshold).max() ?? first.threshold, axes: Array(axes.values),
                subject: first.subject, pieces: first.pieces)
        }
    }

    /// Cells of a metric's finest table up to which each is a target.
    private static let mostCells = 20_000
}
