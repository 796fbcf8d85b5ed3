import Foundation
import Testing
import ThrongPlan
import ThrongRelease

@testable import ThrongReport

@Suite(
    "what withheld rows hold together is the published whole less the published rows, where it can be told from nothing"
)
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
        #expect(table.rest?.known == 0 && table.rest?.isTooLittle == false)
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
    private static func others(_ events: Int64, within margin: Int64 = 28) -> ReportDocument {
        var shop = Shop()
        shop.margin = margin
        shop.views[4] = [(events, min(events, 19)), (0, 0), (0, 0), (0, 0), (0, 0)]
        let insight = shop.insight("devices", "Devices", .count, by: ["device"])
        return Course([shop], insights: [insight]).document
    }

    @Test("a rest that is fewer than k, or no more than the whole's margin, is not told from none")
    func little() throws {
        for (events, margin) in [(0, 28), (19, 28), (28, 28), (19, 3)] as [(Int64, Int64)] {
            let document = Self.others(events, within: margin)
            let rest = try #require(document.answers.first?.answered?.table.rest)
            #expect(rest.quantity == nil && rest.share == nil && rest.known == nil && rest.isTooLittle)
            #expect(document.json.contains("\"withheld_share\": null") && document.json.contains("\"rest\": null"))
            #expect(!document.csv.contains(",derived,"))
            #expect(
                try PagePieces(document.html()).text("//p[@class='note']").contains {
                    $0.hasSuffix("It leaves out too few of the actions to tell from none.")
                })
        }
        for (events, margin) in [(29, 28), (20, 3)] as [(Int64, Int64)] {
            let document = Self.others(events, within: margin)
            let rest = try #require(document.answers.first?.answered?.table.rest)
            #expect(rest.quantity == .drawn(events, of: .events) && !rest.isTooLittle && rest.share != nil)
            #expect(document.csv.contains(",derived,rest"))
        }
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
        #expect(notes.count == 1 && notes[0].hasSuffix(Language.english.say(.leftOut)))
        #expect(document.json.components(separatedBy: "\"left_out\": true").count == 2)
        // The same is said of one that nobody was in.
        shop.views = shop.views.map { $0.map { _ in (0, 0) } }
        #expect(
            try PagePieces(Course([shop], insights: insights).document.html()).text("//p[@class='note']")[0] == notes[0]
        )
    }

    @Test("devices are in several rows and quotients do not add up, so that neither has a line")
    func noLine() throws {
        func few(_ shop: inout Shop) {
            for row in shop.views.indices { shop.views[row][4] = (40, 3) }
            for band in shop.checkouts[3].indices { shop.checkouts[3][band] = (40, 4000, 1) }
        }
        for name in ["region_share", "mean_basket", "phone_share_by_region"] as [InsightName] {
            let table = try Self.table(name, few)
            #expect(table.withheldRows > 0 && table.rest?.quantity == nil && table.rest?.share != nil, "\(name)")
        }
    }

    @Test("parts that do not add up to their whole leave nothing, and what is no count leaves nothing either")
    func overfull() {
        func events(_ number: Int64) -> Quantity { .drawn(number, of: .events, within: 28) }
        #expect(events(5).without([events(6)]) == nil)
        #expect(events(.min).without([events(1)]) == nil)
        #expect(events(50).without([events(9), events(11)]) == .drawn(30, of: .events))
        #expect(Quantity.share(part: 2, whole: 5, noise: .none).without([]) == nil)
        let estimate = Quantity.estimate(Estimate(counted: 50, rate: 0.5, counts: .events))
        let part = Quantity.estimate(Estimate(counted: 20, rate: 0.5, counts: .events))
        #expect(estimate.without([part]) == .estimate(Estimate(counted: 30, rate: 0.5, counts: .events)))
    }

    @Test("a line is derived, never published: CSV and JSON give it a status of its own, and no margin that is told")
    func status() throws {
        let document = Shop().document
        #expect(
            document.csv.contains(
                "views_by_both,2026-W47,,,,,106,events,events,20,1,0.004308,derived,rest,,,,,,0.98\r\n"))
        #expect(document.json.components(separatedBy: "\"status\": \"derived\"").count == 2)
        #expect(!document.json.contains("\"derived\",\n          \"value\": null"))
    }
}
