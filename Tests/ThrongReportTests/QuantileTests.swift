import Foundation
import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongReport

@Suite("a quantile is told where every way to fill the withheld bands agrees on it; here without noise")
struct QuantileTests {
    private static let edges: [Double] = [10, 20, 50]

    private static func counts(
        _ bands: [Int64?], other: Int64? = 0, whole: Int64?, rate: Double = 1
    ) -> BandCounts {
        BandCounts(edges: edges, bands: bands, other: other, whole: whole, rate: rate) { _, _ in 0 }
    }

    /// The band that holds the event of that rank, counted one by one; nil where there is no event.
    private static func band(_ perMille: Int, _ bands: [Int]) -> Int? {
        let all = bands.reduce(0, +)
        guard all > 0 else { return nil }
        let events = bands.enumerated().flatMap { Array(repeating: $0.offset, count: $0.element) }
        let rank = max((perMille * all + 999) / 1000, 1)
        return events[rank - 1]
    }

    /// Every way to put so many events into some places.
    private static func fillings(_ left: Int, _ places: Int) -> [[Int]] {
        if places == 0 { return left == 0 ? [[]] : [] }
        return (0...left).flatMap { first in fillings(left - first, places - 1).map { [first] + $0 } }
    }

    @Test("three hundred random histograms with withheld bands: it is told exactly where all fillings agree")
    func exhaustive() {
        var dice = SeededGenerator(seed: 3)
        var told = 0
        for _ in 0..<300 {
            let truth = (0..<5).map { _ in Int.random(in: 0...6, using: &dice) }
            let hidden = (0..<5).map { _ in Int.random(in: 0...2, using: &dice) == 0 }
            let perMille = [100, 250, 500, 900].randomElement(using: &dice) ?? 500
            let places = hidden.indices.filter { hidden[$0] }
            let left = places.reduce(0) { $0 + truth[$1] }
            var found: Set<Int?> = []
            for filling in Self.fillings(left, places.count) {
                var all = truth
                for (place, events) in zip(places, filling) { all[place] = events }
                found.insert(Self.band(perMille, Array(all.dropLast())))
            }
            let shown = truth.indices.map { hidden[$0] ? nil : Int64(truth[$0]) }
            let reading = Self.counts(
                Array(shown.dropLast()), other: shown[4], whole: Int64(truth.reduce(0, +))
            ).reading(at: Quantile(perMille: perMille))
            let band = found.count == 1 ? found.first ?? nil : nil
            #expect((reading == nil) == (band == nil))
            guard let reading, let band else { continue }
            told += 1
            #expect(reading.lowest == (band == 0 ? nil : Decimals(exactly: Self.edges[band - 1])))
            #expect(reading.highest == (band == 3 ? nil : Decimals(exactly: Self.edges[band])))
        }
        #expect(told > 100)
    }

    @Test("the number inside a band is where its rank falls if the band's events are spread evenly")
    func interpolation() throws {
        // 40 of 100 lie below 20; the median is the 10th of the 40 between 20 and 50.
        let counts = Self.counts([10, 30, 40, 20], whole: 100)
        let median = try #require(counts.reading(at: .median))
        #expect(median.value?.description == "28")
        #expect([median.lowest?.description, median.highest?.description] == ["20", "50"])
        #expect(counts.reading(at: Quantile(perMille: 300))?.value?.description == "17")
        // Between 10 and 20, a tenth of the band is a whole unit: nothing finer is said.
        #expect(counts.reading(at: Quantile(perMille: 333))?.value?.description == "18")
    }

    @Test("in an open band there is no number, only its one edge")
    func open() throws {
        let counts = Self.counts([60, 10, 10, 20], whole: 100)
        let median = try #require(counts.reading(at: .median))
        #expect(median.value == nil && median.lowest == nil && median.highest?.description == "10")
        let high = try #require(counts.reading(at: Quantile(perMille: 900)))
        #expect(high.value == nil && high.lowest?.description == "50" && high.highest == nil)
        #expect(high.band(in: .english) == "50 or more")
    }

    @Test("a withheld band withholds it where it matters, and not where the published ones settle it")
    func withheld() throws {
        #expect(
            Self.counts([10, nil, 40, 20], whole: 100).reading(at: .median) != nil, "the rest is the whole less these")
        #expect(Self.counts([nil, nil, 40, 20], whole: 100).reading(at: .median) != nil)
        #expect(Self.counts([nil, nil, 40, 20], whole: 100).reading(at: Quantile(perMille: 200)) == nil)
        #expect(Self.counts([10, nil, 40, 20], whole: nil).reading(at: .median) == nil)
        // Events without a number may be among the withheld ones: then the place inside the band is open.
        let open = try #require(Self.counts([nil, 30, 40, 20], other: nil, whole: 94).reading(at: .median))
        #expect(open.value == nil && open.lowest?.description == "20")
        // Withheld and empty: every filling is the same.
        #expect(Self.counts([10, 30, 40, 20], other: nil, whole: 100).reading(at: .median)?.value?.description == "28")
    }

    @Test("of a sample, the band is as wide as the draw makes it")
    func sampled() throws {
        let few = try #require(Self.counts([6, 6, 6, 6], whole: 24, rate: 0.1).reading(at: .median))
        #expect(few.lowest == nil || few.highest == nil || few.lowest?.description == "10")
        let many = try #require(
            Self.counts([10_000, 30_000, 40_000, 20_000], whole: 100_000, rate: 0.1).reading(at: .median))
        #expect(many.lowest?.description == "20" && many.highest?.description == "50")
        #expect(many.value?.description == "28")
    }

    @Test("a mark may stand although bands are withheld")
    func withheldBands() throws {
        var shop = Shop()
        shop.checkouts = shop.checkouts.map { bands in
            bands.enumerated().map { $0.offset == 4 ? (1, 100, 1) : $0.element }
        }
        let answered = try #require(Course([shop], insights: Course.usual).answer("quantiles")?.answered)
        let rest = try #require(answered.table.rest)
        #expect(rest.isTooLittle && answered.table.rows.contains { $0.figure.quantity != nil })
    }

    @Test("of a release whose bands have other edges than the plan, nothing is read")
    func otherEdges() throws {
        var old = Shop()
        old.bands[2] = "20-60"
        old.bands[3] = "60-100"
        let course = Course([old], insights: Course.usual)
        #expect(course.answer("quantiles")?.answered == nil)
        #expect(Course([Shop()], insights: Course.usual).answer("quantiles")?.answered != nil)
    }

    @Test("a mark in an open band is where the band begins, and no number")
    func openBand() throws {
        let sentence = try #require(Course().answer("quantiles")).sentence
        #expect(sentence.contains(" and 99.9% of the actions were under a value of 200 EUR or more."))
        #expect(sentence.hasPrefix("Half of the actions were under about 43 EUR (20 to 50)"))
    }

    @Test("HTML, CSV and JSON have the number and its band")
    func formats() throws {
        let document = Course().document
        let lines = document.csv.components(separatedBy: "\r\n").filter { $0.hasPrefix("quantiles,") }
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("quantiles,2026-W47,,,0.5,,43,EUR,"))
        let page = try PagePieces(document.html())
        let rows = try page.table(section: 9)
        try #require(rows.count == 4)
        #expect(rows.map { $0[0] } == ["Quantile", "Half were under", "90% were under", "99.9% were under"])
        #expect(rows[3].last == "200 or more")
        #expect(try page.elements("//section[@id='insight-9']//rect[@class='band']").count == 3)
        #expect(document.json.contains("\"high\": null"))
    }
}
