import Foundation
import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongReport

@Suite("numbers of a sample are scaled up, with the interval of the draw and the margin")
struct SamplingTests {
    private static func sampled(_ rate: Double) -> Shop {
        var shop = Shop()
        shop.sampling = rate
        return shop
    }

    @Test(
        "an estimate is what was counted over the rate; shares and means stay as they are",
        arguments: [0.1, 0.25, 0.3, 0.01])
    func scaled(rate: Double) throws {
        let plain = Shop().document.answers
        let sample = Self.sampled(rate).document.answers
        for (one, other) in zip(plain, sample) {
            let tables = [one, other].compactMap(\.answered?.table)
            try #require(tables.count == 2)
            for (left, right) in zip(tables[0].rows, tables[1].rows) {
                switch (left.figure, right.figure) {
                case (.published(.drawn(let counted, of: .events, within: _)), .published(.estimate(let estimate))):
                    #expect(estimate.counted == counted)
                    let exact = Decimal(counted) / (Decimal(string: "\(rate)") ?? 1)
                    #expect(abs((Decimal(string: "\(estimate.decimal)") ?? 0) - exact) <= Decimal(string: "0.5") ?? 0)
                default:
                    // Shares, means, withheld numbers, and devices, which can't be scaled up.
                    #expect(left.figure == right.figure)
                }
            }
        }
    }

    @Test("terms of quotients are said to be of the sample; tables without a column for intervals have them in cells")
    func words() throws {
        var shop = Self.sampled(0.25)
        let phones = Insight.Kind.share(of: .events, part: Insight.Filter(dimension: "device", bucket: "Phone"))
        let insights = [
            shop.insight("part", "Part", phones), shop.insight("mean", "Mean", .mean(sum: "basket"), of: "checkouts"),
            shop.insight("trend", "Trend", .count, by: ["device"], view: .trend(periods: 2)),
            shop.insight("heat", "Heat", .count, by: ["device", "region"]),
            shop.insight("moves", "Moves", .count, by: ["device"], view: .change(against: [.periodBefore])),
        ]
        func course() -> Course { Course([shop, shop], insights: insights) }
        #expect(try #require(course().answer("part")).sentence.contains(" in the sample; between "))
        #expect(try #require(course().answer("mean")).sentence.contains(" actions in the sample; between "))
        let page = try PagePieces(course().document.html())
        for section in 3...5 {
            let cells = try page.table(section: section).dropFirst().joined()
            #expect(cells.contains { $0.contains(" to ") }, "section \(section) has no interval")
        }
        shop.sampling = 1
        #expect(try #require(course().answer("part")).sentence.contains("in the sample") == false)
    }

    @Test("counts have bounds in a sample alone; elsewhere the margin says all")
    func unsampled() throws {
        func bounds(_ shop: Shop) throws -> [Bool] {
            let answers = shop.document.answers.filter { [.count, .distribution].contains($0.insight.kind) }
            return answers.flatMap { answer in
                (answer.answered?.table.rows ?? []).compactMap(\.figure.quantity).map { answer.interval(of: $0) != nil }
            }
        }
        #expect(try Set(bounds(Shop())) == [false])
        #expect(try Set(bounds(Self.sampled(0.5))) == [true])
    }

    @Test("devices of a sample are not scaled up, and the basis says so")
    func devices() throws {
        let answer = try #require(Self.sampled(0.25).document.answers.first { $0.insight.kind == .reach })
        #expect(answer.answered?.table.rows.first?.figure == .published(.drawn(5769, of: .devices, within: 15)))
        #expect(answer.answered?.basis.statement.hasSuffix("of those with an event in the sample") == true)
        let words = answer.answered?.basis.words(in: .english) ?? []
        #expect(words.contains { $0.contains("can\u{2019}t be scaled up") })
    }

    @Test(
        "of two thousand drawn samples, 19 of 20 intervals hold all events (92 to 98 %)",
        arguments: [(400, 0.1), (50, 0.5), (3000, 0.02)])
    func coverage(events: Int, rate: Double) {
        var dice = SeededGenerator(seed: UInt64(events))
        var held = 0
        for _ in 0..<2000 {
            let kept = (0..<events).count { _ in Double.random(in: 0..<1, using: &dice) < rate }
            let (low, high) = Interval.total(Int64(kept), rate: rate)
            if low <= Double(events), Double(events) <= high { held += 1 }
        }
        #expect((1840...1960).contains(held), "\(held) of 2000")
    }

    @Test(
        "of a thousand drawn samples, 19 of 20 intervals and more hold the share of the whole",
        arguments: [0.1, 0.5])
    func shareCoverage(rate: Double) {
        var dice = SeededGenerator(seed: 17)
        var held = 0
        for _ in 0..<1000 {
            let part = (0..<300).count { _ in Double.random(in: 0..<1, using: &dice) < rate }
            let others = (0..<700).count { _ in Double.random(in: 0..<1, using: &dice) < rate }
            let (low, high) = Interval.share(Int64(part), of: Int64(part + others), rate: rate)
            if low <= 0.3, 0.3 <= high { held += 1 }
        }
        #expect(held >= 950, "\(held) of 1000")
    }

    @Test("an interval solves its equation, holds its estimate, and gets no narrower than nothing")
    func ends() {
        for (kept, rate) in [(Int64(20), 0.1), (1000, 0.5), (7, 0.99), (123_456, 0.003)] {
            let (low, high) = Interval.total(kept, rate: rate)
            for end in [low, high] where end > Double(kept) {
                let distance = abs(Double(kept) - end * rate) / (end * rate * (1 - rate)).squareRoot()
                #expect(abs(distance - Interval.z) < 1e-6)
            }
            #expect(low <= Double(kept) / rate && Double(kept) / rate <= high && low >= Double(kept))
        }
        let mean = Interval.mean(40, events: 100, clip: 0...500, rate: 0.2)
        #expect(mean.low > 0 && mean.low < 40 && mean.high > 40 && mean.high < 90)
    }

    @Test("a change of a sample has an interval of its own, and says where the draw alone may have made it")
    func change() throws {
        var now = Self.sampled(0.1)
        var then = Self.sampled(0.1)
        now.views =
            [[(500, 400), (0, 0), (0, 0), (0, 0), (0, 0)]] + (0..<4).map { _ in Array(repeating: (0, 0), count: 5) }
        then.views = now.views
        then.views[0][0] = (490, 400)
        func change() throws -> Change {
            let insight = Shop().insight("c", "C", .count, view: .change(against: [.periodBefore]))
            let answer = try #require(Course([now, then], insights: [insight]).answer("c"))
            guard case .change(let comparisons)? = answer.answered?.view else { throw NoChange() }
            return try #require(comparisons.first?.rows.first?.change.change)
        }
        let small = try change()
        #expect(small.difference.description == "100")
        #expect(small.isWithinChance())
        then.views[0][0] = (300, 280)
        let large = try change()
        #expect(large.difference.description == "2000" && !large.isWithinChance())
        let (low, high) = large.interval.ends
        #expect(low > 0 && low < 2000 && high > 2000)
    }

    struct NoChange: Error {}
}
