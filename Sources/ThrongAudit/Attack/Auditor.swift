/// The attacker: everything that was ever published in, what can be pinned out.
///
/// It shares no line with the release engine, so that one's mistake is not the other's. What it calls exact was
/// recomputed in whole numbers; what it calls cleared, too. Bounds found by CBC's search alone are marked as such.
package struct Auditor: Sendable {
    let options: AuditOptions

    /// An attacker.
    package init(options: AuditOptions = AuditOptions()) { self.options = options }

    /// Plays.
    ///
    /// - Parameter plans: all versions of the public plans of any apps. What their metrics have in common is then worked
    ///   out from them, in atoms; ties in the input are of use for apps without one.
    /// - Complexity: O(leaves × kinds of margins) to merge, then by component: elimination in the square of the
    ///   equations that are left, and one linear program for every few targets.
    package func audit(_ input: AuditInput, knowing plans: [KnownPlan] = []) -> AuditReport {
        let start = ContinuousClock.now
        var deadline = Deadline(seconds: options.seconds)
        var report = AuditReport()
        report.sources = input.sources
        report.unread = input.unread
        if !input.margined.isEmpty {
            report.unexamined.append(
                "\(input.margined.count) \(input.margined.count == 1 ? "release" : "releases") with a margin: the numbers are off "
                    + "on purpose, and no equations over what was counted")
        }
        report.statements = input.statements.count
        var ledger = FindingLedger(limit: options.listed)
        let histories = Dictionary(grouping: plans, by: \.app).mapValues { KnownHistory($0) }
        for tell in input.tells + plainTells(input, histories) + flags(input, histories)
            + heavy(input, histories) + dominance(input)
        {
            ledger.add(tell)
        }
        // What stands alone is quick; metrics that are tied may take all the time there is.
        let (alone, joint) = Self.split(input, histories)
        for group in alone.sorted(by: { $0.metrics.count < $1.metrics.count }) {
            audit(group, input.statements, deadline: deadline, into: &report, &ledger)
            deadline = Deadline(seconds: min(deadline.left, options.seconds))
        }
        for family in joint.sorted(by: { $0.groups.count < $1.groups.count }) {
            audit(family, input.statements, deadline: deadline, into: &report, &ledger)
            deadline = Deadline(seconds: min(deadline.left, options.seconds))
        }
        report.pins = ledger.pins
        report.notices = ledger.notices
        report.unlisted = ledger.unlisted
        let spent = (ContinuousClock.now - start).components
        report.seconds = Double(spent.seconds) + Double(spent.attoseconds) * 1e-18
        return report
    }

    func audit(
        _ group: MetricGroup, _ statements: [AuditStatement], of family: JointMetrics? = nil, deadline: Deadline,
        into report: inout AuditReport, _ ledger: inout FindingLedger
    ) {
        let title = "\(group.app)/\(group.metrics.sorted().joined(separator: "+"))"
        guard !deadline.isOver else {
            report.unexamined.append("\(title): no time was left")
            return
        }
        for guesses in [true, false] {
            guard let model = LeafModel(group, options: options, guessesNoZero: guesses) else {
                if group.metrics.count > 1 || family != nil {
                    return auditApart(
                        group, family, title, "more than \(options.leafLimit) leaves", statements, deadline, &report,
                        &ledger)
                }
                report.unexamined.append("\(title): more than \(options.leafLimit) leaves")
                return
            }
            var attack = GroupAttack(model, statements: statements, options: options, deadline: deadline)
            var verdicts: [(Target, GroupAttack.Verdict)] = []
            attack.run { verdicts.append(($0, $1)) }
            let contradicts = attack.contradicts
            // A guess that nothing fits was wrong.
            if contradicts && guesses && model.guesses { continue }
            // Numbers that contradict each other differ all the same: a day has what came too late for its hours.
            if let family {
                let attack = DifferenceAttack(model, of: family, statements)
                for finding in attack.findings(until: deadline, isCertain: !contradicts) { ledger.add(finding) }
            }
            let absent = AbsentAttack(model, statements)
            for finding in absent.findings(until: deadline, isCertain: !contradicts) { ledger.add(finding) }
            if contradicts && (group.metrics.count > 1 || family != nil) {
                return auditApart(
                    group, family, title, "their numbers contradict each other", statements, deadline, &report, &ledger)
            }
            report.unread += model.unread
            report.leaves += model.classes.classOf.count
            report.unknowns += model.system.unknowns
            report.equations += model.system.rows.count
            report.components += attack.components.count
            report.largestComponent = max(
                report.largestComponent, attack.components.map(\.unknowns.count).max() ?? 0)
            report.targets += verdicts.count
            report.programs += attack.programs
            // A sum is as sensitive as its cell: where the count is proved to be k or more, it is only derivable.
            var large: Set<LeafModel.Cell> = []
            for (target, verdict) in verdicts where target.measure == .count {
                if let lower = verdict.lower, lower >= target.threshold {
                    large.insert(model.cell(of: target))
                }
            }
            for (target, verdict) in verdicts {
                let isLarge = large.contains(model.cell(of: target))
                judge(target, verdict, isLarge: isLarge, group.app, into: &report, &ledger)
            }
            note(attack, title, group, into: &report, &ledger)
            return
        }
    }

    /// Looks at each metric of a group alone, or, of many, first at each two that have events in common.
    private func auditApart(
        _ group: MetricGroup, _ family: JointMetrics?, _ title: String, _ reason: String,
        _ statements: [AuditStatement], _ deadline: Deadline, _ report: inout AuditReport,
        _ ledger: inout FindingLedger
    ) {
        if let family {
            let pairs = family.pairs
            report.unexamined.append(
                "\(title), together: \(reason); each\(pairs.isEmpty ? "" : " two") examined alone")
            for pair in pairs { audit(pair, statements, deadline: deadline, into: &report, &ledger) }
            if pairs.isEmpty {
                for one in family.groups { audit(one, statements, deadline: deadline, into: &report, &ledger) }
            }
            return
        }
        report.unexamined.append("\(title), together: \(reason); each was examined alone")
        for one in group.apart { audit(one, statements, deadline: deadline, into: &report, &ledger) }
    }

    private func note(
        _ attack: GroupAttack, _ title: String, _ group: MetricGroup, into report: inout AuditReport,
        _ ledger: inout FindingLedger
    ) {
        var reasons = attack.presolve.contradictions.map { place in
            attack.maker.search(over: [place], total: 0)
        }
        for component in attack.infeasible {
            reasons.append(attack.maker.search(over: attack.components[component].rows.map(\.source), total: 0))
        }
        for reason in reasons {
            ledger.add(
                AuditFinding(
                    kind: .contradiction, severity: .notice, app: group.app,
                    metric: group.metrics.sorted().joined(separator: "+"), measure: .count,
                    target: "published numbers", lower: nil, upper: nil, threshold: 0, certificates: [reason],
                    explanation: "no table of whole numbers of at least 0 fits these numbers"))
        }
        if deadlineHit(attack) {
            report.unexamined.append("\(title): the time box closed before every target was bounded")
        }
    }

    private func deadlineHit(_ attack: GroupAttack) -> Bool { attack.deadline.isOver }

    private func judge(
        _ target: Target, _ verdict: GroupAttack.Verdict, isLarge: Bool, _ app: String,
        into report: inout AuditReport,
        _ ledger: inout FindingLedger
    ) {
        func finding(
            _ kind: AuditFinding.Kind, _ isPin: Bool, _ lower: Int64, _ upper: Int64?,
            _ certificates: [AuditCertificate],
            _ explanation: String
        ) {
            ledger.add(
                AuditFinding(
                    kind: kind, severity: isPin ? .pin : .notice, app: app, metric: target.subject,
                    measure: target.measure, target: target.name, lower: lower, upper: upper,
                    threshold: target.measure.isSum ? 0 : target.threshold, certificates: certificates,
                    explanation: explanation))
        }
        switch verdict {
        case .cleared: report.cleared += 1
        case .open: report.clearedInFractions += 1
        case .empty: report.provedEmpty += 1
        case .unproved: report.unproved += 1
        case .exact(let value, let certificates):
            if target.name.hasPrefix("what is withheld together"), value >= target.threshold {
                report.cleared += 1
            } else if target.measure.isSum && !isLarge {
                finding(.exact, true, value, value, certificates, "can only be \(value) (in millionths)")
            } else if !target.measure.isSum, value < target.threshold {
                finding(.exact, true, value, value, certificates, "can only be \(value), under k = \(target.threshold)")
            } else {
                finding(
                    .derivable, options.derivableIsPin, value, value, certificates,
                    "can only be \(value): withheld, but derivable")
            }
        case .range(let lower, let upper, let certificates):
            if !target.measure.isSum, let upper, upper < target.threshold {
                finding(
                    // Of a part that no metric counts, only what is known to be somebody is told.
                    .bounded, !target.isAtom || lower > 0, lower, upper, certificates,
                    "lies between \(lower) and \(upper), under k = \(target.threshold)")
            } else if let upper, Interval(lower: lower, upper: upper).isClose(percent: options.closeness) {
                finding(
                    .close, target.measure.isSum && !isLarge, lower, upper, certificates,
                    "lies between \(lower) and \(upper), which is within \(options.closeness) %")
            } else {
                report.cleared += 1
            }
        }
    }

    /// What single published numbers give away.
    private func plainTells(_ input: AuditInput, _ histories: [String: KnownHistory]) -> [AuditFinding] {
        let families = Dictionary(grouping: input.families) { [$0.app, $0.metric] }
        return input.statements.compactMap { statement in
            guard let value = statement.plainValue, let term = statement.terms.first, !term.measure.isSum,
                let least = families[[statement.app, term.metric]]?.threshold(
                    in: term.region.period, where: { _ in true })
            else { return nil }
            // What was counted under a stricter plan is released under it.
            let threshold = max(
                least, histories[statement.app]?.threshold(of: term.metric, since: term.region.period) ?? 0)
            guard value < threshold, !(value == 0 && input.plan.publicZeros.contains(term.metric))
            else { return nil }
            return AuditFinding(
                kind: value == 0 ? .zeroShown : .belowThreshold, severity: .pin, app: statement.app,
                metric: term.metric, measure: term.measure, target: "\(term.region)", lower: value, upper: value,
                threshold: threshold, certificates: [],
                explanation: value == 0
                    ? "a published zero tells zeros from small numbers [\(statement.source)]"
                    : "\(value) was published, under k = \(threshold) [\(statement.source)]")
        }
    }

    /// What the second largest contributor knows of the largest: T − own at most, and at least what is left when all
    /// others are as large as the insider.
    private func dominance(_ input: AuditInput) -> [AuditFinding] {
        input.insiders.compactMap { insider in
            guard let total = insider.statement.plainValue, let term = insider.statement.terms.first,
                insider.contributors >= 2
            else { return nil }
            let own = insider.ownContribution
            let upper = total - own
            let lower = max(own, total - (insider.contributors - 1) * own)
            guard upper >= lower, Interval(lower: lower, upper: upper).isClose(percent: options.closeness) else {
                return nil
            }
            return AuditFinding(
                kind: .dominance, severity: .pin, app: insider.statement.app, metric: term.metric,
                measure: term.measure, target: "the largest contribution to \(term.region)", lower: lower, upper: upper,
                threshold: 0,
                certificates: [
                    AuditCertificate(
                        claim: .atMost,
                        steps: [
                            .init(coefficient: "1", source: insider.statement.source, number: insider.statement.text)
                        ],
                        zeros: [], rules: ["the insider's own contribution is \(own)"], total: "\(upper)", isExact: true
                    )
                ],
                explanation: "the second largest contributor knows that it lies between \(lower) and \(upper)")
        }
    }
}

/// Collects findings; beyond a limit of each kind they are only counted.
struct FindingLedger {
    let limit: Int
    private(set) var pins: [AuditFinding] = []
    private(set) var notices: [AuditFinding] = []
    private(set) var unlisted: [String: Int] = [:]
    private var counts: [AuditFinding.Kind: Int] = [:]
    private var seen: Set<AuditFinding> = []

    init(limit: Int) { self.limit = max(1, limit) }

    mutating func add(_ finding: AuditFinding) {
        guard seen.insert(finding).inserted else { return }
        counts[finding.kind, default: 0] += 1
        guard counts[finding.kind, default: 0] <= limit else {
            unlisted[finding.kind.rawValue, default: 0] += 1
            return
        }
        if finding.severity == .pin { pins.append(finding) } else { notices.append(finding) }
    }
}
