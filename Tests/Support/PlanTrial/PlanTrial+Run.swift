internal import ThrongAudit
package import ThrongFaults
internal import ThrongPlan
internal import ThrongRelease

/// What became of a trial.
package struct TrialOutcome: Sendable {
    /// What is wrong with what was published; a sentence each.
    package let violations: [String]
    /// Published numbers.
    package let numbers: Int
    /// Whether the audit had all of it before it.
    package let isAudited: Bool
}

extension PlanTrial {
    /// Counts the people, releases what was counted, and attacks what was published.
    ///
    /// - Parameters:
    ///   - faults: protections that are off while it is released.
    ///   - auditSeconds: how long the audit may take; 0 asks the truth only.
    package func run(without faults: Set<Fault> = [], auditSeconds: Double = 10) throws -> TrialOutcome {
        var town = try TrialTown(self)
        do {
            try Fault.with(faults) { try town.release() }
        } catch let error as ReleaseError {
            guard case .unverified = error else { throw error }
            return TrialOutcome(violations: ["verification: \(error)"], numbers: 0, isAudited: false)
        }
        var violations = TrialTruth(town).violations().map { "truth: \($0)" }
        let isAudited = auditSeconds > 0 && town.isAuditable
        if isAudited {
            let report = town.audit(seconds: auditSeconds)
            violations += report.pins.filter { town.means($0) }.map { pin in
                let steps = pin.certificates.first?.steps.map { "\($0.coefficient)×\($0.number)" } ?? []
                return
                    "audit: \(pin.kind.rawValue) \(pin.metric) \(pin.measure) \(pin.target): \(pin.explanation) "
                    + steps.joined(separator: " ")
            }
        }
        return TrialOutcome(
            violations: violations, numbers: town.releases.reduce(0) { $0 + $1.release.cells.count },
            isAudited: isAudited)
    }

    /// The smallest trial on the way of which the same kind of violation stays: without a plan, a metric, a group of people
    /// or a part of a metric.
    package func shrunk(without faults: Set<Fault> = [], auditSeconds: Double = 10) -> PlanTrial {
        func fails(_ trial: PlanTrial) -> Bool {
            // A plan that can't be read is no smaller case of what was found.
            guard let outcome = try? trial.run(without: faults, auditSeconds: auditSeconds) else { return false }
            return !outcome.violations.isEmpty
        }
        var smallest = self
        var isSmaller = true
        while isSmaller {
            isSmaller = false
            for candidate in smallest.smaller where fails(candidate) {
                smallest = candidate
                isSmaller = true
                break
            }
        }
        return smallest
    }

    private var smaller: [PlanTrial] {
        var found: [PlanTrial] = []
        func change(_ body: (inout PlanTrial) -> Void) {
            var trial = self
            body(&trial)
            found.append(trial)
        }
        if plans.count > 1 { change { $0.plans.removeLast() } }
        if isShuffled { change { $0.isShuffled = false } }
        for version in plans.indices {
            for place in plans[version].metrics.indices {
                if plans[version].metrics.count > 1 { change { $0.plans[version].metrics.remove(at: place) } }
            }
        }
        for place in people.indices where people.count > 1 { change { $0.people.remove(at: place) } }
        for version in plans.indices {
            for place in plans[version].metrics.indices {
                let metric = plans[version].metrics[place]
                if metric.sum != nil { change { $0.plans[version].metrics[place].sum = nil } }
                if metric.hasHistogram { change { $0.plans[version].metrics[place].hasHistogram = false } }
                if metric.showsReach { change { $0.plans[version].metrics[place].showsReach = false } }
                if metric.threshold != nil { change { $0.plans[version].metrics[place].threshold = nil } }
                if !metric.sensitive.isEmpty { change { $0.plans[version].metrics[place].sensitive = [] } }
                for dimension in metric.dimensions.indices where metric.margins == nil && metric.sensitive.isEmpty {
                    change { $0.plans[version].metrics[place].dimensions.remove(at: dimension) }
                }
            }
        }
        return found
    }
}

extension TrialTown {
    /// Whether readers can tell all releases apart: one metric under two layouts publishes a period twice under one name.
    var isAuditable: Bool { Set(tables.map(\.layout.metric)).count == tables.count }

    /// Whether what the audit found is about few devices for sure.
    ///
    /// - Readers can't know which devices were counted in which windows, the engine does: whether a difference that few devices
    ///   could have sent is one of few, the truth has said.
    /// - A number that is withheld to protect others stands for k devices, and may be known closely.
    /// - Where a device came to a metric's bound, what follows from its having sent as much to another is wrong.
    /// - Where devices came late, a number of devices may be of a former window.
    /// - Where nobody is, nothing protects that few could be there.
    /// - Of cells that no metric has by itself, nobody promises how closely they can be bounded.
    /// - Where some prove nothing, more devices sent events than are said.
    func means(_ finding: AuditFinding) -> Bool {
        switch finding.kind {
        case .uncounted, .close: return false
        case .dominance where !trial.people.allSatisfy(\.isProved): return false
        case .exact,
            .bounded where finding.measure == .reach && trial.people.contains(where: \.isLate):
            return false
        case .bounded where isOfNobody(finding): return false
        default: break
        }
        let numbers = finding.certificates.first?.steps.map(\.number) ?? []
        let metrics = Set(tables.map(\.layout.metric.text)).filter { name in
            finding.metric.contains(name) || numbers.contains { $0.hasPrefix(name + " ") }
        }
        if metrics.count > 1, isBounded { return false }
        return !finding.metric.contains(" + ")
    }

    /// Whether a device sends more than some metric counts of it.
    private var isBounded: Bool {
        happenings.contains { happening in
            tables.indices.contains { table in
                let spec = tables[table].use(at: happening.slot, trial)?.spec
                return !happening.tables.contains(table)
                    && spec.map {
                        $0.events.contains(TrialPlan.events[happening.event])
                            && $0.counts(trial.people[happening.group])
                    } ?? false
            }
        }
    }

    /// What an attacker finds who has every release and all versions of the plan.
    func audit(seconds: Double) -> AuditReport {
        var options = AuditOptions()
        options.seconds = seconds
        var input = AuditInput()
        for published in releases { input.add(AuditTable(of: published.release)) }
        let known = plans.enumerated().map { version, plan in
            KnownPlan(plan, since: version == 0 ? nil : trial.cutTime)
        }
        return Auditor(options: options).audit(input, knowing: known)
    }
}
