import Foundation
import TestCluster
import Testing
import ThrongIngest
import ThrongPlan

@testable import ThrongStore

@Suite("Who counts is decided by one at a time, taken from nobody who may come back, and outlives an older PostgreSQL")
struct MemberEpochTests {
    private let settings: ConnectionSettings
    private let owner: Connection
    private let admin: MemberAdmin
    private let daemons = (0..<4).map { _ in DaemonID(UUID()) }

    init() async throws {
        settings = try await TestCluster.database()
        owner = Connection(settings)
        admin = MemberAdmin(owner)
    }

    private func enroll(_ place: Int, address: String? = "http://127.0.0.1:1") async throws {
        let query = Query.enrollMember(daemon: daemons[place], address: address, takesBatches: true)
        _ = try await owner.run { try $0.one(query) }
    }

    /// The one of a place has stopped and left nothing behind, so long ago.
    private func stop(_ place: Int, ago seconds: Int = 0) async throws {
        try await run(
            """
            insert into throng.watermark (shard, daemon, position, fence, settled, settled_at)
            select shard, daemon, 0, 1, \(Int64.max), now() - interval '\(seconds) seconds'
            from throng.member where daemon = '\(daemons[place])'
            """)
    }

    private func run(_ script: String) async throws {
        try await owner.run { try $0.execute(script: script, name: "test") }
    }

    /// Lets all of them agree to a proposal.
    private func agree(_ epoch: Int64) async throws {
        let daemons = daemons
        try await owner.run { session in
            for daemon in daemons { _ = try session.run(Query.hearEpoch(daemon: daemon, epoch: epoch)) }
        }
    }

    private func owners() async throws -> Set<Int16> { Set(try await admin.epochs().last?.owners ?? []) }

    @Test("who is on hand takes nothing from the only one that counts while that is started anew")
    func restarted() async throws {
        try await enroll(0)
        try await enroll(1)
        try await run("update throng.member set enrolled_at = now() - interval '2 days'")
        try await stop(0, ago: 100_000)
        try await enroll(1)
        #expect(try await owners() == [0])
        #expect(try await admin.epochs().count == 1)
    }

    @Test("who came after it takes the place of one that others reach once that was silent for a quarter of an hour")
    func replaced() async throws {
        try await enroll(0)
        try await stop(0, ago: 600)
        try await enroll(1)
        #expect(try await owners() == [0])
        try await run("update throng.watermark set settled_at = now() - interval '16 minutes'")
        try await enroll(1)
        #expect(try await owners() == [1])
        #expect(try await admin.epochs().last?.retires == 0)
    }

    @Test("where none can reach the other, whoever is started in place of one that has stopped goes on at once")
    func inPlace() async throws {
        try await enroll(0, address: nil)
        try await stop(0)
        try await enroll(1, address: nil)
        #expect(try await owners() == [1])
    }

    @Test("one that is to have neighbours takes nothing from one that none reaches yet")
    func migrated() async throws {
        try await enroll(0, address: nil)
        try await stop(0)
        try await enroll(1)
        #expect(try await owners() == [0])
    }

    @Test("of two that were decided by the same state one comes to nothing; who was retired is given nothing")
    func atOnce() async throws {
        for place in 0..<4 { try await enroll(place) }
        let shared: [Int16] = (0..<256).map { Int16($0 % 4) }
        try await agree(try #require(try await admin.propose(shared, in: 60, after: admin.lastNumber())))
        let number = try await admin.lastNumber()
        let withoutTwo = try #require(SlotTable.left(by: 2, shared))
        let withoutThree = try #require(SlotTable.left(by: 3, shared))
        #expect(try await admin.retire(daemons[2], owners: withoutTwo, after: number) != nil)
        #expect(try await admin.retire(daemons[3], owners: withoutThree, after: number) == nil)
        #expect(try await admin.retire(daemons[3], owners: withoutThree, after: admin.lastNumber()) == nil)
        #expect(try await admin.propose(shared, in: 60, after: admin.lastNumber()) == nil)
        let left = try #require(SlotTable.left(by: 3, withoutTwo))
        #expect(try await admin.retire(daemons[3], owners: left, after: admin.lastNumber()) != nil)
        #expect(try await owners() == [0, 1])
    }

    @Test("a PostgreSQL that was set back is told again who counts, also of daemons that it did not know")
    func setBack() async throws {
        for place in 0..<4 { try await enroll(place) }
        let shared: [Int16] = (0..<256).map { Int16($0 % 4) }
        try await agree(try #require(try await admin.propose(shared, in: 60, after: admin.lastNumber())))
        let left = try #require(SlotTable.left(by: 2, shared))
        #expect(try await admin.retire(daemons[2], owners: left, after: admin.lastNumber()) != nil)
        let store = MemberStore(settings)
        let known = try #require(try await store.membership(of: daemons[0], heard: 2))
        #expect(known.epochs.map(\.number) == [1, 2, 3])

        // Two of them come to other shards.
        let (second, fourth) = (daemons[1], daemons[3])
        try await run(
            """
            delete from throng.epoch where epoch > 1;
            delete from throng.member where shard > 0;
            update throng.member set heard = 0;
            insert into throng.member (daemon, shard) values ('\(fourth)', 1)
            """)
        let older = try #require(try await store.membership(of: daemons[0], heard: 2))
        #expect(older.heard == 0, "numbers are given anew")
        #expect(known.forgotten(by: older).map(\.number) == [2, 3])
        #expect(try await store.recall(known.forgotten(by: older), of: known))
        #expect(try await store.recall(known.forgotten(by: older), of: known), "somebody else may tell it, too")
        let renewed = try #require(try await store.membership(of: daemons[0], heard: 0))
        #expect(renewed.epochs.map(\.begins) == known.epochs.map(\.begins))
        for (former, epoch) in zip(known.epochs, renewed.epochs) {
            #expect(
                former.owners.map { known.member($0)?.daemon } == epoch.owners.map { renewed.member($0)?.daemon })
        }
        #expect(renewed.members.filter(\.isRetired).map(\.daemon) == [daemons[2].description])
        #expect(renewed.members.first { $0.daemon == fourth.description }?.shard == 1)
        #expect(renewed.members.contains { $0.daemon == second.description })
        #expect(known.forgotten(by: renewed).isEmpty)
    }

    @Test("a change that a person made since the PostgreSQL was set back stands, also for who knows of several since")
    func changedSince() async throws {
        for place in 0..<3 { try await enroll(place) }
        let shared: [Int16] = (0..<256).map { Int16($0 % 3) }
        try await agree(try #require(try await admin.propose(shared, in: 60, after: admin.lastNumber())))
        let left = try #require(SlotTable.left(by: 2, shared))
        try await agree(try #require(try await admin.propose(left, in: 60, after: admin.lastNumber())))
        let store = MemberStore(settings)
        let known = try #require(try await store.membership(of: daemons[0], heard: 3))
        try await run("delete from throng.epoch where epoch > 1")
        let older = try #require(try await store.membership(of: daemons[0], heard: 3))
        let others: [Int16] = .init(repeating: 1, count: 256)
        #expect(try await admin.retire(daemons[0], owners: others, after: admin.lastNumber()) == 2)
        let changed = try #require(try await store.membership(of: daemons[1], heard: 3))
        for other in [older, changed] {
            #expect(known.forgotten(by: other).map(\.number) == [2, 3])
            #expect(try await !store.recall(known.forgotten(by: other), of: known))
        }
        #expect(try await owners() == [1])
    }
}
