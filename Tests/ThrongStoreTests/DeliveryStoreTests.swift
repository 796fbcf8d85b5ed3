import TestCluster
import Testing
import ThrongPlan

@testable import ThrongStore

@Suite("Deliveries are on record: each tried by one process at a time, and over once")
struct DeliveryStoreTests {
    private static let files = [
        StoredReportFile(place: 0, name: "weekly-1.csv", contents: [1, 2, 3]),
        StoredReportFile(place: 1, name: "weekly-1.manifest.json", contents: [0, 255]),
    ]

    private let settings: ConnectionSettings
    private let store: DeliveryStore
    private let runs: RunStore
    private let claim: ReportRunClaim

    init() async throws {
        settings = try await TestCluster.database()
        let connection = Connection.reporting(settings)
        store = DeliveryStore(connection)
        runs = RunStore(connection)
        claim = try #require(
            try await runs.claimRun(
                app: "shop", report: "weekly", partner: "supplier", period: .day(saturday), now: saturday))
    }

    private func keep(_ deliveries: [Delivery]) async throws -> Bool {
        try await runs.keep(Self.files, of: claim, label: "1", deliveries: deliveries, now: saturday)
    }

    private func begin(_ now: UnixSeconds, foldersOnly: Bool = false) async throws -> DeliveryClaim? {
        try await store.claimDelivery(app: "shop", foldersOnly: foldersOnly, lease: .seconds(60), now: now)
    }

    private func outcome() async throws -> ReportRun.Outcome? { try await runs.runs(app: "shop").first?.outcome }

    private func put(_ url: String) throws -> Delivery {
        .http(try #require(HTTPDelivery(.put, url, authorization: "partner")))
    }

    @Test("a run is kept once, and goes on until its last delivery is over")
    func run() async throws {
        #expect(try await keep([.folder("out"), put("https://a.example/in/")]))
        #expect(try await !keep([.folder("out")]), "it was made already")
        #expect(try await outcome() == .made)
        #expect(try await store.files(of: claim.run) == Self.files)
        let folder = try #require(try await begin(saturday, foldersOnly: true))
        #expect(folder.target == "folder out" && folder.attempt == 1)
        #expect(try await begin(saturday, foldersOnly: true) == nil)
        #expect(try await store.finish(folder, error: nil, retryAt: nil, now: saturday + 1))
        #expect(try await outcome() == .made)
        let put = try #require(try await begin(saturday))
        #expect(put.authorization == "partner" && put.idempotencyKey.count == 32)
        #expect(put.idempotencyKey != folder.idempotencyKey)
        #expect(try await store.finish(put, error: nil, retryAt: nil, now: saturday + 2))
        #expect(try await outcome() == .delivered)
        #expect(try await runs.runs(app: "shop").first?.label == "1")
    }

    @Test("a try that a dead process left goes on with what arrived, under the same key, and the dead one can't end it")
    func abandoned() async throws {
        #expect(try await keep([put("https://a.example/in/")]))
        let first = try #require(try await begin(saturday))
        #expect(try await store.noteArrival(of: 0, status: 201, by: first, lease: .seconds(60), now: saturday + 50))
        #expect(try await begin(saturday + 109) == nil, "each arrival keeps it alive")
        let second = try #require(try await begin(saturday + 110))
        #expect(second.idempotencyKey == first.idempotencyKey && second.attempt == 2)
        #expect(try await store.arrived(second) == [0])
        #expect(try await !store.noteArrival(of: 1, status: 201, by: first, lease: .seconds(60), now: saturday + 111))
        #expect(try await !store.finish(first, error: nil, retryAt: nil, now: saturday + 111))
        #expect(try await outcome() == .made)
        #expect(try await store.arrived(second) == [0])
    }

    @Test("a try that failed waits for its time; one that is given up says so, and may be begun anew")
    func failure() async throws {
        #expect(try await keep([put("https://a.example/in/")]))
        let first = try #require(try await begin(saturday))
        #expect(try await store.finish(first, error: "500", retryAt: saturday + 30, now: saturday))
        #expect(try await begin(saturday + 29) == nil)
        let second = try #require(try await begin(saturday + 30))
        #expect(try await store.finish(second, error: "500", retryAt: nil, now: saturday + 31))
        #expect(try await outcome() == .undelivered)
        #expect(try await begin(saturday + 9999) == nil)
        let found = try await store.deliveries(of: claim.run)
        #expect(found.map(\.state) == [.failed] && found.map(\.lastError) == ["500"])
        try await store.reopenDeliveries(of: claim.run, now: saturday + 40)
        #expect(try await outcome() == .made)
        let third = try #require(try await begin(saturday + 40))
        #expect(third.idempotencyKey == first.idempotencyKey && third.attempt == 1)
        #expect(try await store.finish(third, error: nil, retryAt: nil, now: saturday + 41))
        try await store.reopenDeliveries(of: claim.run, now: saturday + 50)
        #expect(try await outcome() == .delivered, "what was sent is not sent again")
    }

    @Test("a try that another process took over is kept alive no longer")
    func takenOver() async throws {
        #expect(try await keep([put("https://a.example/in/")]))
        let first = try #require(try await begin(saturday))
        #expect(try await store.extend(first, lease: .seconds(60), now: saturday + 59))
        #expect(try await begin(saturday + 60) == nil, "it was kept alive")
        _ = try #require(try await begin(saturday + 119))
        #expect(try await !store.extend(first, lease: .seconds(60), now: saturday + 119))
    }

    @Test("a run that failed belongs to the partner whom the plan gives the report to when it is made")
    func partner() async throws {
        try await runs.finishRun(claim, .failed, detail: "it did not work", now: saturday + 1)
        let again = try #require(
            try await runs.claimRun(
                app: "shop", report: "weekly", partner: "rival",
                period: Period(kind: .day, start: saturday, end: saturday + 82_800), now: saturday + 2))
        #expect(try await runs.keep(Self.files, of: again, label: "1", deliveries: [], now: saturday + 2))
        let run = try #require(try await runs.runs(app: "shop").first)
        #expect(run.partner == "rival" && run.period.end == saturday + 82_800)
        let portal = AccessStore(settings)
        #expect(try await portal.files(of: "supplier", app: "shop").isEmpty)
        #expect(try await portal.files(of: "rival", app: "shop").count == 2)
    }

    @Test("a day and a week that start at the same instant are two runs, each with files and deliveries of its own")
    func kinds() async throws {
        #expect(try await keep([.folder("out")]))
        let week = Period(kind: .week, start: saturday, end: saturday + 7 * 86_400)
        let second = try #require(
            try await runs.claimRun(
                app: "shop", report: "weekly", partner: "supplier", period: week, now: saturday + 7 * 86_400))
        let files = [StoredReportFile(place: 0, name: "weekly-w.csv", contents: [7])]
        #expect(
            try await runs.keep(
                files, of: second, label: "w", deliveries: [.folder("out"), .folder("in")], now: saturday))
        #expect(try await store.files(of: claim.run) == Self.files)
        #expect(try await store.files(of: second.run) == files)
        #expect(try await store.deliveries(of: claim.run).map(\.target) == ["folder out"])
        let daily = try #require(
            try await store.claimDelivery(
                app: "shop", run: claim.run, foldersOnly: true, lease: .seconds(60), now: saturday))
        #expect(daily.run == claim.run)
        #expect(try await store.finish(daily, error: nil, retryAt: nil, now: saturday))
        #expect(try await store.deliveries(of: second.run).map(\.state) == [.pending, .pending])
        #expect(Set(try await runs.runs(app: "shop").map(\.outcome)) == [.delivered, .made])
    }

    @Test("which runs were made is asked of one kind of period and as far back as missed ones are made up for")
    func made() async throws {
        func made(_ kind: PeriodKind, from: UnixSeconds) async throws -> Set<UnixSeconds> {
            try await runs.madeStarts(app: "shop", report: "weekly", periodKind: kind, from: from)
        }
        #expect(try await made(.day, from: .epoch) == [], "it is not made yet")
        #expect(try await keep([]))
        #expect(try await made(.day, from: saturday) == [saturday])
        #expect(try await made(.day, from: saturday + 1) == [])
        #expect(try await made(.week, from: .epoch) == [])
    }

    @Test("of many that ask at once, one gets a delivery")
    func oneOfMany() async throws {
        #expect(try await keep([put("https://a.example/in/")]))
        let got = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 { group.addTask { try await begin(saturday) != nil } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(got == 1)
    }
}
