extension AuditInput {
    /// Says everything about a coarser dimension in the buckets that it is made of, so that both speak of one axis.
    ///
    /// - Parameters:
    ///   - coarser: a dimension of the plan whose buckets are made of another's.
    ///   - base: that other dimension, which is declared.
    ///   - groups: by bucket of the coarser one, the base's buckets in it.
    /// - Complexity: O(statements + tables).
    package mutating func express(_ coarser: String, by base: String, groups: [String: [String]]) {
        plan.dimensions.removeAll { $0.name == coarser }
        func elements(_ labels: [String]) -> [String] { labels.flatMap { groups[$0] ?? [] } }
        func slice(_ slice: AuditRegion.Slice) -> AuditRegion.Slice {
            slice.dimension == coarser ? .init(dimension: base, labels: elements(slice.labels)) : slice
        }
        plan.structuralZeros = plan.structuralZeros.map { .init(metric: $0.metric, slices: $0.slices.map(slice)) }
        for place in statements.indices
        where statements[place].terms.contains(where: { $0.region.slices.contains { $0.dimension == coarser } }) {
            statements[place] = statements[place].with(
                terms: statements[place].terms.map { term in
                    var term = term
                    term.region = AuditRegion(
                        period: term.region.period,
                        slices: term.region.slices.map(slice))
                    return term
                })
        }
        for place in families.indices where families[place].axes.contains(where: { $0.dimension == coarser }) {
            let family = families[place]
            families[place] = AuditFamily(
                source: family.source, app: family.app, metric: family.metric, measures: family.measures,
                period: family.period, threshold: family.threshold,
                axes: family.axes.map {
                    $0.dimension == coarser
                        ? AuditFamily.Axis(dimension: base, alternatives: $0.alternatives.map(elements)) : $0
                })
        }
    }
}
