import Foundation
import Testing

@testable import ThrongPlan
@testable import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("A map has the numbers of its bars, each where its country lies")
struct MapTests {
    private static let four: [BucketLabel] = ["Europe", "North America", "Asia and Pacific", "Africa"]
    private static let regions = BucketingRule.region([
        BucketGroup(label: four[0], values: ["UK", "AT", "DE"]), BucketGroup(label: four[1], values: ["CA", "US"]),
        BucketGroup(label: four[2], values: ["JP", "AU"]), BucketGroup(label: four[3], values: ["EG", "ZA"]),
    ])

    /// A report of views by a dimension with these buckets and `other`.
    private static func document(
        _ labels: [BucketLabel], _ rule: BucketingRule, shop: Shop = Shop(), view: Insight.View = .table,
        locale: Language = .english
    ) -> ReportDocument {
        var shop = shop
        shop.regions = labels + [.other]
        let insight = shop.insight("places", "Views by place", .count, by: ["region"], view: view)
        var plan = shop.plan.with(insights: [insight], locale: locale)
        plan.dimensions[1] = Dimension(
            name: "region", title: "Region", field: "country", rule: rule, partitionsDevices: true)
        return ReportDocument(
            plan: plan, report: plan.reports[0], period: Shop.period, releases: shop.releases(plan))
    }

    private static func list(_ codes: [String]) -> BucketingRule {
        .list(codes.map { BucketGroup(label: BucketLabel($0), values: [$0]) })
    }

    /// The shop with one number for each of so many countries, and for `other`.
    private static func shop(_ events: [Int64]) -> Shop {
        var shop = Shop()
        shop.views = shop.views.map { _ in (events + [0]).map { ($0, $0 / 4) } }
        return shop
    }

    /// The squares of a page's maps: code, style and title.
    private static func squares(_ document: ReportDocument) throws -> [(code: String, style: String, title: String)] {
        try PagePieces(document.html()).elements("//figure//g").map { square in
            func text(_ name: String) -> String { square.elements(forName: name).first?.stringValue ?? "" }
            let style = square.elements(forName: "rect").first?.attribute(forName: "class")?.stringValue
            return (text("text"), style ?? "", text("title"))
        }
    }

    @Test("each country of the world but those without inhabitants has a square of its own, near its neighbours")
    func world() throws {
        let places = WorldGrid.places
        let all = Set(BucketingRule.unRegions.flatMap(\.values))
        // Codes of parts of countries, which only CLDR has, and territories where nobody lives.
        let none: Set = ["AC", "DG", "EA", "IC", "TA", "BV", "GS", "HM", "TF", "UM"]
        #expect(Set(places.keys) == all.subtracting(none))
        #expect(Set(places.values.map { [$0.column, $0.row] }).count == places.count)
        func place(_ code: String) throws -> (column: Int, row: Int) { try #require(places[code]) }
        for (west, east) in ["PT ES", "US GB", "MX CU", "DE PL", "NO FI", "IN BD", "CN JP", "AU NZ", "CL AR"].map({
            ($0.prefix(2), $0.suffix(2))
        }) {
            #expect(try place(String(west)).column < place(String(east)).column, "\(west) lies west of \(east)")
        }
        for (north, south) in ["CA US", "US MX", "SE DE", "DE IT", "IT TN", "EG SD", "CD ZA", "RU KZ", "TH SG"].map({
            ($0.prefix(2), $0.suffix(2))
        }) {
            #expect(try place(String(north)).row < place(String(south)).row, "\(north) lies north of \(south)")
        }
    }

    @Test("a region is one number, which all of its countries have, also by a code that is not today's")
    func groups() throws {
        let document = Self.document(Self.four, Self.regions)
        let squares = try Self.squares(document)
        #expect(squares.map(\.code) == ["GB", "AT", "DE", "CA", "US", "JP", "AU", "EG", "ZA"])
        for codes in [["GB", "AT", "DE"], ["CA", "US"], ["JP", "AU"], ["EG", "ZA"]] {
            let own = squares.filter { codes.contains($0.code) }
            #expect(Set(own.map(\.style)).count == 1 && own.allSatisfy { $0.style.hasPrefix("shade-") })
            #expect(Set(own.map { $0.title.split(separator: " · ").last }).count == 1)
        }
        let page = try PagePieces(document.html())
        let number = try #require(try page.text("//*[@class='bars']/g[1]/title").first?.split(separator: ": ").last)
        #expect(squares[1].title == "Austria · Europe: \(number)")
        #expect(squares[1].style == "shade-5", "the largest is the strongest")
        let words = try page.text("//figcaption//p")
        #expect(words.contains(Language.english.say(.mapGroups)) && words.count == 3)
        #expect(try page.text("//figcaption//li").last == "not named: part of “other”")
    }

    @Test("a withheld country is hatched whatever it hides, and with fewer than four numbers there is no map")
    func withheld() throws {
        let codes = ["AT", "DE", "FR", "IT", "ES"]
        var seen: Set<[String]> = []
        for few: Int64 in [0, 8] {
            let squares = try Self.squares(
                Self.document(
                    codes.map { BucketLabel($0) }, Self.list(codes), shop: Self.shop([900, 800, 700, 600, few])))
            #expect(squares.map(\.style).dropLast().allSatisfy { $0.hasPrefix("shade-") } && squares.count == 5)
            seen.insert(try #require(squares.last.map { [$0.style, $0.title] }))
        }
        #expect(seen == [["withheld", "Spain: withheld"]])
        let three = Self.shop([900, 800, 700, 1, 1])
        #expect(try Self.squares(Self.document(codes.map { BucketLabel($0) }, Self.list(codes), shop: three)).isEmpty)
    }

    @Test("only the part of the world is shown that the plan names, with outlines of the others in it")
    func part() throws {
        let codes = ["AT", "DE", "FR", "IT"]
        let document = Self.document(codes.map { BucketLabel($0) }, Self.list(codes))
        let page = try PagePieces(document.html())
        let map = try #require(try page.elements("//figure//*[@class='map']").first)
        let box = try #require(map.attribute(forName: "viewBox")?.stringValue).split(separator: " ").compactMap {
            Int($0)
        }
        #expect(box[2] < 16 * 6 && box[3] < 16 * 6)
        let outlines = try #require(map.elements(forName: "path").first?.attribute(forName: "d")?.stringValue)
        #expect((4...12).contains(outlines.filter { $0 == "M" }.count))
        #expect(try Self.squares(document).map(\.title).allSatisfy { !$0.contains("·") })
        #expect(try !page.text("//figcaption//p").contains(Language.english.say(.mapGroups)))
    }

    @Test("rankings and changes have a map, trends have none, and neither have other words of two letters")
    func kinds() throws {
        let codes = ["AT", "DE", "FR", "IT"]
        func count(_ view: Insight.View, _ codes: [String] = codes) throws -> Int {
            try Self.squares(Self.document(codes.map { BucketLabel($0) }, Self.list(codes), view: view)).count
        }
        #expect(try count(.ranking(top: 2)) == 4)
        #expect(try count(.change(against: [.periodBefore])) == 4)
        #expect(try count(.trend(periods: 3)) == 0)
        #expect(try count(.table, ["en", "de", "fr", "it"]) == 0)
        #expect(try count(.table, ["AT", "DE", "FR", "EN"]) == 0)
        #expect(try Self.squares(Self.document(Self.four, .region([]))).isEmpty)
    }

    @Test("shades are fifths, and finer where one country has nearly all")
    func shades() throws {
        let codes = ["AT", "DE", "FR", "IT", "ES"]
        for (events, styles) in [
            ([900, 700, 500, 300, 150], [5, 4, 3, 2, 1]), ([90_000, 1500, 800, 300, 150], [5, 1, 1, 1, 1]),
            ([90_000, 30_000, 12_000, 5000, 150], [5, 4, 3, 2, 1]),
        ] as [([Int64], [Int])] {
            let squares = try Self.squares(
                Self.document(codes.map { BucketLabel($0) }, Self.list(codes), shop: Self.shop(events)))
            #expect(squares.map(\.style) == styles.map { "shade-\($0)" }, "\(events)")
        }
    }

    @Test("a map is the drawing where bars are too many for a slide, and all of it lies within the file")
    func drawing() throws {
        let all = BucketingRule.unRegions[3].values.filter { WorldGrid.places[$0] != nil }
        for (count, isMap) in [(19, false), (24, true)] {
            let codes = Array(all.prefix(count))
            let document = Self.document(
                codes.map { BucketLabel($0) }, Self.list(codes),
                shop: Self.shop(codes.indices.map { Int64(100 + 50 * $0) }))
            let file = try #require(try ReportFiles(of: document, formats: [.svg]).all.first)
            let text = String(decoding: file.contents, as: UTF8.self)
            #expect(text.contains("<svg class=\"map") == isMap && text.contains("<svg class=\"bars\"") == !isMap)
            guard isMap else { continue }
            #expect(text.contains(Language.english.say(.mapNote)) && text.contains("not named: part of"))
            let height = try #require(text.firstMatch(of: /width="720" height="(\d+)"/).flatMap { Int($0.1) })
            // Keys are the last, below the heading.
            let last = try #require(text.matches(of: /x="28" y="([\d.]+)"/).last.flatMap { Double($0.1) })
            #expect(last + 84 < Double(height))
        }
    }

    @Test("maps and drawings speak the reader's language", arguments: Language.all)
    func languages(language: Language) throws {
        let labels = BucketingRule.unRegions.map(\.label)
        let codes = BucketingRule.unRegions[3].values.filter { WorldGrid.places[$0] != nil }.prefix(24)
        let page = Self.document(
            labels, .region(BucketingRule.unRegions), shop: Self.shop([500, 400, 300, 200, 100]), locale: language)
        let europe = language.words(for: "Europe", by: Dimension(by: .region([])))
        let html = try page.html()
        #expect(html.contains("<title>\(language.name(of: "_AT")) · \(europe): "))
        for message in [Message.mapNote, .mapShades, .mapGroups] {
            #expect(html.contains("<p>\(language.say(message))</p>"))
        }
        let drawn = try ReportFiles(of: page, formats: [.svg]).all.first.map {
            String(decoding: $0.contents, as: UTF8.self)
        }
        #expect(drawn?.contains(">\(europe)<") == true, "bars have the reader's words, too")
        let drawing = Self.document(
            codes.map { BucketLabel($0) }, Self.list(Array(codes)), shop: Self.shop(codes.map { _ in 100 }),
            locale: language)
        let file = try #require(try ReportFiles(of: drawing, formats: [.svg]).all.first)
        #expect(String(decoding: file.contents, as: UTF8.self).contains(">\(language.say(.mapShades))<"))
    }
}
