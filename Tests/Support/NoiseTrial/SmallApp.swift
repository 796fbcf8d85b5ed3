internal import ThrongChance
internal import ThrongNoise
internal import ThrongPlan
internal import ThrongRelease
internal import ThrongWire

/// Days of an app with few devices, released with noise over and over, of which everything is known.
package struct SmallApp {
    /// How devices spread over the cells.
    package enum Spread: String, CaseIterable, Sendable {
        /// Every cell is as likely.
        case even
        /// A few have nearly all: Zipf with an exponent of 1.6 along each dimension.
        case heavy
        /// There are five devices, so that nearly every number is 0.
        case sparse
    }

    /// What many draws came to, of one grouping.
    package struct Outcome {
        /// Such as `os`; `total`.
        package let name: String
        /// Unit: cells.
        package let cells: Int
        /// What `throng plan check` says. Unit: events.
        package let planned: Int64
        /// What releases said, the median. Unit: events.
        package let stated: Int64
        /// The share of numbers within what their release said.
        package let held: Double
        /// Within what 95 % of the numbers really were. Unit: events.
        package let actual: Int64
        /// The mean error, with its sign. Unit: events.
        package let bias: Double
    }

    /// Unit: devices.
    package let devices: Int
    private let layout: MetricLayout
    private let groupings: [Margin]
    private let header: ReleaseHeader
    private let terms: NoiseTerms
    private let shape: ConsistentShape
    /// Of the same metric with `unit: window`.
    private let former: NoiseTerms

    /// 500 devices a day by system, channel and country: 4 × 4 × 6 cells, the total, each dimension alone, and all together.
    ///
    /// - Parameter countsEvents: whether there are no identifiers, and each device sends one event.
    package init(
        devices: Int = 500, epsilon: String = "1", mechanism: String = "laplace, epsilon", countsEvents: Bool = false
    ) throws {
        func read(_ unit: String) throws -> Plan {
            let text = Self.yaml(mechanism, epsilon, unit)
            return try Plan(
                yaml: unit.contains("event") ? text.replacing("rotation: 1 day", with: "identifier: none") : text,
                file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        }
        let plan = try read(countsEvents ? ", unit: event" : ", unit: device")
        guard let metric = plan.metrics.first, let calendar = PeriodCalendar(timeZone: plan.app.timeZone) else {
            preconditionFailure("the plan above has a metric and a time zone")
        }
        self.devices = devices
        layout = try plan.layout(of: metric, rules: .system)
        groupings = plan.groupings(of: metric)
        let period = calendar.period(.day, containing: UnixSeconds(1_795_046_400))
        let weights = groupings.map { NoiseTerms.weight(of: $0, shown: plan.reportedGroupings(of: metric)) }
        let windows = layout.windowsHidden(in: period)
        guard let terms = try layout.noiseTerms(groupings: groupings, weights: weights, windows: windows) else {
            preconditionFailure("the metric has noise")
        }
        self.terms = terms
        header = ReleaseHeader(
            layout: layout, period: period, plan: plan.version, threshold: .none, sampling: 1, reach: false,
            groupings: groupings, protection: nil,
            noise: try ReleaseNoise(terms, weights: weights, windows: windows))
        shape = try ConsistentShape(header)
        let before = try read("")
        let old = try before.layout(of: before.metrics[0], rules: .system)
        guard let former = try old.noiseTerms(groupings: groupings) else { preconditionFailure("so has this") }
        self.former = former
    }

    /// The margin of every number with `unit: window` and nothing else said, at the same cost. Unit: events.
    package func marginBefore() throws -> Int64 {
        Int64(clamping: try former.distributions[0].margin(missing: NoiseDistribution.oneInTwenty))
    }

    /// Draws a number of days, each with devices of its own.
    ///
    /// - Throws: what can't be drawn.
    package func run(_ spread: Spread, days: Int, seed: UInt64) throws -> [Outcome] {
        var dice = SeededGenerator(seed: seed)
        let places = groupings.map { layout.declaredCells(of: [$0]).map(\.cell) }
        var errors: [[Int64]] = groupings.map { _ in [] }
        var stated: [[Int64]] = groupings.map { _ in [] }
        var held = groupings.map { _ in 0 }
        for _ in 0..<days {
            let counted = counted(spread, using: &dice)
            let numbers = shape.numbers(of: try draw(counted, using: dice))
            _ = dice.next()
            var place = 0
            for grouping in groupings.indices {
                let margin = numbers.margins[grouping][0]
                stated[grouping].append(margin)
                for _ in places[grouping] {
                    let error = numbers.values[0][place] - counted[place]
                    errors[grouping].append(error)
                    if abs(error) <= margin { held[grouping] += 1 }
                    place += 1
                }
            }
        }
        return try groupings.indices.map { place in
            let names = layout.dimensions.indices.filter(groupings[place].keeps).map { layout.dimensions[$0].name.text }
            let sizes = errors[place].map(abs).sorted()
            return Outcome(
                name: names.isEmpty ? "total" : names.joined(separator: " × "), cells: places[place].count,
                planned: Int64(
                    clamping: try terms.groupings[place].distributions[0].margin(
                        missing: NoiseDistribution.oneInTwenty)),
                stated: stated[place].sorted()[days / 2],
                held: Double(held[place]) / Double(sizes.count), actual: sizes[sizes.count * 95 / 100],
                bias: Double(errors[place].reduce(0, +)) / Double(sizes.count))
        }
    }

    /// A number a declared cell: each device counts once.
    private func counted(_ spread: Spread, using dice: inout SeededGenerator) -> [Int64] {
        let declared = layout.declaredCells(of: groupings)
        var counts: [MetricLayout.DeclaredCell: Int64] = [:]
        let projections = groupings.map { layout.projection(from: layout.leaf, to: $0) }
        for _ in 0..<(spread == .sparse ? 5 : devices) {
            let buckets = layout.dimensions.map { dimension -> Int in
                let weights = dimension.labels.indices.map { bucket in
                    spread == .heavy ? Self.zipf[bucket] : 1
                }
                var left = dice.fraction() * weights.reduce(0, +)
                for (bucket, weight) in weights.enumerated() {
                    left -= weight
                    if left < 0 { return bucket }
                }
                return 0
            }
            let leaf = layout.cell(buckets: buckets, in: layout.leaf)
            for (grouping, project) in zip(groupings, projections) {
                counts[.init(margin: grouping, cell: project(leaf)), default: 0] += 1
            }
        }
        return declared.map { counts[$0] ?? 0 }
    }

    /// 1 / rank^1.6.
    private static let zipf = [1, 0.3299, 0.1724, 0.1088, 0.0761, 0.0569, 0.0444, 0.0359]

    private func draw(_ counted: [Int64], using dice: SeededGenerator) throws -> NoiseDraw {
        let name = NoiseReleaseID("trial")
        var ledger = try BudgetLedger(budget: PrivacyBudget(total: terms.mechanism.cost, per: .purpose))
        _ = try ledger.reserve(name, terms: terms, in: [BudgetSlot(start: 0)])
        var bits = RandomBits(dice)
        return try ledger.isDurable(name).draw([counted], using: &bits)
    }

    private static func yaml(_ mechanism: String, _ cost: String, _ unit: String) -> String {
        let currency = mechanism.hasPrefix("laplace") ? "epsilon" : "rho"
        return """
            app: {name: notes, title: Notes, owner: Team, contact: a@example.com, audience: 500}
            purposes:
              product:
                explanation: To see.
                consent: not_required
                rotation: 1 day
                retention: 30 days
                budget: {\(currency): 100, per: month}
            dimensions:
              os: {title: System, field: os, list: [ios, android, windows]}
              channel: {title: Channel, field: channel, list: [search, mail, shop]}
              country: {title: Country, field: country, list: [AT, CH, DE, FR, IT]}
            metrics:
              opened:
                title: Opened
                events: [open]
                question: How many use it?
                decision: Whether it goes on.
                owner: Team
                expires: 2027-10-31
                purpose: product
                dimensions: [os, channel, country]
                period: day
                noise: {mechanism: \(mechanism): \(cost)\(unit)}
            insights:
              all: {title: All, metric: opened, kind: count}
              by_os: {title: By system, metric: opened, kind: count, by: [os]}
              by_channel: {title: By channel, metric: opened, kind: count, by: [channel]}
              by_country: {title: By country, metric: opened, kind: count, by: [country]}
            partners:
              bank: {title: Bank, contact: b@example.com}
            reports:
              daily: {title: Daily, partner: bank, insights: [all, by_os, by_channel, by_country], period: day}
            """
    }
}
