/// What published numbers of devices of one window, or of one period in which they proved themselves, differ by: so many devices
/// are in the one and not in the other.
///
/// Where a device may be in several buckets numbers of devices don't add up, but who is in a whole and in none of a part's
/// events is counted by their difference all the same.
struct AbsentAttack {
    private let model: LeafModel
    private let statements: [AuditStatement]
    private let numbers: [Number]

    /// A published number of devices.
    private struct Number {
        let place: Int
        let metric: String
        let regions: [LeafRegion]
        let value: Int64
        let threshold: Int64
        /// The one span in which they were told apart.
        let span: AuditPeriod
    }

    init(_ model: LeafModel, _ statements: [AuditStatement]) {
        self.model = model
        self.statements = statements
        numbers = model.reachFacts.compactMap { fact in
            guard let term = statements[fact.place].terms.first, statements[fact.place].plainValue != nil,
                let span =
                    (model.group.plan.deviceSpans[term.metric]
                    ?? (model.group.isJoint ? model.group.plan.deviceSpans.values.first : nil))?
                    .holding(term.region.period)
            else { return nil }
            let period = term.region.period
            let threshold = model.group.families.threshold(in: period) { $0.subject == term.metric } ?? 0
            return Number(
                place: fact.place, metric: term.metric, regions: fact.regions, value: fact.value, threshold: threshold,
                span: span)
        }
    }

    /// Plays.
    ///
    /// - Parameter isCertain: whether no numbers contradict each other. Where some do, only one metric's are compared.
    /// - Complexity: O(numbers²) comparisons of regions at worst.
    func findings(until deadline: Deadline, isCertain: Bool = true) -> [AuditFinding] {
        var found: [AuditFinding] = []
        for whole in numbers {
            if deadline.isOver { return found }
            for part in numbers
            where part.value < whole.value && part.span == whole.span && (isCertain || part.metric == whole.metric) {
                let threshold = max(whole.threshold, part.threshold)
                guard whole.value - part.value < threshold, model.space.holds(whole.regions, part.regions) else {
                    continue
                }
                found.append(finding(whole, part, threshold))
            }
        }
        return found
    }

    private func finding(_ whole: Number, _ part: Number, _ threshold: Int64) -> AuditFinding {
        let rest = whole.value - part.value
        let names = [whole, part].map { "\($0.metric) of \(statements[$0.place].terms[0].region)" }
        return AuditFinding(
            kind: .exact, severity: .pin, app: model.group.app, metric: whole.metric, measure: .reach,
            target: "devices of \(names[0]) that are not among \(names[1])", lower: rest, upper: rest,
            threshold: threshold,
            certificates: [
                AuditCertificate(
                    claim: .equal,
                    steps: [(whole, "1"), (part, "-1")].map { number, sign in
                        .init(
                            coefficient: sign, source: statements[number.place].source,
                            number: statements[number.place].text)
                    }, zeros: [],
                    rules: ["within a window, or a period in which devices prove themselves, each is counted once"],
                    total: "\(rest)", isExact: true)
            ],
            explanation: "can only be \(rest), under k = \(threshold)")
    }
}
