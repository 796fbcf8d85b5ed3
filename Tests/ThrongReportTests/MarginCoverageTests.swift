import Foundation
import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongReport

@Suite("an interval of numbers with margins holds in 19 of 20 draws, of small crowds and of such with heavy tails, too")
struct MarginCoverageTests {
    private typealias Cells = (rows: [Int]?, columns: [Int]?)

    /// 95 ± 2 %.
    private static let usual = 1860...1940

    private static func number(_ law: MarginLaw, _ cells: Cells, _ measure: MarginLaw.Measure = .count) throws
        -> DrawnNumber
    {
        var buckets: [Int: Set<Int>] = [:]
        buckets[0] = cells.rows.map { Set($0) }
        buckets[1] = cells.columns.map { Set($0) }
        return try #require(law.number(buckets, of: measure))
    }

    private static func holds(_ value: Double, _ part: Double, _ whole: Double, _ noise: QuotientNoise) -> Bool {
        switch Fieller(part, over: whole, noise: noise) {
        case .between(let low, let high): return low <= value && value <= high
        case .atLeast(let low): return low <= value
        case .atMost(let high): return value <= high
        case .outside(let low, let high): return value <= low || high <= value
        case .anything: return true
        }
    }

    /// In how many draws an interval holds a quotient of two numbers.
    private static func held(
        _ part: Double, _ partNoise: [Double], _ partDeviation: Double, over whole: Double, _ wholeNoise: [Double],
        _ noise: QuotientNoise
    ) -> Int {
        (0..<NoiseDraws.count).count { draw in
            let drawn = (part + partNoise[draw] * partDeviation).rounded()
            let all = (whole + wholeNoise[draw] * NoiseDraws.eventDeviation).rounded()
            return holds(part / whole, drawn, all, noise)
        }
    }

    @Test("shares, of one field and of both, with the covariance of part and whole")
    func shares() throws {
        let (draws, law) = (NoiseDraws.all, try NoiseDraws.law())
        let pairs: [(part: Cells, whole: Cells)] = [
            (([0], nil), (nil, nil)), ((nil, [0]), (nil, nil)), (([0], [0]), (nil, nil)), (([1], [0]), ([1], nil)),
        ]
        for (part, whole) in pairs {
            let noise = try #require(
                try QuotientNoise(Self.number(law, part), over: Self.number(law, whole)))
            let (partNoise, wholeNoise) = (
                draws.noise(part.rows, part.columns), draws.noise(whole.rows, whole.columns)
            )
            for crowd in NoiseDraws.crowds {
                let held = Self.held(
                    NoiseDraws.sum(crowd.events, part.rows, part.columns), partNoise, NoiseDraws.eventDeviation,
                    over: NoiseDraws.sum(crowd.events, whole.rows, whole.columns), wholeNoise, noise)
                #expect(Self.usual.contains(held), "\(held) of 2000, \(part) of \(whole)")
            }
        }
    }

    @Test("controls: without the covariance, and with half the margin, a share's interval does not")
    func shareControls() throws {
        let (draws, law, crowd) = (NoiseDraws.all, try NoiseDraws.law(), NoiseDraws.crowds[3])
        let (part, whole) = (try Self.number(law, (nil, [0])), try Self.number(law, (nil, nil)))
        let (partNoise, wholeNoise) = (draws.noise(nil, [0]), draws.noise())
        func held(_ noise: QuotientNoise) -> Int {
            Self.held(
                NoiseDraws.sum(crowd.events, nil, [0]), partNoise, NoiseDraws.eventDeviation,
                over: NoiseDraws.sum(crowd.events), wholeNoise, noise)
        }
        #expect(held(QuotientNoise(part: part.variance, whole: whole.variance)) > 1940)
        let quarter = QuotientNoise(
            part: part.variance / 4, whole: whole.variance / 4, covariance: part.covariance(with: whole) / 4)
        #expect(held(quarter) < 1860)
    }

    @Test("means of sums that are drawn by themselves, and parts of two cells of one table, as of retentions")
    func quotients() throws {
        let (draws, law) = (NoiseDraws.all, try NoiseDraws.law())
        let count = try Self.number(law, ([0], nil))
        let mean = try #require(try QuotientNoise(Self.number(law, ([0], nil), .sum(0)), over: count))
        let cells = try #require(try QuotientNoise(Self.number(law, ([1], nil)), over: count))
        let (events, others) = (draws.noise([0]), draws.noise([1]))
        // The noise of another draw stands for that of the sums.
        let sums = Array(events.suffix(1000) + events.prefix(1000))
        for crowd in NoiseDraws.crowds {
            let whole = NoiseDraws.sum(crowd.events, [0])
            let spent = NoiseDraws.sum(crowd.sums, [0])
            func held(_ noise: QuotientNoise) -> Int {
                Self.held(spent, sums, NoiseDraws.sumDeviation, over: whole, events, noise)
            }
            #expect(Self.usual.contains(held(mean)), "\(held(mean)) of 2000")
            #expect(held(QuotientNoise(part: mean.part / 4, whole: mean.whole / 4)) < 1860, "half the margins")
            let cell = Self.held(
                NoiseDraws.sum(crowd.events, [1]), others, NoiseDraws.eventDeviation, over: whole, events, cells)
            #expect(Self.usual.contains(cell), "\(cell) of 2000")
        }
    }

    @Test("an edge at which a quantile lies is left open in 19 of 20 draws; with half the margin it is not")
    func quantiles() throws {
        let draws = NoiseDraws.all
        let noise = (0..<4).map { draws.noise([$0]) }
        var dice = SeededGenerator(seed: 5)
        for truth in [[200.0, 400, 300, 100], [30_000, 2000, 7000, 1000]] {
            let part = (truth[0] + truth[1]) / truth.reduce(0, +)
            let quantile = Quantile(perMille: Int((part * 1000).rounded()))
            var held = [0, 0]
            for draw in 0..<NoiseDraws.count {
                // A layer's deviation here is 10.
                let bands = (0..<4).map { band in
                    Int64((truth[band] + noise[band][draw] * 10 + dice.fraction() - 0.5).rounded())
                }
                for (place, scale) in [1, 0.25].enumerated() {
                    let counts = BandCounts(
                        edges: [10, 20, 50], bands: bands, other: 0, whole: nil, rate: 1,
                        noise: {
                            200 * scale
                                * DrawnNumber.common($0.count, $1.count, both: $0.intersection($1).count, of: 4)
                        })
                    let reading = try #require(counts.reading(at: quantile))
                    let isOpen = (reading.lowest?.approximate ?? 0) < 20 && (reading.highest?.approximate ?? 60) > 20
                    if isOpen { held[place] += 1 }
                }
            }
            #expect(Self.usual.contains(held[0]) && held[1] < 1860, "\(held) of 2000")
        }
    }

    @Test("changes of one question, in which the kept half of the noise cancels, and their per cent; not those of two")
    func changes() throws {
        let draws = NoiseDraws.all
        let margin = Int64((Interval.z * 2.0.squareRoot() * NoiseDraws.eventDeviation).rounded(.up))
        let then = NoiseDraws.noise(of: draws.kept, and: draws.then)
        let (same, other) = (draws.noise(), NoiseDraws.noise(of: draws.other, and: draws.now))
        func held(_ before: Double, _ after: Double, _ now: [Double], _ isSame: Bool) throws -> (Int, Int) {
            var held = (0, 0)
            for draw in 0..<NoiseDraws.count {
                func number(_ truth: Double, _ noise: [Double]) -> Quantity {
                    .drawn(
                        Int64((truth + noise[draw] * NoiseDraws.eventDeviation).rounded()), of: .events, within: margin)
                }
                func holds(_ interval: Interval?, _ truth: Double) -> Bool {
                    interval.map { $0.ends.low <= truth && truth <= $0.ends.high } ?? false
                }
                let change = try #require(
                    Change(from: number(before, then), to: number(after, now), isSameQuestion: isSame) { _ in nil })
                if holds(change.interval, after - before) { held.0 += 1 }
                if holds(change.relativeInterval, after / before - 1) { held.1 += 1 }
            }
            return held
        }
        for (before, after) in [(480.0, 520.0), (160_000, 160_050)] {
            let (difference, relative) = try held(before, after, same, true)
            #expect(Self.usual.contains(difference) && Self.usual.contains(relative), "\(difference), \(relative)")
        }
        #expect(try Self.usual.contains(held(2400, 1700, other, false).0))
        #expect(try held(2400, 1700, other, true).0 < 1860, "a control: noise of two questions does not cancel")
        #expect(try held(2400, 1700, same, false).0 > 1940, "a control: that of one does")
    }

    @Test("of equal groups one is said to be larger in 1 of 20 draws; not with two independent margins")
    func ranks() throws {
        let (draws, law) = (NoiseDraws.all, try NoiseDraws.law())
        func leads(_ one: Cells, _ other: Cells) throws -> [Double] {
            let numbers = try [Self.number(law, one), Self.number(law, other)]
            let noise = [draws.noise(one.rows, one.columns), draws.noise(other.rows, other.columns)]
            return (0..<NoiseDraws.count).map { draw in
                let quantities = noise.map {
                    Quantity.drawn(Int64((1000 + $0[draw] * NoiseDraws.eventDeviation).rounded()), of: .events)
                }
                return RowOrder(quantities: quantities, numbers: numbers) { _ in nil }.lead(of: 0, over: 1)
            }
        }
        let halves = try leads((nil, [0]), (nil, [1]))
        for leads in [halves, try leads(([0], nil), ([3], nil)), try leads(([0], [0]), ([3], [0]))] {
            #expect((60...140).contains(leads.count { abs($0) > Interval.z }))
        }
        // Two halves of one table are further apart than two numbers of two tables are: 4 to 2.5.
        #expect(halves.count { abs($0) * 1.6.squareRoot() > Interval.z } > 140, "a control: without the covariance")
    }

    @Test("the steps of a funnel are sums of cells, with margins of their own; parts of theirs hold, too")
    func funnels() throws {
        let (draws, law, crowd) = (NoiseDraws.all, try NoiseDraws.law(), NoiseDraws.crowds[2])
        let steps = try [[1, 2, 3], [2, 3]].map { try Self.number(law, ($0, nil)) }
        let noise = [draws.noise([1, 2, 3]), draws.noise([2, 3])]
        let truths = [NoiseDraws.sum(crowd.events, [1, 2, 3]), NoiseDraws.sum(crowd.events, [2, 3])]
        func within(_ margin: Int64) -> Int {
            noise[1].count { abs(($0 * NoiseDraws.eventDeviation).rounded()) <= Double(margin) }
        }
        #expect(Self.usual.contains(within(steps[1].margin)))
        #expect(try within(Self.number(law, ([0], nil)).margin) < 1860, "a control: a cell's margin is no sum's")
        let quotient = try #require(QuotientNoise(steps[1], over: steps[0]))
        let held = Self.held(
            truths[1], noise[1], NoiseDraws.eventDeviation, over: truths[0], noise[0], quotient)
        #expect(Self.usual.contains(held), "\(held) of 2000")
    }

    @Test("a whole that may be 0 leaves a quotient open on one side or on both, and says so")
    func open() {
        let noise = QuotientNoise(part: 100, whole: 100)
        func interval(_ part: Int64, _ whole: Int64) -> Interval? {
            Interval(ofDrawn: .share(part: part, whole: whole, noise: noise), clip: nil, kind: .retention(week: "week"))
        }
        guard case .between(let low, let high) = Fieller(300, over: 1000, noise: noise),
            case .outside(let below, let above) = Fieller(90, over: 10, noise: noise)
        else {
            Issue.record("the one is bounded, and of the other the whole may be 0")
            return
        }
        #expect(low > 0.27 && low < 0.3 && high > 0.3 && high < 0.33 && below < 0 && above > 1)
        #expect(Fieller(1, over: 1, noise: noise) == .anything)
        #expect(interval(90, 10)?.high == nil && (interval(90, 10)?.ends.low ?? 0) > 1)
        #expect(interval(1, 1)?.high == nil && interval(1, 1)?.low?.units == 0)
        #expect(Fieller(1, over: 4, noise: QuotientNoise(part: 0, whole: 0)) == .between(0.25, 0.25))
        // Just at the edge there is one end.
        #expect(Fieller(4, over: 2, noise: QuotientNoise(part: 0, whole: 4), z: 1) == .atLeast(1))
        #expect(Fieller(-4, over: 2, noise: QuotientNoise(part: 0, whole: 4), z: 1) == .atMost(-1))
        func said(_ low: Double, _ high: Double) -> String {
            Wording.english.sentence("So", within: Interval(low, high, places: 6), isShare: true, scale: 100) {
                Language.english.percent(ofHundred: $0)
            }
        }
        #expect(said(0.091, 0.15) == "So; between 9% and 15% in 19 of 20 cases.")
        #expect(said(0.2, .infinity) == "So; at least 20% in 19 of 20 cases.")
        #expect(said(0, 1) == "So; its margin leaves it open.")
    }

    @Test("many comparisons share one chance of error; a number is rounded to the first digit of its margin")
    func words() {
        #expect(Interval.z(sharedBy: 0) == Interval.z && Interval.z(sharedBy: 1) == Interval.z)
        #expect(abs(Interval.z(sharedBy: 2) - 2.2414) < 1e-3 && abs(Interval.z(sharedBy: 50) - 3.2905) < 1e-3)
        for (number, within, text) in [
            (15_658, 14, "15,660"), (15_658, 110, "15,700"), (15_658, 7, "15,658"), (34, 110, "30"), (0, 14, "0"),
        ] as [(Int64, Int64, String)] {
            #expect(Wording.english.text(.drawn(number, of: .events, within: within)) == text)
        }
    }
}
