/// Everything that was ever published to anyone, and what everybody knows.
package struct AuditInput: Sendable, Codable {
    /// Every published number.
    package var statements: [AuditStatement]
    /// Every table that was shown, with its withheld places.
    package var families: [AuditFamily]
    /// The public plan.
    package var plan: AuditPlan
    /// Who knows more than the public.
    package var insiders: [AuditInsider]
    /// What the files' own form gave away: markers, order, absence.
    package var tells: [AuditFinding]
    /// Files and tables that were read, in order.
    package var sources: [String]
    /// What could not be read, and why.
    package var unread: [String]
    /// Releases whose numbers are off on purpose, by a name of each: they are no equations over what was counted.
    package var margined: Set<String>

    /// Nothing yet.
    package init(plan: AuditPlan = AuditPlan()) {
        statements = []
        families = []
        self.plan = plan
        insiders = []
        tells = []
        sources = []
        unread = []
        margined = []
    }
}

extension [AuditFamily] {
    /// The most devices that tables of a time ask for; nil where there are none.
    func threshold(in period: AuditPeriod, where isMeant: (AuditFamily) -> Bool) -> Int64? {
        filter { $0.period.start < period.end && period.start < $0.period.end && isMeant($0) }.map(\.threshold).max()
    }
}

/// Somebody who knows what they added themselves to a published sum (attack 20).
package struct AuditInsider: Sendable, Codable, Hashable {
    /// The published sum.
    package let statement: AuditStatement
    /// What the insider added: the second largest contribution. Unit: the sum's.
    package let ownContribution: Int64
    /// How many devices are behind the sum, as published.
    package let contributors: Int64

    /// An insider.
    package init(statement: AuditStatement, ownContribution: Int64, contributors: Int64) {
        self.statement = statement
        self.ownContribution = ownContribution
        self.contributors = contributors
    }
}

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
