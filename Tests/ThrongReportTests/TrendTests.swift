import Foundation
import Testing
import ThrongPlan
import ThrongRelease

@testable import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("a trend shows the published numbers of each period, and its gaps as gaps")
struct TrendTests {
    private static func points(_ name: InsightName, _ course: Course = Course()) throws -> [AnswerPoint] {
        guard case .trend(let points)? = try #require(course.answer(name)).answered?.view else { throw NoTrend() }
        return points
    }

    struct NoTrend: Error {}

    @Test("every number equals a sum over the raw cells of its week, the report's own last")
    func numbers() throws {
        let course = Course()
        let points = try Self.points("trend", course)
        #expect(points.map { Shop.calendar.label(of: $0.period) } == (42...47).map { "2026-W\($0)" })
        let sums = course.weeks.map { shop in shop?.views.joined().reduce(Int64(0)) { $0 + $1.events } }
        func published(_ ago: Int) -> Figure {
            .published(.drawn((sums[ago] ?? nil) ?? -1, of: .events, within: 28))
        }
        #expect(
            points.map(\.figures) == [
                [.absent(.beganLater)], [published(4)], [.withheld], [.absent(.notReleased)], [published(1)],
                [published(0)],
            ])
    }

    @Test("a trend has a direction and a size, where it is more than chance")
    func direction() throws {
        let course = Course()
        let all = try #require(course.answer("trend")).sentence
        #expect(
            all.contains(
                " Since W43, the total rose by 8% (1,820). Over 6 weeks, the numbers shown lie between about "),
            "\(all)"
        )
        let devices = try #require(course.answer("device_trend")).sentence
        #expect(devices.contains("Since W43, “Desktop” rose by "), "\(devices)")
        var level = Course([Shop(), Shop()], insights: [])
        level.insights = [
            Shop().insight("all", "All", .count, view: .trend(periods: 2)),
            Shop().insight("by", "By device", .count, by: ["device"], view: .trend(periods: 2)),
        ]
        #expect(
            try #require(level.answer("all")).sentence.contains(" Since W46, the total is about the same. "))
        let by = try #require(level.answer("by")).sentence
        #expect(by.contains(" Since W46, the total is about the same. Since W46, every group shown is about the same."))
    }

    @Test("a line joins two periods only where both are published; a withheld one is a stub, whatever it hides")
    func gaps() throws {
        let page = try PagePieces(Course().document.html())
        let drawing = "//section[@id='insight-3']//svg[@class='lines']"
        #expect(try page.elements("\(drawing)//line[@class='line']").count == 1)
        #expect(try page.elements("\(drawing)//circle").count == 3)
        let hatched = try page.elements("\(drawing)//rect[@fill='url(#withheld)']")
        #expect(hatched.count == 1)
        #expect(hatched[0].attribute(forName: "height")?.stringValue == "14")
        #expect(hatched[0].attribute(forName: "x")?.stringValue == "33.33%")
        let rows = try page.table(section: 3)
        #expect(rows.map { $0[0] } == ["Week", "W42", "W43", "W44", "W45", "W46", "W47"])
        #expect(rows.map { $0[1] }[1...4] == ["counting began later", "22,780", "withheld", "not released"])
    }

    @Test("nothing of a withheld number shows: other small numbers in its place give the same bytes")
    func silent() throws {
        var one = Course()
        var two = Course()
        for device in 0..<5 {
            for region in 0..<5 {
                one.weeks[3]?.views[device][region] = (0, 0)
                two.weeks[3]?.views[device][region] = (Int64(device + region), device + region > 4 ? 1 : 0)
            }
        }
        let formats = ReportFormat.allCases
        #expect(try ReportFiles(of: one.document, formats: formats) == ReportFiles(of: two.document, formats: formats))
    }

    @Test("a breakdown has a drawing a bucket, each by a scale of its own, and a table with a column a bucket")
    func breakdown() throws {
        let page = try PagePieces(Course().document.html())
        let drawings = try page.elements("//section[@id='insight-7']//svg[@class='lines']")
        #expect(drawings.count == 5)
        let scales = try (0..<5).map { place in
            try page.text("(//section[@id='insight-7']//svg[@class='axis'])[\(place + 1)]//text[@class='label']")
        }
        #expect(Set(scales).count > 1 && !scales[0].isEmpty)
        let rows = try page.table(section: 7)
        #expect(rows[0] == ["Week", "Phone", "Tablet", "Desktop", "Television", "other"])
        #expect(rows.count == 7 && rows.allSatisfy { $0.count == 6 })
    }

    @Test("CSV has a line a period and bucket, with the period's own k")
    func csv() throws {
        let lines = Course().document.csv.components(separatedBy: "\r\n").filter { $0.hasPrefix("trend,") }
        #expect(lines.count == 6)
        #expect(lines[0].hasPrefix("trend,2026-W42,,,,,,events,events,,1,,began_later"))
        #expect(lines[1].hasPrefix("trend,2026-W43,,,,,22781,events,events,20,1,0.000000,published"))
        #expect(lines[2].hasPrefix("trend,2026-W44,,,,,,events,events,20,1,,withheld"))
    }

    @Test("a scale ends at a round number, at most five steps above nothing")
    func scale() {
        for highest in [0.001, 0.42, 1, 3, 7.5, 99, 100, 101, 24_606, 1e9] {
            let scale = LineScale(highest: highest)
            #expect(scale.top >= highest && scale.top <= highest * 2 + 1e-9, "\(highest)")
            #expect((1...5).contains(scale.marks.count), "\(highest): \(scale.marks)")
        }
        #expect(LineScale(highest: 0).top == 1)
    }

    @Test("numbers below nothing lie below the line of zero, and the scale begins at a round number below them")
    func belowNothing() {
        for (lowest, highest) in [(-0.3, 0.2), (-750, -20), (-1, 1_000_000), (-12_345, 900)] {
            let scale = LineScale(over: [highest, lowest])
            #expect(scale.bottom <= lowest && scale.top >= max(highest, 0), "\(lowest)")
            #expect(scale.marks.contains(0) && (2...7).contains(scale.marks.count), "\(lowest): \(scale.marks)")
            #expect(scale.height(of: lowest) < scale.height(of: 0) && scale.height(of: scale.bottom) == 0)
        }
        #expect(LineScale(over: [0.2, 3]).bottom == 0)
    }

    @Test(
        "a line has the names of as many periods as have room, of both ends where only one else had it, and of the last"
    )
    func ticks() {
        func named(_ name: String, _ count: Int, room: Double) -> [String] {
            LineChartView.ticks((1...count).map { "\($0) \(name)" }, room: room).compactMap {
                $0["tickLabel"] as? String
            }
        }
        #expect(named("Nov", 6, room: 231) == ["2 Nov", "4 Nov", "6 Nov"])
        #expect(named("September", 14, room: 190) == ["1 September", "14 September"])
        #expect(named("September of a long year", 14, room: 190) == ["14 September of a long year"])
        #expect(named("September", 1, room: 190) == ["1 September"])
    }
}
