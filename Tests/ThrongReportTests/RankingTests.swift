import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongReport

@Suite("a ranking names the largest published rows, as far as margins tell them apart")
struct RankingTests {
    private static func ranking(_ shop: Shop, top: Int, by: [DimensionName] = ["device"]) throws -> (
        ranking: AnswerRanking, answer: InsightAnswer, release: Release
    ) {
        let insight = shop.insight("top", "Top", .count, by: by, view: .ranking(top: top))
        let course = Course([shop], insights: [insight])
        let answer = try #require(course.answer("top"))
        guard case .ranking(let ranking)? = answer.answered?.view else { throw NoRanking() }
        let release = try #require(course.releases.first { $0.header.layout.metric == "product_views" })
        return (ranking, answer, release)
    }

    struct NoRanking: Error {}

    @Test(
        "two hundred random tables: rows, ranks and the rest equal a computation from the released rows and their margins"
    )
    func independent() throws {
        var dice = SeededGenerator(seed: 7)
        var level = 0
        for _ in 0..<200 {
            let shop = Shop(&dice)
            let top = Int.random(in: 1...4, using: &dice)
            let (ranking, answer, release) = try Self.ranking(shop, top: top)
            let cells = Shop.devices.compactMap { device in
                release.cell(["device": device]).map { (label: device.text, count: $0.count) }
            }
            // Of five buckets, a number has 1 + 1/25 of a total's variance, and the difference of two 2 + 2/4.
            let apart = 28 * (2.5 / 1.04).squareRoot()
            func larger(_ one: Int64) -> Int { cells.count { Double($0.count - one) > apart } }
            func smaller(_ one: Int64) -> Int { cells.count { Double(one - $0.count) > apart } }
            // A stable sort by counting who is larger, or equal and earlier.
            let places = cells.indices.map { one in
                cells.indices.count {
                    cells[$0].count > cells[one].count || cells[$0].count == cells[one].count && $0 < one
                }
            }
            let wanted = cells.indices.compactMap { place in places.firstIndex(of: place) }
                .prefix { one in larger(cells[one].count) < top }
            #expect(ranking.rows.map { $0.row.buckets[0].text } == wanted.map { cells[$0].label })
            #expect(ranking.rows.map(\.rank) == wanted.map { 1 + larger(cells[$0].count) })
            #expect(ranking.rows.map(\.lastRank) == wanted.map { cells.count - smaller(cells[$0].count) })
            level += ranking.rows.count { $0.rank < $0.lastRank }
            #expect(ranking.others == Shop.devices.count - wanted.count)
            let named = wanted.reduce(Int64(0)) { $0 + cells[$1].count }
            let left = release.cell([:]).map { $0.count - named }
            #expect(ranking.rest == left.flatMap { $0 > 28 ? .drawn($0, of: .events) : nil })
            #expect(answer.answered?.table.withheldRows == Shop.devices.count - cells.count)
        }
        #expect(level > 20, "some are level")
    }

    @Test("whoever margins leave level with the last one that is named is named, too")
    func level() throws {
        var shop = Shop()
        shop.views = (0..<5).map { _ in Array(repeating: (0, 0), count: 5) }
        for (place, events) in [Int64(500), 300, 310, 290, 120].enumerated() { shop.views[place][0] = (events, events) }
        let ranking = try Self.ranking(shop, top: 2).ranking
        #expect(ranking.rows.map(\.rank) == [1, 2, 2, 2] && ranking.rows.map(\.lastRank) == [1, 4, 4, 4])
        #expect(ranking.rows.map { $0.row.buckets[0].text } == ["Phone", "Desktop", "Tablet", "Television"])
        #expect(ranking.others == 1 && ranking.rest == .drawn(120, of: .events))
    }

    @Test("with the whole withheld there is no rest; with every row named there is none either")
    func noRest() throws {
        var few = Shop()
        few.views = few.views.map { $0.map { _ in (1, 0) } }
        #expect(try Self.ranking(few, top: 3).ranking.rest == nil)
        #expect(try Self.ranking(few, top: 3).ranking.rows.isEmpty)
        #expect(try Self.ranking(Shop(), top: 5, by: ["region"]).ranking.rest == nil)
        #expect(try Self.ranking(Shop(), top: 4, by: ["region"]).ranking.rest == .drawn(123, of: .events))
    }

    @Test("shares and means are sorted as they were drawn, where floating point could not tell them apart")
    func sorted() {
        let large = Int64.max / 3
        func share(_ part: Int64, _ whole: Int64) -> Quantity { .share(part: part, whole: whole, noise: .none) }
        func mean(_ sum: Int64, _ events: Int64) -> Quantity {
            .mean(sum: sum, decimals: 2, events: events, noise: .none)
        }
        #expect(share(large, large - 1).exceeds(share(large - 1, large - 1)))
        #expect(share(large - 1, large).exceeds(share(large - 2, large)))
        #expect(!mean(2, 4).exceeds(mean(1, 2)))
    }

    @Test("CSV and JSON have ranks and no withheld line; HTML says that a withheld number has no rank")
    func formats() throws {
        let document = Course().document
        let lines = document.csv.components(separatedBy: "\r\n").filter { $0.hasPrefix("top_pairs,") }
        #expect(lines.count == 7)
        #expect(!lines.contains { $0.contains(",withheld,") })
        #expect(lines[5].contains(",derived,rest,") && lines[6].contains(",24606,") && lines[6].contains(",whole,"))
        #expect(lines[0].contains("top_pairs,2026-W47,Europe,Phone,"))
        #expect(lines[0].hasSuffix(",published,group,,,,,1,1,,,,28,0.98"))
        let page = try PagePieces(document.html())
        let notes = try page.text("//section[@id='insight-5']//p[@class='note']")
        let among = "0.4% of the actions. They have no rank and are among “Others, together”."
        #expect(notes.count == 1 && notes[0].hasSuffix(among))
        let rows = try page.table(section: 5)
        #expect(rows.map { $0[0] } == ["Rank", "1", "2", "3", "4", "5", "", ""])
        #expect(rows[6][1] == "Others, together")
    }
}
