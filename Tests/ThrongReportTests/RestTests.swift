import Foundation
import Testing
import ThrongPlan
import ThrongRelease

@testable import ThrongInsight
@testable import ThrongReport

@Suite("what withheld rows hold together is the published whole less the published rows")
struct RestTests {
    private static func table(_ name: InsightName, _ change: (inout Shop) -> Void = { _ in }) throws -> AnswerTable {
        var shop = Shop()
        change(&shop)
        return try #require(shop.document.answers.first { $0.insight.name == name }?.answered?.table)
    }

    @Test("no row is withheld: there is no line")
    func nothingWithheld() throws {
        let table = try Self.table("views_by_device")
        #expect(table.withheldRows == 0)
        #expect(table.rest?.events == 0)
        #expect(table.rest?.quantity == nil)
    }

    @Test("the whole is withheld: there is no line, and the share is unknown")
    func wholeWithheld() throws {
        let table = try Self.table("europe") { shop in
            for row in shop.views.indices { shop.views[row][0] = (5, 2) }
        }
        #expect(table.whole == .withheld)
        #expect(table.rest == nil)
    }

    @Test("withheld rows that are all empty hold zero, like small ones would hold what they have")
    func zero() throws {
        let empty = try Self.table("views_by_device") { $0.views[4] = $0.views[4].map { _ in (0, 0) } }
        #expect(empty.rest?.quantity == .events(0))
        let small = try Self.table("views_by_device") { $0.views[4] = [(7, 3), (0, 0), (0, 0), (0, 0), (0, 0)] }
        #expect(small.rest?.quantity == .events(7))
    }

    @Test("devices are in several rows, so neither reach nor a share of devices has a line")
    func devices() throws {
        func empty(_ shop: inout Shop) { for row in shop.views.indices { shop.views[row][4] = (1, 1) } }
        let shares = try Self.table("region_share", empty)
        #expect(shares.withheldRows == 1)
        #expect(shares.rest?.quantity == nil)
        #expect(try #require(shares.rest).events == 5)
    }

    @Test("a mean's rest is the sum that is left over the events that are left; a share's has its own parts and wholes")
    func quotients() throws {
        let mean = try Self.table("mean_basket").rest?.quantity
        #expect(mean == .mean(sum: 1500 + 9900 + 13_000 + 7030 + 14_990, decimals: 2, events: 9))
        let share = try Self.table("phone_share_by_region") { $0.views[0][4] = (96, 19) }.rest?.quantity
        #expect(share == .share(part: 96, whole: 96 + 0 + 25 + 2 + 0))
    }

    @Test("a share of the whole has it as denominator for its rest, too")
    func shareOfWhole() throws {
        let shop = Shop()
        let insight = shop.insight("shares", "Shares", .share(of: .events, part: nil), by: ["device", "region"])
        let plan = shop.plan.with(insights: [insight])
        let document = ReportDocument(
            plan: plan, report: plan.reports[0], period: Shop.period, releases: shop.releases(plan))
        let table = try #require(document.answers.first?.answered?.table)
        #expect(table.whole == nil)
        #expect(table.rest?.quantity == .share(part: 106, whole: 24_606))
    }

    @Test("where the published numbers add up to the whole, the page says that what is withheld beside them is empty")
    func empty() throws {
        var shop = Shop()
        shop.views[4] = Array(repeating: (0, 0), count: 5)
        let insight = shop.insight("devices", "Devices", .count, by: ["device"])
        let document = Course([shop], insights: [insight]).document
        let table = try #require(document.answers.first?.answered?.table)
        try #require(table.rest?.quantity == .events(0) && table.withheldRows == 1)
        let page = try PagePieces(document.html())
        let notes = try page.text("//p[@class='note']")
        #expect(
            notes == [
                Withheld.wording + ". 1 of 5 numbers here. The published numbers add up to the whole: it is empty."
            ])
        let rules = try page.text("//footer//p").joined(separator: " ")
        #expect(rules.contains("where they add up to the whole, what is withheld beside them is empty"))
    }

    @Test("parts that do not add up to their whole leave nothing")
    func overfull() {
        #expect(Quantity.events(5).without([.events(6)], shareOfWhole: false) == nil)
        #expect(Quantity.share(part: 2, whole: 5).without([.share(part: 3, whole: 4)], shareOfWhole: false) == nil)
        let mean = Quantity.mean(sum: .min, decimals: 2, events: 5)
        #expect(mean.without([.mean(sum: 1, decimals: 2, events: 1)], shareOfWhole: false) == nil)
        #expect(mean.without([.mean(sum: .min, decimals: 2, events: 5)], shareOfWhole: false) == nil)
    }

    @Test("a line is derived, never published: CSV and JSON give it a status of its own")
    func status() throws {
        let document = Shop().document
        #expect(document.csv.contains("views_by_both,2026-W47,,,,,106,events,events,20,1,0.004308,derived,rest,,\r\n"))
        #expect(document.json.components(separatedBy: "\"status\": \"derived\"").count == 3)
        #expect(!document.json.contains("\"derived\",\n          \"value\": null"))
    }
}
