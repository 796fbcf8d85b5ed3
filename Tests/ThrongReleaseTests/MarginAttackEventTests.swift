import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("Attacks on margins: events and sums of metrics that share some, and devices that hit every bound")
struct MarginAttackEventTests {
    /// k·b/10 of k = 20 and b = 10. Unit: events.
    private static let least = 20.0

    /// A plan of metrics with margins, by the events that they count and what they split them by.
    private static func plan(_ metrics: [(events: [String], dimensions: [String])], purposes: [String]) throws -> Plan {
        let lines = metrics.enumerated().map { place, metric in
            """
              m\(place):
                {title: It, events: [\(metric.events.joined(separator: ", "))], question: What?, decision: That.,
                dimensions: [\(metric.dimensions.joined(separator: ", "))], owner: Team, expires: 2027-10-31,
                purpose: \(purposes[place % purposes.count]), period: day, measures: {reach: true}, contribution_bound: 10}
            """
        }
        return try Plan(
            yaml: """
                app: {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 \
                hours}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                  visit: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
                  twin: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                dimensions:
                  page: {title: Page, field: page, list: [home, notes]}
                  door: {title: Door, field: page, list: [home]}
                metrics:
                \(lines.joined(separator: "\n"))
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    private static func factors(
        _ metrics: [(events: [String], dimensions: [String])], purposes: [String] = ["product"]
    ) throws -> [Int64] {
        let plan = try plan(metrics, purposes: purposes)
        return plan.metrics.map { plan.marginFactors(of: $0).events }
    }

    /// Estimates a sum of metrics' events with coefficients.
    ///
    /// - Parameter events: by event, how many there are; its devices are a half of them.
    private static func combined(
        _ metrics: [[EventName]], _ coefficients: [Double], factor: Int64, _ events: [EventName: Int64]
    ) throws -> Estimates {
        let attacked = metrics.map { names in
            let sent = names.reduce(Int64(0)) { $0 + (events[$1] ?? 0) }
            return (
                metric: AttackedMetric(events: Set(names), factors: MarginFactors(events: factor, devices: 1)),
                crowd: AttackedMetric.Counted.devices(sent / 2, each: 2)
            )
        }
        return try Estimates { secret in
            var sum = 0.0
            for (coefficient, one) in zip(coefficients, attacked) {
                guard let number = try one.metric.total(one.crowd, by: secret).events() else { return nil }
                sum += coefficient * number
            }
            return sum
        }
    }

    @Test("parts and a whole: orders by themselves, and by what all events have more than views")
    func parts() throws {
        let factors = try Self.factors([(["view"], []), (["order"], []), (["view", "order"], [])])
        #expect(factors == [2, 2, 2])
        // The best weights: two thirds of the own number, and a third of the difference.
        let estimates = try Self.combined(
            [["order"], ["view", "order"], ["view"]], [2.0 / 3, 1.0 / 3, -1.0 / 3], factor: 2,
            ["view": 900, "order": 240])
        // 2·2V·(4 + 1 + 1)/9.
        estimates.expect(240, least: Self.least, theory: (400 * 8.0 / 3).squareRoot())
    }

    @Test("a triangle of three metrics: 14 payment errors by halves")
    func triangle() throws {
        #expect(try Self.factors([(["a", "b"], []), (["b", "c"], []), (["a", "c"], [])]) == [2, 2, 2])
        let estimates = try Self.combined(
            [["a", "b"], ["b", "c"], ["a", "c"]], [0.5, 0.5, -0.5], factor: 2, ["a": 160, "b": 14, "c": 180])
        estimates.expect(14, least: Self.least, theory: (400 * 3.0).squareRoot())
    }

    @Test("a cycle of five metrics")
    func cycle() throws {
        let names: [EventName] = ["a", "b", "c", "d", "e"]
        let metrics = (0..<5).map { [names[$0], names[($0 + 1) % 5]] }
        #expect(try Self.factors(metrics.map { ($0.map(\.text), []) }) == [2, 2, 2, 2, 2])
        let estimates = try Self.combined(
            metrics, [0.5, -0.5, 0.5, -0.5, 0.5], factor: 2, ["a": 14, "b": 160, "c": 120, "d": 140, "e": 110])
        estimates.expect(14, least: Self.least, theory: (400 * 5.0).squareRoot())
    }

    @Test("four metrics of three events each, by thirds")
    func thirds() throws {
        let names: [EventName] = ["a", "b", "c", "d"]
        let metrics = (0..<4).map { left in names.enumerated().filter { $0.offset != left }.map(\.element) }
        #expect(try Self.factors(metrics.map { ($0.map(\.text), []) }) == [3, 3, 3, 3])
        // The sum of all is three of each event; less the metric without a, and 2 thirds more of it.
        let estimates = try Self.combined(
            metrics, [-2.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3], factor: 3, ["a": 14, "b": 120, "c": 140, "d": 160])
        // 3·2V·7/9.
        estimates.expect(14, least: Self.least, theory: (400 * 14.0 / 3).squareRoot())
    }

    @Test("metrics that split one field by two rules are two, whichever the plan names first")
    func order() throws {
        #expect(try Self.factors([(["view"], ["page"]), (["view"], ["door"])]) == [2, 2])
        #expect(try Self.factors([(["view"], ["page"]), (["view"], ["door"]), (["view"], [])]) == [2, 2, 2])
        // A metric without the field is alike to both.
        #expect(try Self.factors([(["view"], []), (["view"], ["page"]), (["view"], ["door"])]) == [2, 2, 2])
    }

    @Test("under a bound of 1 or 2, events of devices that send one each are these devices", arguments: [1, 2])
    func single(bound: Int) throws {
        let spent = SumMeasure(name: "spent", field: "amount", lowest: 0, highest: 50, decimals: 0, unit: "EUR")
        let metric = AttackedMetric(sums: [spent], bound: bound)
        let crowd = AttackedMetric.Counted(events: 303, devices: 303, sums: [15_150])
        let events = try Estimates { try metric.total(crowd, by: $0).events().map { $0 - 300 } }
        events.expect(3, least: 5, theory: 50.0.squareRoot())
        let sum = try Estimates { try metric.total(crowd, by: $0).sum().map { $0 / 50 - 300 } }
        sum.expect(3, least: 5, theory: 50.0.squareRoot())
        let days = try Estimates { secret in
            let found = try (0..<30).compactMap { try metric.total(crowd, in: Town.day($0), by: secret).events() }
            return found.reduce(0, +) / Double(found.count) - 300
        }
        days.expect(3, least: 5, theory: (25 + 25.0 / 30).squareRoot())
    }

    @Test("the same events by identifiers of two rotations are two questions; of one rotation, in two purposes, one")
    func rotations() throws {
        let views = (events: ["view"], dimensions: [String]())
        #expect(try Self.factors([views, views], purposes: ["product", "twin"]) == [1, 1])
        #expect(try Self.factors([views, views], purposes: ["product", "visit"]) == [2, 2])
        #expect(try Self.factors([views, views, views], purposes: ["product", "visit", "twin"]) == [2, 2, 2])
    }

    @Test("a device that hits every bound: its events, and its price at the clip")
    func bounds() throws {
        let spent = SumMeasure(name: "spent", field: "amount", lowest: 0, highest: 50, decimals: 0, unit: "EUR")
        let metric = AttackedMetric(sums: [spent])
        let crowd = AttackedMetric.Counted(events: 610, devices: 301, sums: [9500])
        let events = try Estimates { try metric.total(crowd, by: $0).events().map { $0 - 600 } }
        events.expect(10, least: Self.least, theory: 800.0.squareRoot())
        // 20·10·50/10 a layer.
        let sum = try Estimates { try metric.total(crowd, by: $0).sum().map { $0 - 9000 } }
        sum.expect(500, least: 1000, theory: 2_000_000.0.squareRoot())
    }

    @Test(
        "a price list: 57 orders and 1,148.44 EUR at three prices have one solution if exact, and hundreds now"
    )
    func prices() throws {
        func sum(_ name: String, to highest: Double) -> SumMeasure {
            SumMeasure(name: name, field: "amount", lowest: 0, highest: highest, decimals: 2, unit: "EUR")
        }
        // 40, 16 and 1 of 4.99, 49.99 and 149; under a clip of 50 the last is one of 50.
        let crowd = AttackedMetric.Counted(events: 57, devices: 57, sums: [114_844, 104_944])
        let metric = AttackedMetric(sums: [sum("spent", to: 150), sum("low", to: 50)], bound: 2)
        let rare = try Estimates { secret in
            let release = try metric.total(crowd, by: secret)
            guard let spent = release.sum(0), let low = release.sum(1) else { return nil }
            return (spent - low) / 9900
        }
        // 5 times 150 and 50 EUR a layer.
        rare.expect(1, least: 5, theory: (2 * (562_500 + 62_500.0)).squareRoot() / 99)
        let release = try metric.total(crowd, by: 1)
        let margins = try #require(release.header.margins?.groupings.first)
        func solutions(_ orders: Int64, _ money: Int64) -> Int {
            var found = 0
            for dear in 0...Int64(12) {
                for middle in 0...Int64(40) {
                    for cheap in max(0, 57 - orders - dear - middle)...max(0, 57 + orders - dear - middle) {
                        let total = 499 * cheap + 4999 * middle + 14_900 * dear
                        if abs(cheap + middle + dear - 57) <= orders && abs(total - 114_844) <= money { found += 1 }
                    }
                }
            }
            return found
        }
        #expect(solutions(0, 0) == 1)
        #expect(solutions(margins.count, margins.sums[0]) > 500)
    }

    @Test("one field summed under clips that nothing reaches: each sum has noise of its own, though all are one number")
    func clips() throws {
        let sums = (0..<6).map { place in
            SumMeasure(
                name: "spent\(place)", field: "amount", lowest: 0, highest: 50 + Double(place), decimals: 0,
                unit: "EUR")
        }
        let metric = AttackedMetric(sums: sums)
        let crowd = AttackedMetric.Counted(events: 600, devices: 300, sums: sums.map { _ in 9000 })
        let estimates = try Estimates { secret in
            let release = try metric.total(crowd, by: secret)
            let found = sums.indices.compactMap { release.sum($0) }
            return found.count == 6 ? found.reduce(0, +) / 6 : nil
        }
        let deviations = (0..<6).map { 20 * (50 + Double($0)) }
        let variance = deviations.map { $0 * $0 }.reduce(0, +)
        // Six of them are known within 0.6 of the promise, so the plan's reader refuses a second clip.
        estimates.expectTheory(9000, theory: (2 * variance).squareRoot() / 6)
    }
}
