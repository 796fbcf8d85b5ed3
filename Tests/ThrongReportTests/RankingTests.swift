import Foundation
import Testing
import ThrongChance
import ThrongPlan
import ThrongRelease

@testable import ThrongInsight
@testable import ThrongReport

@Suite("a ranking names the largest published rows, and nothing tells where a withheld one would stand")
struct RankingTests {
    private static func ranking(_ shop: Shop, top: Int, by: [DimensionName] = ["device", "region"]) throws -> (
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

    @Test("two hundred random tables: rows, ranks, ties and the rest equal a computation from the released rows")
    func independent() throws {
        var dice = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let shop = Shop(&dice)
            let top = Int.random(in: 1...8, using: &dice)
            let (ranking, answer, release) = try Self.ranking(shop, top: top)
            var cells: [(labels: [String], count: Int64)] = []
            var rows = 0
            for device in Shop.devices {
                for region in Shop.regions {
                    rows += 1
                    guard let cell = release.cell(["device": device, "region": region]) else { continue }
                    cells.append((labels: [device.text, region.text], count: cell.count))
                }
            }
            // A stable sort by counting who is larger, or equal and earlier.
            let places = cells.indices.map { one in
                cells.indices.count {
                    cells[$0].count > cells[one].count || cells[$0].count == cells[one].count && $0 < one
                }
            }
            // All that tie with the last one are named, too.
            let wanted = cells.indices.compactMap { place in places.firstIndex(of: place) }
                .prefix { one in cells.count { $0.count > cells[one].count } < top }
            #expect(ranking.rows.map { $0.row.buckets.map(\.text) } == wanted.map { cells[$0].labels })
            #expect(ranking.rows.map(\.rank) == wanted.map { one in 1 + cells.count { $0.count > cells[one].count } })
            #expect(ranking.others == rows - wanted.count)
            let named = wanted.reduce(Int64(0)) { $0 + cells[$1].count }
            let whole = release.cell([:])
            let left = whole.map { $0.count - named }
            #expect(ranking.rest == left.flatMap { $0 >= 20 ? .events($0) : nil })
            #expect(answer.answered?.table.withheldRows == rows - cells.count)
        }
    }

    @Test("who ties with the last one that is named is named, too, and no equal number is among the others")
    func ties() throws {
        var shop = Shop()
        shop.views = (0..<5).map { _ in Array(repeating: (0, 0), count: 5) }
        for (place, events) in [Int64(500), 300, 300, 300, 120].enumerated() { shop.views[place][0] = (events, events) }
        let ranking = try Self.ranking(shop, top: 2, by: ["device"]).ranking
        #expect(ranking.rows.map(\.rank) == [1, 2, 2, 2])
        #expect(ranking.others == 1 && ranking.rest == .events(120))
    }

    @Test("moving a withheld cell's events to another withheld place leaves every byte as it was")
    func moved() throws {
        var one = Shop()
        one.views[3][3] = (19, 19)
        one.views[3][4] = (0, 0)
        one.views[4][3] = (0, 0)
        one.views[4][4] = (19, 19)
        var two = one
        two.views[3][3] = (0, 0)
        two.views[3][4] = (19, 19)
        two.views[4][3] = (19, 19)
        two.views[4][4] = (0, 0)
        func files(_ shop: Shop) throws -> [ReportFile] {
            let course = Course([shop, shop], insights: Course.usual)
            return try ReportFiles(of: course.document, formats: ReportFormat.allCases).all
        }
        #expect(try files(one) == files(two))
    }

    @Test("with the whole withheld there is no rest; with every row named there is none either")
    func noRest() throws {
        var few = Shop()
        few.views = few.views.map { $0.map { _ in (1, 0) } }
        #expect(try Self.ranking(few, top: 3).ranking.rest == nil)
        #expect(try Self.ranking(few, top: 3).ranking.rows.isEmpty)
        #expect(try Self.ranking(Shop(), top: 5, by: ["region"]).ranking.rest == nil)
        #expect(try Self.ranking(Shop(), top: 4, by: ["region"]).ranking.rest == .events(123))
    }

    @Test("shares and means are ranked exactly, where floating point could not tell them apart")
    func exact() {
        let large = Int64.max / 3
        #expect(Quantity.share(part: large, whole: large - 1).exceeds(.share(part: large - 1, whole: large - 1)))
        #expect(Quantity.share(part: large - 1, whole: large).exceeds(.share(part: large - 2, whole: large)))
        #expect(!Quantity.mean(sum: 2, decimals: 2, events: 4).exceeds(.mean(sum: 1, decimals: 2, events: 2)))
    }

    @Test(
        "CSV and JSON have ranks and no withheld line; HTML says that a withheld number has no rank, and may be larger if so"
    )
    func formats() throws {
        let document = Course().document
        let lines = document.csv.components(separatedBy: "\r\n").filter { $0.hasPrefix("top_pairs,") }
        #expect(lines.count == 7)
        #expect(!lines.contains { $0.contains(",withheld,") })
        #expect(lines[5].contains(",derived,rest,") && lines[6].contains(",24606,") && lines[6].contains(",whole,"))
        #expect(lines[0].contains("top_pairs,2026-W47,Europe,Phone,"))
        #expect(lines[0].hasSuffix(",published,group,,,,,1,,,"))
        let page = try PagePieces(document.html())
        let notes = try page.text("//section[@id='insight-5']//p[@class='note']")
        let among = "0.4% of the events. They have no rank and are among “Others, together”."
        #expect(notes.count == 1 && notes[0].hasSuffix(among))
        var unknown = Shop()
        unknown.views[0][0] = (8412, 0)
        unknown.views[2][0] = (4930, 0)
        let course = Course(
            [unknown],
            insights: [unknown.insight("top", "Top", .count, by: ["device", "region"], view: .ranking(top: 3))])
        let larger = try PagePieces(course.document.html()).text("//p[@class='note']")
        #expect(larger.count == 1 && larger[0].hasSuffix("and may be larger than any that is named."))
        let rows = try page.table(section: 5)
        #expect(rows.map { $0[0] } == ["Rank", "1", "2", "3", "4", "5", "", ""])
        #expect(rows[6][1] == "Others, together")
    }
}
