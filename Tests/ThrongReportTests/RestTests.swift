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
        #expect(table.rest?.known == 0 && table.rest?.fewerThan == nil)
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

    /// Others than the five kinds of device, so many of them, by a release that shows devices and the total.
    private static func others(_ events: Int64) -> ReportDocument {
        var shop = Shop()
        shop.views[4] = [(events, min(events, 19)), (0, 0), (0, 0), (0, 0), (0, 0)]
        let insight = shop.insight("devices", "Devices", .count, by: ["device"])
        return Course([shop], insights: [insight]).document
    }

    @Test("no line and no share tells withheld rows that are empty from those that are fewer than k")
    func zero() throws {
        for events in [Int64(0), 7, 19] {
            let rest = try #require(Self.others(events).answers.first?.answered?.table.rest)
            #expect(rest.quantity == nil && rest.share == nil && rest.known == nil)
            #expect(rest.fewerThan == Threshold(devices: 20))
        }
        let many = try #require(Self.others(20).answers.first?.answered?.table.rest)
        #expect(many.quantity == .events(20) && many.fewerThan == nil && many.share != nil)
    }

    @Test("the files of an empty rest and of a small one differ in published numbers alone: the totals")
    func zeroInFiles() throws {
        // Numbers in words, and what depends on them: the largest share, the axis. The rest of both is the same text.
        func words(_ document: ReportDocument) throws -> [String] {
            let page = try PagePieces(document.html())
            return try page.text("//p[@class='note']") + page.text("//footer//p") + page.table(section: 1).map { $0[0] }
        }
        let (empty, small) = (Self.others(0), Self.others(7))
        #expect(try words(empty) == words(small))
        for document in [empty, small] {
            #expect(document.json.contains("\"withheld_share\": null") && document.json.contains("\"rest\": null"))
            #expect(!document.csv.contains(",derived,"))
        }
        #expect(Self.others(20).csv.contains(",derived,rest"))
    }

    @Test("of a breakdown without any published number, page and JSON say that it was left out")
    func leftOut() throws {
        var shop = Shop()
        shop.views = (0..<5).map { _ in Array(repeating: (12, 6), count: 5) }
        let insights = [
            shop.insight("pairs", "Pairs", .count, by: ["device", "region"]),
            shop.insight("devices", "Devices", .count, by: ["device"]),
        ]
        let document = Course([shop], insights: insights).document
        let tables = document.answers.compactMap(\.answered?.table)
        try #require(tables.map(\.isLeftOut) == [true, false])
        let notes = try PagePieces(document.html()).text("//p[@class='note']")
        #expect(notes.count == 1 && notes[0].hasSuffix(Withheld.leftOut(for: "this period")))
        #expect(document.json.components(separatedBy: "\"left_out\": true").count == 2)
        // The same is said of one that nobody was in.
        shop.views = shop.views.map { $0.map { _ in (0, 0) } }
        #expect(
            try PagePieces(Course([shop], insights: insights).document.html()).text("//p[@class='note']")[0] == notes[0]
        )
    }

    @Test("devices are in several rows, so neither reach nor a share of devices has a line")
    func devices() throws {
        func empty(_ shop: inout Shop) { for row in shop.views.indices { shop.views[row][4] = (1, 1) } }
        let shares = try Self.table("region_share", empty)
        #expect(shares.withheldRows == 1)
        #expect(shares.rest?.quantity == nil)
        #expect(try #require(shares.rest).fewerThan == Threshold(devices: 20))
    }

    @Test("a mean's rest is the sum that is left over the events that are left; a share's has its own parts and wholes")
    func quotients() throws {
        let mean = try Self.table("mean_basket").rest?.quantity
        #expect(mean == nil, "nine events are no line")
        let k = Threshold(devices: 20)
        let more = Quantity.mean(sum: 50_000, decimals: 2, events: 30)
        #expect(
            more.without([.mean(sum: 900, decimals: 2, events: 9)], shareOfWhole: false)?.standing(for: k)
                == .mean(sum: 49_100, decimals: 2, events: 21))
        #expect(more.without([.mean(sum: 900, decimals: 2, events: 11)], shareOfWhole: false)?.standing(for: k) == nil)
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
        #expect(document.json.components(separatedBy: "\"status\": \"derived\"").count == 2)
        #expect(!document.json.contains("\"derived\",\n          \"value\": null"))
    }
}
