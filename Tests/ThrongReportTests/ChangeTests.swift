import Foundation
import Testing
import ThrongPlan
import ThrongRelease
import ThrongSystem

@testable import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("a change is told from two published numbers, or not at all")
struct ChangeTests {
    private static func comparison(
        _ course: Course, _ kind: Insight.Kind, by: [DimensionName] = [], of metric: MetricName = "product_views"
    ) throws
        -> (answer: InsightAnswer, comparison: AnswerComparison)
    {
        var course = course
        course.insights = [
            Shop().insight("change", "Change", kind, by: by, of: metric, view: .change(against: [.periodBefore]))
        ]
        let answer = try #require(course.answer("change"))
        guard case .change(let comparisons)? = answer.answered?.view else { throw NoChange() }
        return (answer, try #require(comparisons.first))
    }

    struct NoChange: Error {}

    private static func decimal(_ number: Decimals?) -> Decimal? { number.flatMap { Decimal(string: "\($0)") } }

    private static func rounded(_ value: Decimal, _ places: Int) -> Decimal {
        var (value, result) = (value, Decimal())
        NSDecimalRound(&result, &value, places, .bankers)
        return result
    }

    @Test("a hundred random pairs of weeks: difference and ratio equal a computation from the released rows")
    func independent() throws {
        var dice = SeededGenerator(seed: 11)
        for _ in 0..<100 {
            let course = Course([Shop(&dice), Shop(&dice)], insights: [])
            let (answer, comparison) = try Self.comparison(course, .count, by: ["device", "region"])
            var asked = course
            asked.insights = [answer.insight]
            let releases = asked.releases.filter { $0.header.layout.metric == "product_views" }
            let rows = try #require(answer.answered?.table.rows)
            for (row, compared) in zip(rows, comparison.rows) {
                let place = Dictionary(uniqueKeysWithValues: zip(["device", "region"] as [DimensionName], row.buckets))
                let (now, then) = (releases[0].cell(place), releases[1].cell(place))
                #expect(compared.earlier.terms == then.map { [$0.count] })
                guard let now, let then else {
                    #expect(compared.change == .withheld)
                    continue
                }
                let change = try #require(compared.change.change)
                #expect(Self.decimal(change.difference) == Decimal(now.count - then.count))
                let ratio = Self.rounded(Decimal(now.count - then.count) / Decimal(then.count), 6)
                #expect(Self.decimal(change.relative) == ratio)
                #expect(change.direction == (now.count > then.count ? .up : now.count < then.count ? .down : .same))
                let (low, high) = change.interval.ends
                #expect(low < change.difference.approximate && change.difference.approximate < high)
            }
        }
    }

    @Test("one event more is up, one less is down, and as many is the same")
    func direction() throws {
        var more = Shop()
        more.views[0][0].events += 1
        let ways: [(weeks: [Shop], direction: Change.Direction)] = [
            ([more, Shop()], .up), ([Shop(), more], .down), ([more, more], .same),
        ]
        for (weeks, direction) in ways {
            let change = try Self.comparison(Course(weeks, insights: []), .count).comparison.rows[0].change.change
            #expect(change?.direction == direction)
        }
    }

    @Test("a change of shares is the difference of the exact fractions, one of means that of the exact quotients")
    func quotients() throws {
        let phones = Insight.Kind.share(of: .events, part: Insight.Filter(dimension: "device", bucket: "Phone"))
        let course = Course()
        let share = try #require(try Self.comparison(course, phones).comparison.rows[0].change.change)
        func part(_ ago: Int) throws -> Decimal {
            let views = try #require(course.weeks[ago]).views
            let whole = views.joined().reduce(Int64(0)) { $0 + $1.events }
            return Decimal(views[0].reduce(Int64(0)) { $0 + $1.events }) / Decimal(whole)
        }
        #expect(Self.decimal(share.difference) == Self.rounded(try part(0) - part(1), 6))
        #expect(Self.decimal(share.relative) == Self.rounded(try (part(0) - part(1)) / part(1), 6))
        let mean = try #require(
            try Self.comparison(course, .mean(sum: "basket"), of: "checkouts").comparison.rows[0].change.change)
        func basket(_ ago: Int) throws -> Decimal {
            let all = try #require(course.weeks[ago]).checkouts.joined()
            return Decimal(all.reduce(Int64(0)) { $0 + $1.cents }) / 100
                / Decimal(all.reduce(Int64(0)) { $0 + $1.events })
        }
        #expect(Self.decimal(mean.difference) == Self.rounded(try basket(0) - basket(1), 2))
    }

    @Test(
        "what rose and what fell is told by what it contributes, not by how much of itself that is; of shares by points"
    )
    func most() throws {
        var (now, then) = (Shop(), Shop())
        // Phones from 0.2 to 0.5 % of Europe's views, tablets from 20 to 40 %.
        func column(_ shop: inout Shop, _ events: [Int64]) {
            for (device, events) in events.enumerated() { shop.views[device][0] = (events, events == 0 ? 0 : 40) }
        }
        column(&now, [50, 4000, 5950, 0, 0])
        column(&then, [20, 2000, 7980, 0, 0])
        let europe = Insight.Filter(dimension: "region", bucket: "Europe")
        func sentence(_ kind: Insight.Kind) throws -> String {
            var course = Course([now, then], insights: [])
            course.insights = [
                Shop().insight(
                    "change", "Change", kind, by: ["device"], filters: [europe],
                    view: .change(against: [.periodBefore]))
            ]
            return try #require(course.answer("change")).sentence
        }
        let shares = try sentence(.share(of: .events, part: nil))
        #expect(shares.contains("“Tablet” rose by 20") && shares.contains(" percentage points"))
        // Phones more than doubled, which is 30 views.
        let counts = try sentence(.count)
        #expect(counts.contains("“Tablet” rose by ") && counts.contains("(2,000)") && !counts.contains("“Phone” rose"))
        #expect(counts.contains("“Desktop” fell by "))
    }

    @Test("no row rose or fell where noise or the draw of a sample alone may have made it", arguments: [1, 0.1])
    func chance(sampling: Double) throws {
        var (now, then) = (Shop(), Shop())
        now.sampling = sampling
        then.sampling = sampling
        now.views[1][0].events += 20
        var course = Course([now, then], insights: [])
        course.insights = [
            Shop().insight("change", "Change", .count, by: ["device"], view: .change(against: [.periodBefore]))
        ]
        let sentence = try #require(course.answer("change")).sentence
        #expect(
            sentence.contains("Since the week before (9 to 15 November 2026), every group shown is about the same."))
    }

    @Test("what would round to nothing is less than a tenth")
    func tiny() {
        let tiny = Decimals(units: -4, places: 4)
        #expect(Language.english.signedPercent(tiny) == "<0.1%" && Language.german.size(tiny) == "<0,1\u{a0}%")
        #expect(Language.english.signedPoints(tiny) == "<0.1 points")
        #expect(Language.english.signedPercent(Decimals(units: 0, places: 4)) == "0.0%")
        #expect(Language.english.signedPercent(Decimals(units: -6, places: 4)) == "\u{2212}0.1%")
    }

    @Test("with either number withheld the change is, and in every format it looks like any other withheld number")
    func withheld() throws {
        var few = Shop()
        few.views[3] = few.views[3].map { _ in (1, 1) }
        for weeks in [[few, Shop()], [Shop(), few]] {
            let (_, comparison) = try Self.comparison(Course(weeks, insights: []), .count, by: ["device"])
            #expect(comparison.rows[3].change == .withheld)
            #expect(comparison.rows[0].change.change != nil)
        }
        var course = Course([Shop(), few], insights: [])
        course.insights = [Shop().insight("c", "C", .count, by: ["device"], view: .change(against: [.periodBefore]))]
        let json = course.document.json
        #expect(
            json.contains(
                "\"status\": \"withheld\",\n                \"difference\": null,\n                \"relative\": null,\n"
            ))
        let line = "c,2026-W47,Television,,,events,events,20,1,0.000000,withheld,change,,,2026-W46,,,,0.98\r\n"
        #expect(course.document.csv.contains(line))
        let page = try PagePieces(course.document.html())
        #expect(Set(try page.elements("//span[@class='withheld-marker']").map(\.xmlString)).count == 1)
    }

    @Test("without an earlier release there is no comparison, and the reason is a public fact")
    func absences() throws {
        #expect(
            try Self.comparison(Course([Shop(), nil, Shop()], insights: []), .count).comparison.rows[0].change
                == .absent(.notReleased))
        #expect(
            try Self.comparison(Course([Shop()], insights: []), .count).comparison.rows[0].change
                == .absent(.beganLater))
        var sampled = Shop()
        sampled.sampling = 0.5
        #expect(
            try Self.comparison(Course([Shop(), sampled], insights: []), .count).comparison.rows[0].change
                == .absent(.changed(.sampling)))
        // Who counts for k is another matter than what everybody sent, but for numbers of devices.
        var proved = Shop()
        proved.floor = .attested
        let floors = Course([Shop(), proved], insights: [])
        #expect(try Self.comparison(floors, .reach).comparison.rows[0].change == .absent(.changed(.devices)))
        #expect(try Self.comparison(floors, .count).comparison.rows[0].change.change != nil)
        var renamed = Shop()
        renamed.devices[1] = "Slate"
        let course = Course([Shop(), renamed], insights: [])
        #expect(
            try Self.comparison(course, .count, by: ["device"]).comparison.rows[0].change == .absent(.changed(.buckets))
        )
        // Who does not ask for the dimension does not mind.
        #expect(try Self.comparison(course, .count, by: ["region"]).comparison.rows[0].change.change != nil)
    }

    @Test("the words for what is not there are the same in HTML, CSV and JSON")
    func words() throws {
        var course = Course([Shop()], insights: [])
        course.insights = [Shop().insight("c", "C", .count, view: .change(against: [.periodBefore]))]
        #expect(course.document.csv.contains(",began_later,"))
        #expect(course.document.json.contains("\"began_later\""))
        let html = try course.document.html()
        #expect(html.contains("counting began later"))
    }

    @Test("the report of a metric that had expired before the period says so")
    func expired() throws {
        let shop = Shop()
        let late = Shop.calendar.period(
            .week, containing: Shop.calendar.midnight(of: CalendarDate(daysSince1970: 21_001)) + 7 * 86_400)
        let document = ReportDocument(plan: shop.plan, report: shop.report, period: late, releases: [])
        #expect(document.answers.allSatisfy { $0.outcome == .absent(.expired) })
        #expect(document.csv.contains(",expired,group\r\n"))
        #expect(try document.html().contains("metric expired"))
    }

    @Test("all releases that were read are listed, with their periods")
    func sources() {
        let sources = Course().document.sources
        #expect(
            sources.map { "\($0.metric) \($0.period)" } == [
                "checkouts 2026-W47", "checkouts 2026-W46", "product_views 2026-W47", "product_views 2026-W46",
                "product_views 2026-W44", "product_views 2026-W43",
            ])
        #expect(Set(sources.map(\.digest)).count == 6)
    }

    @Test("the same hour or day a week before is the same by the wall clock, also over its change")
    func references() throws {
        let calendar = Shop.calendar
        func before(_ label: String, _ reference: Insight.Reference) throws -> String {
            calendar.label(of: reference.period(of: try #require(calendar.period(labelled: label)), in: calendar))
        }
        #expect(try before("2026-11-21", .weekBefore) == "2026-11-14")
        #expect(try before("2026-10-25", .weekBefore) == "2026-10-18")
        #expect(try before("2026-10-28", .weekBefore) == "2026-10-21")
        #expect(try before("2026-10-26T09:00", .weekBefore) == "2026-10-19T09:00")
        #expect(try before("2026-04-01T09:00", .weekBefore) == "2026-03-25T09:00")
        #expect(try before("2026-10-25T04:00", .periodBefore) == "2026-10-25T03:00")
        #expect(try before("2026-W01", .periodBefore) == "2025-W52")
        #expect(try before("2026-03", .periodBefore) == "2026-02")
        // A year before is the same weekday, hour, week or month.
        #expect(try before("2026-11-21", .yearBefore) == "2025-11-22")
        #expect(try before("2026-10-26T04:00", .yearBefore) == "2025-10-27T04:00")
        #expect(try before("2026-W47", .yearBefore) == "2025-W47")
        #expect(try before("2024-03", .yearBefore) == "2023-03")
        #expect(try before("2025-02", .yearBefore) == "2024-02")
    }
}
