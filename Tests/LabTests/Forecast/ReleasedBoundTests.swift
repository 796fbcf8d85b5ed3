import Testing
import ThrongPlan
import ThrongRelease
import ThrongReport

@testable import ThrongCrowd

@Suite("What a bound cuts is read from what was released")
struct ReleasedBoundTests {
    private static func plan(bound: String, more: String = "") throws -> Plan {
        let rest = "question: What?, decision: That., owner: Team, expires: 2027-10-31, purpose: product, period: day"
        return try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 days}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 400 days}
                metrics:
                  views: {title: Views, events: [view], \(rest), contribution_bound: \(bound)}
                  times: {title: Times, events: [view], \(rest), measures: {frequency: {bands: [1, 2, 5, 10, 20, 50]}}}
                """, file: "plan.yaml", today: today)
    }

    private static let today = CalendarDate(daysSince1970: 20_777)

    /// What a week's releases tell of a bound, of devices by band that are the same each day.
    private static func told(
        _ bound: Int?, of devices: [Int64], days: Int = 7, seed: UInt64 = 1
    ) throws -> ReleasedBound {
        let plan = try plan(bound: bound.map { "\($0)" } ?? "auto")
        let (views, times) = (plan.metrics[0], plan.metrics[1])
        let layout = try plan.layout(of: times, rules: .system)
        let cubes = (0..<days).map { day in
            let start = UnixSeconds((today.daysSince1970 + Int64(day)) * 86_400)
            return StoredCube(
                layout: layout, period: PeriodCalendar.utc.period(.day, containing: start),
                counters: devices.enumerated().map {
                    StoredCounter(measure: .count, cell: CellIndex(UInt32($0.offset)), value: $0.element)
                },
                distinct: devices.enumerated().map {
                    StoredDistinct(
                        margin: layout.leaf, cell: CellIndex(UInt32($0.offset)),
                        window: WindowNumber(start.value / 86_400),
                        devices: $0.element)
                })
        }
        let day = try ForecastDay(CountedDay(cubes: cubes, proved: [:], sent: [:]), of: plan, seed: seed)
        let frequency = try #require(plan.frequency(telling: views))
        #expect(frequency == times && day.made.count == days)
        return ReleasedBound(views, told: frequency, by: day.made.map(\.decision.release), of: plan)
    }

    private static let many: [Int64] = [4000, 3000, 2000, 600, 300, 100]

    @Test("the part that exceeds a bound lies within its ends in 19 of 20 draws, and these are close")
    func coverage() throws {
        var held = 0
        for seed in 1...60 {
            let part = try #require(try Self.told(19, of: Self.many, seed: UInt64(seed)).exceeded)
            #expect(part.most - part.least < 0.01)
            if part.least...part.most ~= 0.04 { held += 1 }
        }
        #expect(held >= 54)
    }

    @Test("the smallest bound that few exceed is proposed where the plan's is higher, or surely too low")
    func proposals() throws {
        let high = try Self.told(100, of: Self.many)
        #expect(high.suggested == 19 && high.periods == 7 && high.exceeded?.least == 0)
        #expect(high.line.contains("as 'times' tells in 7 periods; 19 would be by 3."))
        #expect(high.line.hasSuffix("with margins of events 0.19 times as wide"))
        #expect(try Self.told(20, of: [9900, 60, 30, 10, 0, 0]).line.hasSuffix(" 0.13 times as wide"))
        // 4 % send more than 19: so much is allowed, and 9 would cut 10 %.
        #expect(try Self.told(19, of: Self.many).suggested == nil)
        let low = try Self.told(4, of: Self.many)
        #expect(low.suggested == 19 && 0.28...0.32 ~= low.exceeded?.least ?? 0)
    }

    @Test("releases that choose take the smallest rung that few surely exceed, else that above what many do, or 20")
    func chosen() throws {
        // Bands begin with 1, 2, 5, 10, 20 and 50 events.
        let cases: [(devices: [Int64], bound: Int)] = [
            (Self.many, 20), ([9900, 60, 30, 10, 0, 0], 2), ([4000, 3000, 2900, 60, 30, 10], 10),
            ([4000, 3000, 60, 60, 30, 10], 5), ([1000, 1000, 1000, 1000, 1000, 100], 50),
            ([1000, 1000, 1000, 1000, 1000, 350], 50), ([100, 100, 100, 100, 100, 5000], 50), ([4, 4, 4, 4, 4, 4], 20),
        ]
        for (devices, bound) in cases {
            for seed in UInt64(1)...4 {
                let told = try Self.told(nil, of: devices, seed: seed)
                #expect(told.chosen == bound, "\(devices)")
            }
        }
        #expect(try Self.told(nil, of: Self.many, days: 0).chosen == 20)
        let line = try Self.told(nil, of: cases[3].devices).line
        #expect(line == "metric 'views': a period that begins today takes bound 5, as 'times' tells in 7 periods")
        #expect(try Self.told(19, of: Self.many).chosen == nil)
    }

    @Test("a bound between bands is told by their ends, and one that all bands exceed by that alone")
    func ends() throws {
        let between = try #require(try Self.told(30, of: Self.many).exceeded)
        #expect(0.005...0.01 ~= between.least && 0.04...0.05 ~= between.most)
        let heavy = try Self.told(3, of: [100, 100, 100, 100, 100, 5000])
        #expect(
            heavy.suggested == nil
                && heavy.line.hasSuffix("that is too low, and a band that few reach would tell by how much"))
    }

    @Test("where the last bands are withheld, the whole less the others tells; without releases nothing does")
    func withheld() throws {
        let few = try Self.told(100, of: [4000, 3000, 2000, 600, 3, 2])
        #expect(few.suggested == 19 && few.suggestedExceeded.map { $0.most < 0.01 } == true)
        // The first band is as small as the last: what is told lies in between.
        let both = try Self.told(100, of: [5, 4000, 3000, 2000, 300, 4])
        let part = try #require(both.suggestedExceeded)
        #expect(both.suggested == 19 && part.least < 0.0323 && part.most > 0.0326 && part.most - part.least < 0.02)
        let none = try Self.told(100, of: Self.many, days: 0)
        #expect(none.exceeded == nil && none.suggested == nil && none.periods == 0)
        #expect(none.line == "metric 'views': no released number of 'times' tells what its bound cuts")
    }
}
