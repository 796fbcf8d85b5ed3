import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongReport

@Suite("an interval of a sampled mean or share holds in 19 of 20 draws, however values are spread")
struct DrawnMeanTests {
    /// The chance of each number of successes of so many.
    private static func binomial(_ trials: Int, _ rate: Double) -> [Double] {
        (0...trials).map { hits in
            let (all, hit) = (Double(trials), Double(hits))
            let ways = lgamma(all + 1) - lgamma(hit + 1) - lgamma(all - hit + 1)
            return exp(ways + hit * log(rate) + (all - hit) * log(1 - rate))
        }
    }

    @Test(
        "over zeros and ones, the worst values for a mean, all draws that miss it are at most one of 40 on each side",
        arguments: [0.05, 0.2, 0.5, 0.8, 0.95])
    func exact(rate: Double) {
        let (all, few) = (60, max(1, Int(60 * rate / 4)))
        for ones in [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 45, 59] {
            let mean = Double(ones) / Double(all)
            let (hits, others) = (Self.binomial(ones, rate), Self.binomial(all - ones, rate))
            var (below, above, seen) = (0.0, 0.0, 0.0)
            for (kept, chance) in hits.enumerated() {
                for (rest, other) in others.enumerated() where kept + rest >= few && chance * other > 1e-10 {
                    seen += chance * other
                    let events = Double(kept + rest)
                    guard DrawnMean.surprise(Double(kept), of: events, ifMean: mean, rate: rate) > DrawnMean.limit
                    else { continue }
                    if Double(kept) < mean * events { below += chance * other } else { above += chance * other }
                }
            }
            #expect(below / seen <= 0.025 && above / seen <= 0.025, "\(ones) of \(all): \(below), \(above)")
        }
    }

    @Test("an end is where the draw gets too surprising, and without a draw nothing is known")
    func ends() {
        for (sum, events, rate) in [
            (3.7, Int64(40), 0.1), (1.0, 400, 0.5), (250.0, 500, 0.02), (1e6, 1_000_000_000, 0.3),
        ] {
            let drawn = DrawnMean(sum, of: events, rate: rate)
            #expect(drawn.low < sum / Double(events) && sum / Double(events) < drawn.high)
            for end in [drawn.low, drawn.high] {
                let surprise = DrawnMean.surprise(sum, of: Double(events), ifMean: end, rate: rate)
                #expect(abs(surprise - log(40)) < 1e-3, "\(surprise)")
            }
        }
        let none = DrawnMean(0, of: 1000, rate: 0.001)
        #expect(none.low == 0 && abs(none.high - (1 - pow(40, -0.001))) < 1e-5, "as Clopper and Pearson have it")
        #expect(DrawnMean(0, of: 0, rate: 0.5).high == 1)
    }

    /// Values between 0 and 1.
    private static func values(_ shape: String, _ count: Int, _ dice: inout SeededGenerator) -> [Double] {
        (0..<count).map { place in
            switch shape {
            case "uniform": Double.random(in: 0..<1, using: &dice)
            case "exponential": min(-0.08 * log(Double.random(in: 0.000001..<1, using: &dice)), 1)
            case "1 of 100 at the bound": place.isMultiple(of: 100) ? 1 : Double.random(in: 0..<0.02, using: &dice)
            case "all low but few": place < max(1, count * 46 / 10_000) ? 0.5 : 0
            case "two values": place.isMultiple(of: 2) ? 1 : 0
            default: 0
            }
        }
    }

    @Test(
        "published means of samples hold the mean of all, where a normal interval of the widest variance collapses",
        arguments: ["uniform", "exponential", "1 of 100 at the bound", "all low but few", "two values", "all low"],
        [(0.05, 40), (0.2, 200), (0.5, 200), (0.9, 60)])
    func means(shape: String, drawn: (rate: Double, kept: Int)) {
        var dice = SeededGenerator(seed: UInt64(drawn.kept))
        let values = Self.values(shape, Int(Double(drawn.kept) / drawn.rate), &dice)
        let mean = values.reduce(0, +) / Double(values.count)
        var (published, held, naive) = (0, 0, 0)
        for _ in 0..<250 {
            let kept = values.filter { _ in Double.random(in: 0..<1, using: &dice) < drawn.rate }
            let largest = kept.max(count: 2)
            let sum = kept.reduce(0, +)
            // One event a device: k devices, and no sum that is nearly all one device's.
            guard kept.count >= 20, sum - largest.reduce(0, +) >= 0.1 * (largest.first ?? 0) else { continue }
            published += 1
            let (low, high) = Interval.mean(
                500 * sum / Double(kept.count), events: Int64(kept.count), clip: 0...500, rate: drawn.rate)
            if low <= 500 * mean + 1e-9, 500 * mean <= high + 1e-9 { held += 1 }
            let own = sum / Double(kept.count)
            let half = Interval.z * (own * (1 - own) * (1 - drawn.rate) / Double(kept.count)).squareRoot()
            if abs(own - mean) <= half { naive += 1 }
        }
        #expect(Double(held) >= 0.95 * Double(published), "\(held) of \(published)")
        if shape == "all low but few" {
            #expect(Double(naive) < 0.5 * Double(published), "the control holds: \(naive) of \(published)")
        }
    }

    @Test("a mean at the bound has a width, in which the truth may lie; where one value is possible there is none")
    func bound() {
        let (low, high) = Interval.mean(0, events: 200, clip: 0...500, rate: 0.5)
        #expect(low == 0 && high > 2.3 && high < 20)
        let top = Interval.mean(500, events: 200, clip: 0...500, rate: 0.5)
        #expect(top.high == 500 && abs(500 - top.low - high) < 1e-6)
        #expect(Interval.mean(7, events: 200, clip: 7...7, rate: 0.5) == (7, 7))
    }

    @Test("all of 400 of a sample is not all of everything; week 0 is all of itself, and what cannot occur is none")
    func settled() throws {
        let all = Interval.ratio(400, 400, rate: 0.5)
        #expect(all.low < 0.93 && all.high > 1.07 && all.low > 0.8 && all.high < 1.25)
        let share = Interval.share(400, of: 400, rate: 0.5)
        #expect(share.low < 0.995 && share.low > 0.98 && share.high == 1)

        var kitchen = try Kitchen(sampling: 0.5)
        kitchen.back = [[400, 400, 200, nil], [nil, nil, nil, nil], [400, 400, 200, nil]]
        let answer = try #require(try kitchen.document.answers.first { $0.insight.name == "back" })
        let rows = try #require(answer.answered?.table.rows)
        let intervals = rows.prefix(3).map { $0.figure.quantity.flatMap(answer.interval) }
        #expect(intervals[0] == Interval(1, 1, places: 6))
        let back = try #require(intervals[1]).ends
        #expect(back.low < 1 && back.high > 1)
        #expect(try #require(intervals[2]).ends.low < 0.5)
    }

    @Test("above all that were kept there may be more: an extreme quantile of few events has an open band")
    func quantiles() throws {
        func counts(_ bands: [Int64?], rate: Double) -> BandCounts {
            BandCounts(edges: [10, 20, 50], bands: bands, other: 0, whole: nil, rate: rate) { _, _ in 0 }
        }
        // Of 40 values the chance that none lies above the mark of 99% is two in three.
        let mark = try #require(counts([20, 15, 5, 0], rate: 0.1).reading(at: Quantile(perMille: 990)))
        #expect(mark.highest == nil && mark.lowest != nil)
        let many = try #require(counts([20_000, 15_000, 5000, 0], rate: 0.1).reading(at: Quantile(perMille: 990)))
        #expect(many.highest?.description == "50" && many.lowest?.description == "20")
        let least = try #require(counts([0, 0, 5, 35], rate: 0.1).reading(at: Quantile(perMille: 10)))
        #expect(least.lowest == nil)
    }
}

extension [Double] {
    /// The largest ones, the very largest first.
    fileprivate func max(count: Int) -> [Double] { Array(sorted(by: >).prefix(count)) }
}
