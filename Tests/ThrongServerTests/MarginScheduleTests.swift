import Foundation
import TestCluster
import Testing
import ThrongPlan
import ThrongServer
import ThrongStore
import ThrongSystem

@testable import ThrongRelease
@testable import ThrongSchedule

@Suite("The daemon releases on time, near what was counted, and draws the same again where it has to", .serialized)
struct MarginScheduleTests {
    private static let yaml = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: System, field: os, list: [ios, android], partitions: devices}
        metrics:
          views:
            {title: Views, events: [view], dimensions: [os], question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, measures: {reach: true}, contribution_bound: 5, period: day}
        insights:
          by_system: {title: Views by system, metric: views, kind: count, by: [os]}
        partners:
          bank: {title: Bank, contact: b@example.com}
        reports:
          daily:
            title: Daily
            partner: bank
            insights: [by_system]
            period: day
            schedule: 0 6 * * *
            formats: [json]
            deliver: [{folder: out}]
        """

    /// When a day is due.
    private static func due(_ day: Int) -> UnixSeconds { CountedShop.start(day + 1) + 3 * 3600 }

    private static let cells: [String: CountedShop.Counted] = [
        "ios": .init(events: 4000, devices: 900), "android": .init(events: 2000, devices: 500),
        "other": .init(events: 8, devices: 4),
    ]

    private static func releases(_ shop: CountedShop) async throws -> [Release] {
        try await shop.store.releases(app: "shop", metric: "views", periodKind: .day, from: .epoch, to: .max)
    }

    @Test("each day is released once, counted or not; numbers are near what was counted, add up, and few are not shown")
    func days() async throws {
        let shop = try await CountedShop(Self.yaml, secret: TieSecret())
        try await shop.count("views", day: 0, Self.cells)
        try await shop.releases.keepCalendar(of: shop.plan, now: CountedShop.start(1) + 60)
        let made = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(1))
        #expect(made.map(\.period) == [0, 1].map(CountedShop.period))
        #expect(try await shop.releases.releaseDue(of: shop.plan, now: Self.due(1)).isEmpty)
        let found = try await Self.releases(shop)
        #expect(found.count == 2 && found[1].cells.isEmpty, "of nobody nothing is shown")
        let release = try #require(found.first)
        // An eighth deviation has a chance below 10^-14.
        func isNear(_ number: Int64?, _ counted: Int64, _ margin: Int64?) -> Bool {
            guard let number, let margin else { return false }
            return abs(number - counted) <= 4 * margin + 4
        }
        let system = Margin(keeping: [0])
        let margin = release.header.margin(of: system)
        let devices = release.header.deviceMargin(of: system)
        let (ios, android) = (release.cell(CellIndex(0), in: system), release.cell(CellIndex(1), in: system))
        #expect(isNear(ios?.count, 4000, margin) && isNear(android?.count, 2000, margin))
        #expect(isNear(ios?.reach?.devices, 900, devices) && isNear(android?.reach?.devices, 500, devices))
        #expect(release.cell(CellIndex(2), in: system) == nil, "four devices")
        let leaf = release.header.layout
        #expect(
            try await shop.store.reason(leaf.counted, CountedShop.period(0), margin: system, cell: CellIndex(2)) != nil)
    }

    @Test("another database with the same secret and the same counters has the same numbers; with another it has not")
    func again() async throws {
        func numbers(_ secret: TieSecret) async throws -> [Int64] {
            let shop = try await CountedShop(Self.yaml, secret: secret)
            try await shop.count("views", day: 0, Self.cells)
            _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(0))
            return try await Self.releases(shop).flatMap(\.cells).flatMap { [$0.count, $0.reach?.devices ?? 0] }
        }
        let secret = TieSecret()
        let first = try await numbers(secret)
        #expect(first.count >= 4)
        #expect(try await numbers(secret) == first)
        #expect(try await numbers(TieSecret()) != first)
    }

    /// A metric whose releases choose their bound, and what tells them: bands that begin just above rungs.
    private static let choosing = yaml.replacing("grace: 3 hours", with: "grace: 3 days")
        .replacing("contribution_bound: 5", with: "contribution_bound: auto, rollups: [week]").replacing(
            "insights:\n",
            with: """
                  times:
                    {title: T, events: [view], question: What?, decision: That., owner: Team, expires: 2027-10-31,
                    purpose: product, period: day, measures: {frequency: {bands: [1, 2, 6, 11, 21]}}}
                insights:

                """)

    /// A week of which the first day tells that 10 cuts little; on its other days so many events are beyond 20.
    private static func week(beyond: Int64) async throws -> CountedShop {
        let shop = try await CountedShop(choosing, secret: TieSecret())
        for day in 0..<7 {
            // Rungs 0, 3 and 4: the first events of a device, those up to 20, and those up to 50.
            for (rung, events) in [(UInt32(0), Int64(90_000)), (3, 30_000), (4, beyond)] {
                try await shop.count(
                    "views", day: day, ["ios": .init(events: events, devices: rung == 0 ? 9000 : 1, rung: rung)])
            }
        }
        try await shop.count(
            "times", day: 0,
            [
                "1": .init(events: 5000, devices: 5000), "2-5": .init(events: 3000, devices: 3000),
                "6-10": .init(events: 900, devices: 900), "11-20": .init(events: 100, devices: 100),
            ])
        return shop
    }

    @Test(
        "a release chooses its bound by what was due before its day, whenever it is made and whatever its day counted",
        arguments: [Int64(1), 4_000_000])
    func chosen(beyond: Int64) async throws {
        func releases(made days: [Int]) async throws -> [Release] {
            let shop = try await Self.week(beyond: beyond)
            for day in days {
                _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(day + 1) + 3 * 86_400)
            }
            let week = try await shop.store.releases(
                app: "shop", metric: "views", periodKind: .week, from: .epoch, to: .max)
            // The later of both times finds days due that nobody counted.
            return try await Self.releases(shop).filter { $0.header.period.start < CountedShop.start(7) } + week
        }
        // The frequency of day 0 is due when day 4 begins. A week adds up its days, and states the smallest.
        let bounds = [20, 20, 20, 20, 10, 10, 10, 10]
        let daily = try await releases(made: Array(0..<7))
        let late = try await releases(made: [9])
        #expect(daily.map(\.header.chosenBound) == bounds && late.map(\.header.chosenBound) == bounds)
        for (place, release) in daily.enumerated() {
            let days: Int64 = place == 7 ? 7 : 1
            let more: Int64 = place == 7 ? 4 : place < 4 ? 1 : 0
            let (found, margin) = (release.cell([:])?.count, release.header.margin(of: .total))
            let off = try #require(found) - 90_000 * days - 30_000 * more
            #expect(try abs(off) <= 4 * #require(margin), "day \(place)")
        }
    }

    @Test("a release waits for one that tells its bound, be that failed or left out", arguments: [false, true])
    func waits(isAsked: Bool) async throws {
        struct Failed: Error {}
        let shop = try await Self.week(beyond: 1)
        func made(
            day: Int, only: Period? = nil, by scheduler: ReleaseScheduler? = nil
        ) async throws -> [ReleaseScheduler.Made] {
            let now = CountedShop.start(day + 1) + (isAsked ? 0 : 3 * 86_400)
            return try await (scheduler ?? shop.releases).releaseDue(
                of: shop.plan, now: now, only: only, ignoringGrace: isAsked, failed: { _ in })
        }
        var first: [ReleaseScheduler.Made]
        if isAsked {
            first = try await made(day: 4, only: CountedShop.period(4))
        } else {
            var failing = shop.releases
            failing.draw = { release, secret in
                guard release.header.layout.within == nil else { throw Failed() }
                return try release.decide(secret: secret)
            }
            first = try await made(day: 4, by: failing)
        }
        // The frequency of day 0 tells of day 4 on.
        #expect(!first.contains { $0.metric == "views" && $0.period == CountedShop.period(4) })
        #expect(first.map(\.metric).contains(isAsked ? "times" : "views"))
        first = try await made(day: 4)
        #expect(first.contains { $0.metric == "views" && $0.period == CountedShop.period(4) })
        #expect(try await Self.releases(shop).map(\.header.chosenBound) == [20, 20, 20, 20, 10])
    }

    @Test("its report has the margin, and its manifest no coverage")
    func report() async throws {
        let shop = try await CountedShop(Self.yaml, secret: TieSecret())
        try await shop.count("views", day: 0, Self.cells)
        _ = try await shop.releases.releaseDue(of: shop.plan, now: Self.due(0))
        let folder = FileManager.default.temporaryDirectory.path + "/throng-margin-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = ReportKeyFolder(dataPath: folder)
        _ = try key.rotate(now: CountedShop.start(0))
        let reports = ReportScheduler(store: shop.store, rules: .system, folder: folder, signing: key)
        let now = CountedShop.start(1) + 6 * 3600
        #expect(try await reports.deliverDue(of: shop.plan, now: now) { _, error in Issue.record(error) } == 1)
        func text(_ name: String) throws -> String {
            String(decoding: try #require(FileManager.default.contents(atPath: folder + "/out/" + name)), as: UTF8.self)
        }
        #expect(try !text("daily-2026-11-16.manifest.json").contains("coverage"))
        let margin = try #require(try await Self.releases(shop).first?.header.margin(of: Margin(keeping: [0])))
        #expect(try text("daily-2026-11-16.json").contains("\"within\": \(margin)"))
    }
}
