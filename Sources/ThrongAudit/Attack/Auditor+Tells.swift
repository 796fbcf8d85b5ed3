extension Auditor {
    /// Sums of two values, of which too few events have one: such a sum is a dimension in disguise.
    func flags(_ input: AuditInput, _ histories: [String: KnownHistory]) -> [AuditFinding] {
        struct Key: Hashable {
            let app: String
            let metric: String
            let region: AuditRegion
        }
        var counts: [Key: Int64] = [:]
        let families = Dictionary(grouping: input.families) { [$0.app, $0.metric] }
        for statement in input.statements {
            guard let value = statement.plainValue, let term = statement.terms.first, term.measure == .count else {
                continue
            }
            counts[Key(app: statement.app, metric: term.metric, region: term.region)] = value
        }
        return input.statements.compactMap { statement in
            guard let value = statement.plainValue, let term = statement.terms.first,
                case .sum(let name) = term.measure, let history = histories[statement.app],
                let metric = history.stretches(of: term.metric, in: term.region.period).first?.metric,
                let sum = metric.sums.first(where: { $0.name == name || $0.unit == name }), let unit = sum.flagUnit,
                let events = counts[Key(app: statement.app, metric: term.metric, region: term.region)]
            else { return nil }
            let threshold = max(
                families[[statement.app, term.metric]]?.threshold(in: term.region.period) { _ in true } ?? 0,
                history.threshold(of: term.metric, since: term.region.period))
            let lowest = Int64((sum.lowest * 1_000_000).rounded())
            let upper = (value - lowest * events) / unit
            let few = min(upper, events - upper)
            guard few < threshold, few >= 0 else { return nil }
            return AuditFinding(
                kind: .flag, severity: .pin, app: statement.app, metric: term.metric, measure: term.measure,
                target: "\(term.region)", lower: few, upper: few, threshold: threshold, certificates: [],
                explanation:
                    "\(upper) of \(events) events have the one of two values: \(few) is under k = \(threshold) "
                    + "[\(statement.source)]")
        }
    }

    /// Numbers of events of which one or two devices may have sent nearly all, as far as the number of devices says.
    ///
    /// In one window d devices sent one event each at least, and none more than the bound. Where they leave one device so
    /// much that the second largest sender could tell it within p %, the number was no crowd's.
    func heavy(_ input: AuditInput, _ histories: [String: KnownHistory]) -> [AuditFinding] {
        struct Key: Hashable {
            let app: String
            let metric: String
            let region: AuditRegion
        }
        var devices: [Key: Int64] = [:]
        for statement in input.statements {
            guard let value = statement.plainValue, let term = statement.terms.first, term.measure == .reach else {
                continue
            }
            devices[Key(app: statement.app, metric: term.metric, region: term.region)] = value
        }
        return input.statements.compactMap { statement in
            guard let events = statement.plainValue, let term = statement.terms.first, term.measure == .count,
                let known = devices[Key(app: statement.app, metric: term.metric, region: term.region)], known > 0,
                let metric = histories[statement.app]?.stretches(of: term.metric, in: term.region.period).first?.metric,
                metric.isComparable, term.region.period.end - term.region.period.start <= metric.windowSeconds
            else { return nil }
            func most(of senders: Int64) -> Int64 {
                let (all, overflow) = metric.bound.multipliedReportingOverflow(by: senders)
                return max(0, min(overflow ? .max : all, events - max(0, known - senders)))
            }
            guard Int128(100) * Int128(events - most(of: 2)) < Int128(options.closeness) * Int128(most(of: 1)) else {
                return nil
            }
            return AuditFinding(
                kind: .dominance, severity: .pin, app: statement.app, metric: term.metric, measure: .count,
                target: "\(term.region)", lower: nil, upper: most(of: 1), threshold: 0,
                certificates: [],
                explanation:
                    "\(events) events of \(known) devices: one of them may have sent \(most(of: 1)) "
                    + "[\(statement.source)]")
        }
    }
}

extension KnownSum {
    /// By how much its two values differ, where it has two; nil otherwise. Unit: 10^-6 of the sum's.
    fileprivate var flagUnit: Int64? {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let steps = (highest * scale).rounded(.toNearestOrEven) - (lowest * scale).rounded(.toNearestOrEven)
        return steps == 1 ? Int64((1_000_000 / scale).rounded()) : nil
    }
}
