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

    private let store: ReleaseStore
    private let claim: ReportRunClaim

    init() async throws {
        store = ReleaseStore(try await TestCluster.database())
        claim = try #require(
            try await store.claimRun(
                app: "shop", report: "weekly", partner: "supplier", period: .day(saturday), now: saturday))
    }

    private func keep(_ deliveries: [Delivery]) async throws -> Bool {
        try await store.keep(Self.files, of: claim, label: "1", deliveries: deliveries, now: saturday)
    }

    private func begin(_ now: Int64, foldersOnly: Bool = false) async throws -> DeliveryClaim? {
        try await store.claimDelivery(app: "shop", foldersOnly: foldersOnly, lease: .seconds(60), now: now)
    }

    private func outcome() async throws -> ReportRun.Outcome? { try await store.runs(app: "shop").first?.outcome }

    private func put(_ url: String) throws -> Delivery {
        .http(try #require(HTTPDelivery(.put, url, authorization: "partner")))
    }

    @Test("a run is kept once, and goes on until its last delivery is over")
    func run() async throws {
        #expect(try await keep([.folder("out"), put("https://a.example/in/")]))
        #expect(try await !keep([.folder("out")]), "it was made already")
        #expect(try await outcome() == .made)
        #expect(try await store.files(app: "shop", report: "weekly", periodStart: saturday) == Self.files)
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
        #expect(try await store.runs(app: "shop").first?.label == "1")
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
        let found = try await store.deliveries(app: "shop", report: "weekly", periodStart: saturday)
        #expect(found.map(\.state) == [.failed] && found.map(\.lastError) == ["500"])
        try await store.reopenDeliveries(app: "shop", report: "weekly", periodStart: saturday, now: saturday + 40)
        #expect(try await outcome() == .made)
        let third = try #require(try await begin(saturday + 40))
        #expect(third.idempotencyKey == first.idempotencyKey && third.attempt == 1)
        #expect(try await store.finish(third, error: nil, retryAt: nil, now: saturday + 41))
        try await store.reopenDeliveries(app: "shop", report: "weekly", periodStart: saturday, now: saturday + 50)
        #expect(try await outcome() == .delivered, "what was sent is not sent again")
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
