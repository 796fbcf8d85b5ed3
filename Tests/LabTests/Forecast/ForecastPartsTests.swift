import Foundation
import Testing
import ThrongCrowd
import ThrongPlan

@Suite("What a forecast says besides shares")
struct ForecastPartsTests {
    private static func plan(
        margins: String = "[[os], [channel]]", decay: String? = nil, floor: String = "any"
    ) throws -> Plan {
        try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 2 hours}
                purposes:
                  product:
                    {explanation: To see., consent: not_required, floor: \(floor), rotation: 1 day, retention: 400 days}
                  other: {explanation: To see., consent: not_required, rotation: 1 day, retention: 400 days}
                dimensions:
                  os: {title: System, field: user_agent, operating_system: standard, partitions: devices}
                  desk: {title: Desk, of: os, groups: {desk: [Windows, macOS, Linux]}}
                  channel: {title: Channel, field: channel, list: [social, organic, direct]}
                metrics:
                  views:
                    {title: Views, events: [home, product_view], dimensions: [os, channel], purpose: product, period: day,
                    margins: \(margins), contribution_bound: 1000, \(decay.map { "decay: \($0), " } ?? "")TERMS}
                  sales: {title: Sales, events: [catalog], dimensions: [channel], purpose: other, period: hour, TERMS}
                  gone: {title: Gone, events: [never], purpose: other, period: day, TERMS}
                """.replacing("TERMS", with: "question: What?, decision: That., owner: Team, expires: 2027-10-31"),
            file: "plan.yaml", today: Self.today)
    }

    private static let today = CalendarDate(daysSince1970: 20_777)

    private static func forecast(_ plan: Plan, _ folder: CrowdFolder, devices: Int) throws -> Forecast {
        try Forecast(
            of: plan, crowd: try folder.crowd(), Forecast.Terms(devices: devices, days: 2, seed: 1), through: today)
    }

    @Test("where floors ask for proof all devices are taken to have one, and that is said")
    func proved() throws {
        let folder = CrowdFolder.made(seed: 1)
        let plain = try Self.forecast(try Self.plan(), folder, devices: 400)
        let proved = try Self.forecast(try Self.plan(floor: "attested"), folder, devices: 400)
        func shown(_ forecast: Forecast) -> [[Double]] {
            forecast.metrics.map { $0.groupings.map(\.shown) }
        }
        // What is close to k has another noise.
        #expect(zip(shown(proved).joined(), shown(plain).joined()).allSatisfy { abs($0 - $1) < 0.05 })
        #expect(shown(plain)[0].contains { $0 > 0.2 })
        #expect(plain.proved == [] && proved.proved == ["product"])
        let sentence = "All are taken to prove themselves for product; the more can't, the more is withheld."
        #expect(proved.lines.contains(sentence) && !plain.lines.contains { $0.contains("prove") })
    }

    @Test("what has k devices and is not shown may be: its lines say how many, and that no forecast knows which")
    func near() throws {
        // Of some of these sizes something is close to k.
        let forecasts = try [40, 60, 80, 100, 130, 170, 220].map {
            try Self.forecast(try Self.plan(), CrowdFolder.made(seed: 1), devices: $0)
        }
        let forecast = try #require(
            forecasts.first { $0.metrics.contains { $0.groupings.contains { $0.reached > $0.numbers } } })
        let (lines, groupings) = (forecast.lines, forecast.metrics.flatMap(\.groupings))
        let heading = "What would be shown of a day, or as said; what is close to k may or may not be, by chance"
        #expect(lines.contains(heading))
        let row = /^  (?:views|sales)(?: \(hour\))? .*?  +(\d+)  +(\d+)  +[\d.]+%  +[\d.]+% to [\d.]+%  +±/
        let rows = lines.compactMap { $0.firstMatch(of: row).map { (Int($0.1), Int($0.2)) } }
        #expect(rows.count == groupings.count)
        for (row, grouping) in zip(rows, groupings) {
            #expect(row.0 == grouping.numbers && row.1 == max(0, grouping.reached - grouping.numbers))
        }
    }

    @Test("the range of a share holds it on 19 of 20 other days, and is wide only for what is close to k")
    func ranges() throws {
        let (plan, folder) = (try Self.plan(), CrowdFolder.made(seed: 1))
        func groupings(_ days: Int, _ seed: UInt64) throws -> [GroupingForecast] {
            let terms = Forecast.Terms(devices: 200, days: days, seed: seed)
            return try Forecast(of: plan, crowd: try folder.crowd(), terms, through: Self.today).metrics
                .flatMap(\.groupings)
        }
        let ranges = try groupings(7, 1)
        let days = try (2..<12).map { try groupings(1, $0) }
        let held = days.flatMap { zip(ranges, $0).map { $0.shownFrom...$0.shownTo ~= $1.shown } }
        #expect(20 * held.count { $0 } >= 19 * held.count && held.count >= 40)
        #expect(ranges.allSatisfy { $0.shownFrom...$0.shownTo ~= $0.shown })
        #expect(ranges[0].shownFrom == 1 && ranges.contains { $0.shownTo - $0.shownFrom > 0.02 })
        // Of a crowd that is made up nobody knows which fields go together.
        let guessed = try Forecast(
            of: plan, crowd: Crowd(of: plan), Forecast.Terms(devices: 1000, days: 1, seed: 1), through: Self.today)
        #expect(guessed.metrics[0].groupings[0].shownFrom < 0.96)
    }

    @Test("whoever is alone with what batches say is counted, and what they tell is in bits")
    func crowding() throws {
        var folder = CrowdFolder.made(seed: 1)
        let phone = try #require(folder.devices.first { $0.contains("iPhone") })
        let desk = try #require(folder.devices.first { $0.contains("Windows NT") })
        // The same system, told apart by its version.
        folder.devices = [phone, phone, desk, desk.replacing("NT 10.0", with: "NT 6.1")]
        folder.events = Array(folder.events.prefix(2))
        let crowding = try Self.forecast(try Self.plan(), folder, devices: 4).crowding
        #expect(crowding.map(\.purpose) == ["product", "other", nil])
        #expect(crowding.map(\.uniqueValues) == [2, 0, 2] && crowding.map(\.uniqueBuckets) == [0, 0, 0])
        #expect(crowding.map(\.bits) == [1, 0, 1])
        #expect(crowding[2].dimensions.map(\.dimension) == ["os", "channel"])
        #expect(crowding[2].dimensions.map(\.bits) == [1, 0])
    }

    @Test("the first number comes after a period and the grace; what is too small says how many devices it takes")
    func firstNumber() throws {
        let folder = CrowdFolder.made(seed: 1)
        let many = try Self.forecast(try Self.plan(), folder, devices: 1000).metrics
        #expect(many.map(\.metric) == ["views", "sales", "gone"])
        #expect(many.map(\.firstNumberHours) == [26, 3, nil])
        #expect(many[2].groupings.isEmpty && many[2].devicesForTotal == nil)
        let few = try Self.forecast(try Self.plan(), folder, devices: 10).metrics[0]
        #expect(few.firstNumberHours == nil)
        #expect(try #require(few.devicesForTotal) >= 20)
    }

    @Test("a step of decay says what it leaves")
    func decay() throws {
        let steps =
            "[{after: 30 days, coarsen: os, to: desk}, {after: 60 days, keep: totals}, {after: 90 days, delete: all}]"
        let costs = try Self.forecast(try Self.plan(decay: steps), CrowdFolder.made(seed: 1), devices: 1000).metrics[0]
            .decay
        #expect(
            costs.map(\.step) == [
                "after 30 days, coarsen os to desk", "after 60 days, keep totals", "after 90 days, delete all",
            ])
        #expect(costs[0].numbersBefore > costs[0].numbersAfter && costs[0].numbersAfter > 1)
        #expect(costs[1].numbersBefore == costs[0].numbersAfter && costs[1].numbersAfter == 1)
        #expect(costs[2].numbersAfter == 0)
    }

    @Test("a grouping says how many numbers reach k, how many of them are shown, and how far off they are")
    func groupings() throws {
        let groupings = try Self.forecast(try Self.plan(), CrowdFolder.made(seed: 1), devices: 1000).metrics[0]
            .groupings
        #expect(groupings.map(\.dimensions) == [[], ["os"], ["channel"]])
        #expect(groupings[0].shown == 1 && groupings[0].numbers == 1 && groupings[0].reached == 1)
        #expect(groupings.allSatisfy { $0.numbers <= $0.reached && 0...1 ~= $0.shown })
        #expect(groupings.allSatisfy { 12...25 ~= $0.deviceMargin ?? 0 && $0.eventMargin > 1000 })
    }

    @Test("a bound that nobody reaches cuts nothing, and the smallest that cuts little is far below it")
    func bound() throws {
        let metrics = try Self.forecast(try Self.plan(), CrowdFolder.made(seed: 1), devices: 1000).metrics
        let bound = try #require(metrics[0].bound)
        #expect(bound.bound == 1000 && bound.cut == 0)
        #expect(bound.suggested < 200 && bound.suggestedCut > 0 && bound.suggestedCut <= BoundForecast.mostCut)
        #expect(metrics[2].bound == nil)
    }

    @Test("suggested groupings are YAML that the plan takes, and are published then")
    func suggestions() throws {
        let (plan, folder) = (try Self.plan(margins: "[[os, channel]]"), CrowdFolder.made(seed: 1))
        let terms = Forecast.Terms(devices: 1000, days: 2, seed: 1)
        let advice = try GroupingAdvice.all(of: plan, crowd: try folder.crowd(), terms, through: Self.today)
        #expect(advice.map(\.metric) == ["views", "sales"])
        let groupings = advice[0].margins.map(\.dimensions)
        #expect(!groupings.isEmpty && advice[0].margins.allSatisfy { $0.shown >= GroupingAdvice.least })
        #expect(advice.yaml[0...2] == ["metrics:", "  views:", "    margins:"])
        #expect(advice.yaml[3].hasPrefix("      - [\(groupings[0].joined(separator: ", "))]  # "))
        let pasted = try Self.plan(
            margins: "[\(groupings.map { "[\($0.joined(separator: ", "))]" }.joined(separator: ", "))]")
        let shown = try Self.forecast(pasted, folder, devices: 1000).metrics[0].groupings
        #expect(Set(shown.map(\.dimensions)).isSuperset(of: groupings))
        #expect(shown.allSatisfy { $0.shown >= GroupingAdvice.least - 0.1 })
    }
}
