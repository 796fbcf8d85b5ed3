import PlanTrial
import Testing
import ThrongAudit
import ThrongFaults
import ThrongPlan
import ThrongRelease

/// A small town under a plan: its people are counted as the plan says, released by the engine, and attacked with what was
/// published and the plan alone. k = 20.
struct PlanTown {
    /// 2026-11-16 00:00 UTC, a Monday.
    static let monday = UnixSeconds(1_794_787_200)

    /// Some devices that all do the same.
    struct People {
        let devices: Int64
        /// By field.
        let values: [String: String]
        /// By event, how many each device sends.
        let events: [String: Int64]
        /// Which days; 0 is the Monday.
        var days: Range<Int> = 0..<1
        /// Of each day.
        var hour = 0
        /// They came after their day was over, and count on this one, with their identifiers of the day before.
        var areLate = false
        /// Periods of this length were over when they came; longer ones count them.
        var tooLateFor: PeriodKind?
        var agree = true
    }

    let plan: Plan
    let people: [People]
    /// What equally good choices are drawn by.
    let seed: UInt64
    private(set) var releases: [Release] = []

    init(_ plan: Plan, _ people: [People], seed: UInt64 = 7) {
        self.plan = plan
        self.seed = seed
        self.people = people
    }

    /// A plan of metrics as YAML; dimensions of `country`, `kind` and `event` are the test's own.
    static func plan(
        _ dimensions: String, _ metrics: String, purposes: String = "", threshold: Int = 20
    ) throws -> Plan {
        try Plan(
            yaml: """
                app: {title: Town, name: town, owner: Team, contact: a@example.com, audience: 1000, threshold: \(threshold)}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 300 days}
                \(purposes.indented)
                dimensions:
                \(dimensions.indented)
                metrics:
                \(metrics.indented)
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    /// A metric as YAML.
    static func metric(
        _ name: String, _ events: String, _ dimensions: String, purpose: String = "product", bound: Int = 100,
        period: PeriodKind = .day, more: String = ""
    ) -> String {
        """
        \(name):
          {title: It, question: What?, decision: That., owner: Team, expires: 2027-10-31, period: \(period.rawValue),
          events: [\(events)], dimensions: [\(dimensions)], purpose: \(purpose), contribution_bound: \(bound)\(more)}

        """
    }

    static func day(_ day: Int) -> Period {
        Period(kind: .day, start: monday + Int64(day) * 86_400, end: monday + Int64(day + 1) * 86_400)
    }

    /// When a device of some people does in a period what it does.
    private static func moments(of people: People, in period: Period) -> [UnixSeconds] {
        people.days.map { monday + Int64($0) * 86_400 + Int64(people.hour) * 3600 }
            .filter { period.start <= $0 && $0 < period.end }
    }

    /// What was counted of a metric in a period: each device does the same on each of its days.
    private func cube(_ metric: Metric, _ period: Period) throws -> StoredCube {
        let layout = try plan.layout(of: metric, rules: .system)
        let rules = try plan.cubeDimensions(of: metric).map { ($0, try $0.rule.compiled(rules: .system)) }
        let mustAgree = plan.purpose(metric.purpose)?.needsConsent ?? false
        var events: [CellIndex: Int64] = [:]
        var sums: [CellIndex: [Int64]] = [:]
        var devices: [Place: Int64] = [:]
        var largest: [Place: [Int64]] = [:]
        for (moment, group) in people.flatMap({ group in Self.moments(of: group, in: period).map { ($0, group) } })
        where (group.agree || !mustAgree) && group.tooLateFor != period.kind {
            let window = layout.rotation.window(at: moment + (group.areLate ? -86_400 : 0))
            var own: [CellIndex: Int64] = [:]
            for event in metric.events {
                guard let each = group.events[event.text], each > 0 else { continue }
                let buckets = rules.map { dimension, rule in
                    let text = dimension.field == .event ? event.text : group.values[dimension.field.text]
                    return (text ?? "").withFieldValue { rule.bucket($0) }
                }
                own[layout.cell(buckets: buckets, in: layout.leaf), default: 0] += each
            }
            let amounts = metric.sums.map { $0.quantum(of: Double(group.values[$0.field.text] ?? "") ?? 0) }
            for (cell, each) in own {
                events[cell, default: 0] += each * group.devices
                let old = sums[cell] ?? Array(repeating: 0, count: amounts.count)
                sums[cell] = zip(old, amounts).map { $0 + $1 * each * group.devices }
            }
            for margin in layout.trackedMargins {
                var touched: [CellIndex: Int64] = [:]
                for (cell, each) in own {
                    touched[layout.project(cell, from: layout.leaf, to: margin), default: 0] += each
                }
                for (cell, each) in touched {
                    let place = Place(margin: margin, cell: cell, window: window)
                    devices[place, default: 0] += group.devices
                    // Two devices of each group at most are among the two largest.
                    largest[place, default: []] +=
                        Array(repeating: each, count: Int(min(2, group.devices))).flatMap { each in
                            amounts.map { $0 * each }
                        }
                }
            }
        }
        let counters = events.sorted { $0.key < $1.key }.flatMap { cell, value in
            [StoredCounter(measure: .count, cell: cell, value: value)]
                + (sums[cell] ?? []).enumerated().map { StoredCounter(measure: .sum($0), cell: cell, value: $1) }
        }
        let distinct = devices.map { place, devices in
            StoredDistinct(margin: place.margin, cell: place.cell, window: place.window, devices: devices)
        }
        // One sum at most, so that these are its contributions.
        let top = (metric.sums.isEmpty ? [:] : largest).map { place, amounts in
            let sorted = amounts.sorted(by: >)
            return StoredTop(
                margin: place.margin, cell: place.cell, measure: .sum(0), window: place.window,
                largest: sorted.first ?? 0, second: sorted.dropFirst().first ?? 0)
        }
        return StoredCube(layout: layout, period: period, counters: counters, distinct: distinct, top: top)
    }

    private struct Place: Hashable {
        let margin: Margin
        let cell: CellIndex
        let window: WindowNumber
    }

    /// Releases every metric, in the plan's order, for those of some periods that are of its length; where it is the only
    /// one, also for those that are made up of them.
    mutating func release(_ periods: [Period] = [day(0)], terms: ReleaseTerms? = nil) throws {
        let history = TermsHistory(
            plan.metrics.enumerated().map { number, metric in
                TermsVersion(
                    metric: metric.name, layout: Int64(number), since: nil, until: nil,
                    terms: plan.releaseTerms(of: metric))
            }, from: periods.map(\.start).min() ?? Self.monday, to: periods.map(\.end).max() ?? Self.monday)
        for (number, metric) in plan.metrics.enumerated() {
            for period in periods
            where period.kind == metric.period || plan.metrics.count == 1 && period.kind > metric.period {
                let parts = try periods.filter {
                    $0.kind == metric.period && $0.start >= period.start && $0.end <= period.end
                }.map { try cube(metric, $0) }
                let layout = try plan.layout(of: metric, rules: .system)
                let isWhole = period.kind == metric.period
                let tied = isWhole ? try tied(to: metric, period, periods, history) : []
                let header = ReleaseHeader(plan: plan, metric: metric, layout: layout, period: period)
                    .tightened(by: terms)
                let decision = try ReleaseCase(
                    header: header, parts: parts, earlier: isWhole ? [] : releases,
                    tied: tied.contains { !$0.releases.isEmpty } ? tied : [],
                    counted: history.counted(by: metric.name), countedInLayout: history.counted(in: Int64(number)),
                    origins: history.origins(of: Int64(number))
                ).decide(ReleaseOptions(seed: seed, proofSeconds: 10))
                releases.append(decision.release)
            }
        }
    }

    /// Everything else that counts some of the same events, with what was published of it.
    private func tied(
        to metric: Metric, _ period: Period, _ periods: [Period], _ history: TermsHistory
    ) throws -> [TiedMetric] {
        let names = Set([metric.name] + plan.metrics(tiedTo: metric).map(\.name))
        let ties = EventTies(plan).during(history)
        return try plan.metrics.enumerated().filter { names.contains($0.element.name) }.map { number, other in
            let others = periods.filter { $0.kind == other.period && (other.name != metric.name || $0 != period) }
            return TiedMetric(
                counted: ties.counted(by: other.name, purpose: other.purpose, published: nil),
                layout: try plan.layout(of: other, rules: .system), parts: try others.map { try cube(other, $0) },
                releases: releases.filter {
                    $0.header.layout.metric == other.name && others.contains($0.header.period)
                }, origins: history.origins(of: Int64(number)), countedInLayout: history.counted(in: Int64(number)))
        }
    }

    /// What an attacker finds who has every release and the plan in these versions.
    ///
    /// - Parameter others: more releases of the same town.
    func audit(_ plans: [KnownPlan]? = nil, and others: [Release] = [], seconds: Double = 30) -> AuditReport {
        var options = AuditOptions()
        options.seconds = seconds
        var input = AuditInput()
        for release in releases + others { input.add(AuditTable(of: release)) }
        return Auditor(options: options).audit(input, knowing: plans ?? [KnownPlan(plan)])
    }

    /// What the audit finds of a town that is released without some protections.
    static func audit(
        _ plan: Plan, _ people: [People], without faults: Set<Fault>, _ periods: [Period] = [day(0)],
        terms: ReleaseTerms? = nil, knowing plans: [KnownPlan]? = nil
    ) throws -> AuditReport {
        var town = PlanTown(plan, people)
        try Fault.with(faults) { try town.release(periods, terms: terms) }
        #expect(!town.releases.flatMap(\.cells).isEmpty, "nothing was published")
        return town.audit(plans)
    }

    /// Every published number of events, by metric and buckets: "safe country=AT".
    var published: [String: Int64] {
        var input = AuditInput()
        for release in releases { input.add(AuditTable(of: release)) }
        var found: [String: Int64] = [:]
        for statement in input.statements where statement.terms[0].measure == .count {
            found["\(statement.terms[0].metric) \(statement.terms[0].region.buckets)"] = statement.lower
        }
        return found
    }
}

extension String {
    /// Each line two places to the right.
    fileprivate var indented: String {
        split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    }
}
