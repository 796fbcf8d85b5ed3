import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongReport

@Suite(
    "an interval holds given that the number is published, which small ones are where their sample is large by chance")
struct PublishedSampleTests {
    private static let k = Threshold(devices: 20)

    /// How often the interval holds all events among the draws in which k devices are in the sample.
    ///
    /// - Parameter events: of each device in one window.
    private static func held(
        _ events: [Int], rate: Double, _ interval: (Int64) -> (low: Double, high: Double)
    ) -> (held: Int, published: Int) {
        var dice = SeededGenerator(seed: UInt64(events.count))
        let all = Double(events.reduce(0, +))
        var (held, published) = (0, 0)
        for _ in 0..<2000 {
            let kept = events.map { events in
                (0..<events).count { _ in Double.random(in: 0..<1, using: &dice) < rate }
            }
            guard kept.count(where: { $0 > 0 }) >= k.devices else { continue }
            published += 1
            let (low, high) = interval(Int64(kept.reduce(0, +)))
            if low <= all, all <= high { held += 1 }
        }
        return (held, published)
    }

    @Test(
        "of what is published, 19 of 20 intervals hold all events, however these are spread over devices",
        arguments: [
            (Array(repeating: 1, count: 75), 0.2), (Array(repeating: 1, count: 85), 0.2),
            (Array(repeating: 1, count: 100), 0.2), (Array(repeating: 1, count: 200), 0.2),
            (Array(repeating: 1, count: 250), 0.05), (Array(repeating: 5, count: 22), 0.3),
            (Array(repeating: 30, count: 20), 0.08), (Array(repeating: 1, count: 25) + [60, 80], 0.6),
            (Array(repeating: 1, count: 2000), 0.1),
        ])
    func totals(events: [Int], rate: Double) {
        let given = Self.held(events, rate: rate) { Interval.total($0, rate: rate, threshold: Self.k) }
        #expect(given.published >= 20)
        #expect(Double(given.held) >= 0.95 * Double(given.published), "\(given)")
    }

    @Test("the same without the threshold holds in two of three of such numbers only: the control")
    func control() {
        let naive = Self.held(Array(repeating: 1, count: 75), rate: 0.2) { Interval.total($0, rate: 0.2) }
        #expect(Double(naive.held) < 0.75 * Double(naive.published), "\(naive)")
    }

    @Test("shares and retentions whose parts are published only by chance hold, too")
    func quotients() {
        var dice = SeededGenerator(seed: 5)
        func kept(_ all: Int) -> Int64 { Int64((0..<all).count { _ in Double.random(in: 0..<1, using: &dice) < 0.2 }) }
        var (published, shares, ratios, naive) = (0, 0, 0, 0)
        for _ in 0..<4000 {
            let (part, others, whole) = (kept(75), kept(400), kept(120))
            guard part >= Self.k.devices, whole >= Self.k.devices else { continue }
            published += 1
            let share = Interval.share(part, of: part + others, rate: 0.2, threshold: Self.k)
            if share.low <= 75.0 / 475, 75.0 / 475 <= share.high { shares += 1 }
            let bare = Interval.share(part, of: part + others, rate: 0.2)
            if bare.low <= 75.0 / 475, 75.0 / 475 <= bare.high { naive += 1 }
            let ratio = Interval.ratio(part, whole, rate: 0.2, threshold: Self.k)
            if ratio.low <= 75.0 / 120, 75.0 / 120 <= ratio.high { ratios += 1 }
        }
        #expect(published > 150)
        #expect(Double(shares) >= 0.95 * Double(published), "\(shares) of \(published)")
        #expect(Double(ratios) >= 0.95 * Double(published), "\(ratios) of \(published)")
        #expect(naive < shares, "the control holds as often")
    }

    @Test("beside numbers near k stands that they lean high, and beside large ones it does not")
    func note() throws {
        func notes(_ phones: Int64, _ sampling: Double) throws -> [String] {
            var shop = Shop()
            shop.sampling = sampling
            shop.views =
                [[(phones, phones), (0, 0), (0, 0), (0, 0), (0, 0)], [(900, 800), (0, 0), (0, 0), (0, 0), (0, 0)]]
                + (0..<3).map { _ in Array(repeating: (0, 0), count: 5) }
            let insight = shop.insight("c", "C", .count, by: ["device"])
            return try PagePieces(Course([shop], insights: [insight]).document.html())
                .text("//p[@class='note chance']")
        }
        let name = Shop.devices[0].text
        #expect(
            try notes(25, 0.2) == [
                "“\(name)” leans high: a number is published only where its sample has 20 devices or more, and a group of "
                    + "this size has them by the luck of the draw. Intervals allow for it."
            ])
        #expect(try notes(400, 0.2).isEmpty)
        #expect(try notes(25, 1).isEmpty)
    }

    @Test(
        "what the groups leave of a sampled whole has no interval in any format: the draw decides which groups these are"
    )
    func rest() throws {
        var shop = Shop()
        shop.sampling = 0.25
        let insight = shop.insight("c", "C", .count, by: ["device", "region"])
        let document = Course([shop], insights: [insight]).document
        let answer = try #require(document.answers.first)
        try #require(answer.answered?.table.rest?.quantity != nil)
        let lines = document.csv.components(separatedBy: "\r\n")
        let heads = try #require(lines.first?.components(separatedBy: ","))
        let (low, row) = (try #require(heads.firstIndex(of: "low")), try #require(heads.firstIndex(of: "row")))
        for line in lines.dropFirst() where !line.isEmpty {
            let cells = line.replacing("events, estimated", with: "events estimated").components(separatedBy: ",")
            let isNumber = cells[row] == "whole" || cells[row] == "group" && line.contains(",published,")
            #expect(cells[low].isEmpty != isNumber, "\(line)")
        }
        #expect(
            try PagePieces(document.html()).table(section: 1).contains {
                $0[0] == "Withheld, together" && $0.last == "–"
            })
        #expect(document.json.contains("\"status\": \"derived\""))
    }
}
