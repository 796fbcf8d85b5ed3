/// Which events are behind a metric's numbers, as the plan or a release's header says.
package struct AuditedEvents: Sendable, Hashable {
    /// The app.
    package let app: String
    /// The metric.
    package let metric: String
    /// The events that it counts.
    package let events: Set<String>
    /// Who sends them: only metrics with the same clients are compared.
    package let audience: String
    /// Its sums, each with all that makes it the same sum as another metric's.
    package let sums: [String: String]

    /// Says what a metric counts.
    package init(app: String, metric: String, events: Set<String>, audience: String, sums: [String: String] = [:]) {
        self.app = app
        self.metric = metric
        self.events = events
        self.audience = audience
        self.sums = sums
    }
}

extension AuditInput {
    /// Concludes from the events that metrics count which of their numbers are equal, or no more than others.
    ///
    /// - Complexity: O(metrics²) pairs; of a total's kinds, families without a common event up to a bound.
    package mutating func tie(_ metrics: [AuditedEvents]) {
        for (place, total) in metrics.enumerated() where !total.events.isEmpty {
            let others = metrics.indices.filter { other in
                other != place && metrics[other].app == total.app && metrics[other].audience == total.audience
                    && !metrics[other].events.isEmpty && metrics[other].events.isSubset(of: total.events)
            }
            for other in others.map({ metrics[$0] }) {
                let isEqual = other.events == total.events
                // Equal ones meet twice.
                if isEqual, other.metric > total.metric { continue }
                var measures = [AuditMeasure.count]
                for (name, content) in other.sums.sorted(by: { $0.key < $1.key })
                where total.sums[name] == content && (isEqual || !plan.signedSums.contains(name)) {
                    measures.append(.sum(name))
                }
                plan.ties += measures.map { measure in
                    AuditPlan.Tie(
                        app: total.app, left: .init(metric: other.metric, measure: measure),
                        right: .init(metric: total.metric, measure: measure), isEqual: isEqual)
                }
            }
            let kinds = others.map { metrics[$0] }.filter { $0.events != total.events }
            plan.covers += Self.covers(of: total, by: kinds)
        }
    }

    /// Families of at least two kinds without a common event.
    private static func covers(of total: AuditedEvents, by kinds: [AuditedEvents]) -> [AuditPlan.Cover] {
        var found: [AuditPlan.Cover] = []
        var families: [(names: [String], events: Set<String>, next: Int)] = [([], [], 0)]
        while let family = families.popLast(), found.count < 200 {
            for place in family.next..<kinds.count where kinds[place].events.isDisjoint(with: family.events) {
                let names = family.names + [kinds[place].metric]
                let events = family.events.union(kinds[place].events)
                families.append((names, events, place + 1))
                if names.count > 1 {
                    found.append(
                        AuditPlan.Cover(
                            app: total.app, total: total.metric, kinds: names, isWhole: events == total.events))
                }
            }
        }
        return found
    }
}
