/// Metrics of which one counts some of the same happenings as the next, with everything published of each.
struct JointMetrics {
    let app: String
    let history: KnownHistory
    /// A metric each, its issues told apart.
    let groups: [MetricGroup]

    /// The names.
    var names: Set<String> { Set(groups.flatMap(\.metrics)) }

    /// In atoms.
    var table: AtomTable {
        var learned: [String: Set<String>] = [:]
        for axis in groups.flatMap(\.families).flatMap(\.axes) {
            learned[axis.dimension, default: []].formUnion(axis.alternatives.flatMap { $0 })
        }
        return AtomTable(app, history, names: names, learned: learned)
    }

    /// Each two of more than two that have an event in common.
    var pairs: [JointMetrics] {
        guard groups.count > 2 else { return [] }
        return groups.indices.flatMap { place in
            groups[(place + 1)...].filter { !events(of: $0).isDisjoint(with: events(of: groups[place])) }.map {
                JointMetrics(app: app, history: history, groups: [groups[place], $0])
            }
        }
    }

    /// What a metric counted under any plan.
    func events(of group: MetricGroup) -> Set<String> {
        Set(history.metrics.filter { group.metrics.contains($0.name) }.flatMap(\.events))
    }
}

extension Auditor {
    /// What stands alone, and what has atoms in common.
    ///
    /// - Complexity: O(metrics²).
    static func split(
        _ input: AuditInput, _ histories: [String: KnownHistory]
    ) -> (alone: [MetricGroup], joint: [JointMetrics]) {
        var stripped = input
        // With plans, ties are found again, by what is counted.
        stripped.plan.ties.removeAll {
            histories[$0.app] != nil && $0.right.measure != .reach && $0.left.measure != .reach
        }
        stripped.plan.covers.removeAll { histories[$0.app] != nil }
        var alone: [MetricGroup] = []
        var joint: [JointMetrics] = []
        for group in MetricGroup.split(stripped) {
            guard let history = histories[group.app], group.metrics.count == 1,
                history.metrics.contains(where: { group.metrics.contains($0.name) && $0.isComparable })
            else {
                alone.append(group)
                continue
            }
            let one = JointMetrics(app: group.app, history: history, groups: [group])
            let events = one.events(of: group)
            var others: [JointMetrics] = []
            var merged = [group]
            for family in joint {
                let isTied =
                    family.app == group.app
                    && family.groups.contains { !family.events(of: $0).isDisjoint(with: events) }
                if isTied { merged += family.groups } else { others.append(family) }
            }
            joint = others + [JointMetrics(app: group.app, history: history, groups: merged)]
        }
        return (alone, joint)
    }

    /// Plays against metrics that have atoms in common.
    func audit(
        _ family: JointMetrics, _ statements: [AuditStatement], deadline: Deadline, into report: inout AuditReport,
        _ ledger: inout FindingLedger
    ) {
        let (group, unread) = family.table.group(family.groups)
        report.unread += unread
        audit(group, statements, of: family, deadline: deadline, into: &report, &ledger)
    }
}
