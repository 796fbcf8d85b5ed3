import Foundation
import TestCluster
import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongStore

@Suite("What a daemon that is lost may have lost is stated for the periods that it may be missing from")
struct MemberLossTests {
    private let settings: ConnectionSettings
    private let owner: Connection
    private let admin: MemberAdmin
    private let first = DaemonID(UUID())
    private let second = DaemonID(UUID())

    init() async throws {
        settings = try await TestCluster.database()
        owner = Connection(settings)
        admin = MemberAdmin(owner)
    }

    /// Two daemons count half each; the second was complete at an instant, or never, and has stopped or not.
    private func share(complete: UnixSeconds?, settled: Int64) async throws {
        let (first, second) = (first, second)
        try await owner.run { session in
            for daemon in [first, second] {
                _ = try session.run(
                    Query.enrollMember(daemon: daemon, address: "http://127.0.0.1:1", takesBatches: true))
            }
            try session.execute(
                script: """
                    insert into throng.watermark (shard, daemon, position, fence, settled, settled_at, complete_at)
                    values (1, '\(second)', 0, 1, \(settled), now(), to_timestamp(\(complete.map { "\($0.value)" } ?? "null")))
                    """, name: "test")
        }
        let owners: [Int16] = (0..<256).map { $0 < 100 ? 1 : 0 }
        let epoch = try #require(try await admin.propose(owners, in: 60, after: admin.lastNumber()))
        try await owner.run { session in
            for daemon in [first, second] { _ = try session.run(Query.hearEpoch(daemon: daemon, epoch: epoch)) }
        }
        let all = [Int16](repeating: 0, count: 256)
        #expect(try await admin.retire(second, owners: all, after: admin.lastNumber()) != nil)
    }

    private func losses(from start: UnixSeconds, to end: UnixSeconds) async throws -> [MemberLoss] {
        let connection = Connection.reporting(settings)
        defer { connection.close() }
        return try await CoverageStore(connection).losses(within: Period(kind: .hour, start: start, end: end))
    }

    @Test("from when it last said that all is counted until others counted in its place, with how much it counted")
    func lost() async throws {
        let complete = UnixSeconds(Int64(Date().timeIntervalSince1970)) - 3600
        try await share(complete: complete, settled: 7)
        let retired = try #require(try await admin.members().first { $0.daemon == second }?.retiredAt)
        #expect(try await admin.members().map(\.lostSince) == [nil, complete])
        let expected = [MemberLoss(from: complete, until: retired, slots: 100)]
        #expect(try await losses(from: complete - 10, to: complete + 1) == expected)
        #expect(try await losses(from: retired - 1, to: retired + 9000) == expected)
        #expect(try await losses(from: complete - 10, to: complete).isEmpty, "all before is counted")
        #expect(try await losses(from: retired + 1, to: retired + 9000).isEmpty, "others count by then")
    }

    @Test("one that never said that all is counted may have lost all since it was first seen, whenever it was heard of")
    func neverComplete() async throws {
        let before = UnixSeconds(Int64(Date().timeIntervalSince1970))
        try await share(complete: nil, settled: 7)
        let since = try #require(try await admin.members().compactMap(\.lostSince).first)
        #expect(since >= before)
        #expect(try await owner.integer("select count(*) from throng.member where lost_since = enrolled_at") == 1)
    }

    @Test("who had stopped and left nothing behind has lost nothing")
    func left() async throws {
        let complete = UnixSeconds(Int64(Date().timeIntervalSince1970)) - 3600
        try await share(complete: complete, settled: .max)
        #expect(try await admin.members().allSatisfy { $0.lostSince == nil })
        #expect(try await losses(from: .epoch, to: complete + 9000).isEmpty)
    }
}
