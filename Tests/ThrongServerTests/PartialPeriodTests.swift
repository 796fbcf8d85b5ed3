import Testing
import ThrongPlan
import ThrongRelease
import ThrongSchedule
import ThrongServer

@testable import ThrongReport
@testable import ThrongStore

/// A metric that a daemon began to count on the Wednesday of the first week, at noon, or that expires within the second.
@Suite("Promise 4: numbers of a part of a period say of which, and no change is told by them", .serialized)
struct PartialPeriodTests {
    private static func plan(expires: String = "2027-10-31") throws -> Plan {
        try CountedShop.plan(
            """
            app: {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 10000, grace: 3 hours}
            purposes:
              product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 400 days}
            dimensions:
              country: {title: Country, field: country, list: [AT, DE], partitions: devices}
            metrics:
              views:
                {title: Views, events: [view], dimensions: [country], question: What?, decision: That., owner: Team,
                expires: \(expires), purpose: product, period: day, rollups: [week]}
            insights:
              all: {title: All views, metric: views, kind: count, change: [period_before]}
              course: {title: Views by week, metric: views, kind: count, trend: 3}
            partners:
              press: {title: Press, contact: p@example.com}
            reports:
              weekly: {title: Weekly, partner: press, insights: [all, course], period: week, formats: [csv, json],
                schedule: 0 6 * * tue, deliver: [{folder: out}]}
              daily: {title: Daily, partner: press, insights: [all], period: day, schedule: 0 6 * * *, deliver: [{folder: out}]}
            """)
    }

    private static let noon = CountedShop.start(2) + 43_200
    private static let counted: [String: CountedShop.Counted] = ["AT": .init(events: 2000, devices: 2000)]

    /// A shop that counted some days since an instant, all of which are released.
    private static func shop(_ plan: Plan, since: UnixSeconds, days: Range<Int>) async throws -> CountedShop {
        let shop = try await CountedShop(plan)
        try await shop.start(plan, at: since)
        for day in days { try await shop.count("views", day: day, counted) }
        _ = try await shop.releases.releaseDue(of: plan, now: CountedShop.start(21) + 10_800)
        return shop
    }

    private static func document(
        _ shop: CountedShop, _ name: ReportName, _ period: Period
    ) async throws -> ReportDocument {
        let reports = ReportScheduler(store: shop.store, rules: .system, folder: "/nowhere")
        let report = try #require(shop.plan.report(name))
        return try await reports.document(of: report, plan: shop.plan, period: period, now: CountedShop.start(22))
    }

    private static func week(_ number: Int) -> Period {
        Period(kind: .week, start: CountedShop.start(7 * number), end: CountedShop.start(7 * number + 7))
    }

    /// The change of the first insight, which is a single number.
    private static func change(_ document: ReportDocument) -> Reported<Change>? {
        guard case .change(let comparisons)? = document.answers.first?.answered?.view else { return nil }
        return comparisons.first?.rows.first?.change
    }

    @Test("a first week of five days says so in every format, and the week after is not compared with it")
    func begins() async throws {
        let shop = try await Self.shop(Self.plan(), since: Self.noon, days: 2..<21)
        let first = try await Self.document(shop, "weekly", Self.week(0))
        let note =
            "“Views” was not counted all period long. Its numbers are from 18 November 2026, 12:00 on: 5 of 7 days."
        #expect(first.partNotes == [note] && first.partial.first?.part.isSplit == false)
        #expect(try first.html().contains(note) && first.json.contains("\"from\": \"2026-11-18T12:00:00Z\""))
        #expect(first.csv.contains(",2026-11-18T12:00:00Z,,"))
        let second = try await Self.document(shop, "weekly", Self.week(1))
        #expect(second.partNotes.isEmpty && Self.change(second) == .absent(.changed(.part)))
        #expect(second.answers[0].sentence.hasSuffix("the metric had numbers of another part of the period then."))
        guard case .trend(let points)? = second.answers[1].answered?.view else { throw NoTrend() }
        #expect(points.map { $0.figures[0].status } == [.beganLater, .changed, .published])
        #expect(second.answers[1].sentence.contains("the metric had numbers of another part of the period then"))
        let third = try await Self.document(shop, "weekly", Self.week(2))
        #expect(Self.change(third)?.change?.direction == .same)
    }

    private struct NoTrend: Error {}

    @Test("a first day of twelve hours says so, and the day after is not compared with it")
    func firstDay() async throws {
        let shop = try await Self.shop(Self.plan(), since: Self.noon, days: 2..<6)
        let first = try await Self.document(shop, "daily", CountedShop.period(2))
        #expect(first.partNotes.first?.hasSuffix("from 18 November 2026, 12:00 on: 12 of 24 hours.") == true)
        let second = try await Self.document(shop, "daily", CountedShop.period(3))
        #expect(second.partial.isEmpty && Self.change(second) == .absent(.changed(.part)))
        #expect(Self.change(try await Self.document(shop, "daily", CountedShop.period(4)))?.change != nil)
    }

    @Test("a week in which the metric expires says until when it is, and is compared with no whole one")
    func expires() async throws {
        let plan = try Self.plan(expires: "2026-11-27")
        let shop = try await Self.shop(plan, since: CountedShop.start(-3), days: 0..<11)
        let last = try await Self.document(shop, "weekly", Self.week(1))
        #expect(last.partNotes.first?.hasSuffix("until 27 November 2026, 00:00: 4 of 7 days.") == true)
        #expect(Self.change(last) == .absent(.changed(.part)))
        #expect(try await Self.document(shop, "weekly", Self.week(0)).partial.isEmpty)
    }

    @Test("analysts see since when a release was counted, by SQL and in the explorer's catalogue")
    func analysts() async throws {
        let shop = try await Self.shop(Self.plan(), since: Self.noon, days: 2..<21)
        let store = AnalystStore(shop.settings)
        let metric = try #require(try await store.metrics().first)
        let weeks = try await store.shape(of: metric, kind: .week).releases
        #expect(weeks.map(\.countedFrom) == [Self.noon, nil, nil] && weeks.allSatisfy { $0.countedUntil == nil })
        let days = try await store.shape(of: metric, kind: .day)
        #expect(days.releases.map(\.countedFrom) == [Self.noon] + Array(repeating: nil, count: 18))
        #expect(days.summed(by: .week, .utc).releases.allSatisfy { $0.countedFrom == nil })
    }
}
