import Foundation
import TestCluster
import Testing
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore

@testable import ThrongServer

@Suite("Promise 6: the round of retention destroys the keys of backups with the same in the house, and writes it down")
struct BackupKeyRetentionTests {
    private static let now = UnixSeconds(1_795_219_200)
    private static let today = now.value / 86_400

    private let folder: String
    private let admin: Connection
    private let retention: RetentionWithKeys
    private var keys: BackupKeys { BackupKeys(dataPath: folder) }

    init() async throws {
        folder = NSTemporaryDirectory() + "round-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let settings = try await TestCluster.database()
        admin = Connection(settings)
        let reporting = Connection.reporting(settings)
        retention = RetentionWithKeys(
            store: RetentionStore(reporting), folder: folder, deletions: DeletionStore(reporting),
            keys: BackupKeys(dataPath: folder), pages: nil)
        // A partition of today, and none of yesterday.
        try await admin.execute(
            "select throng.ensure_partitions(1::smallint, array[to_timestamp(\(Self.now.value))])")
    }

    private func make(_ terms: [BackupTerm], app: String = "shop") throws {
        for term in terms { _ = try keys.make(BackupKeyName(app: app, term: term)) }
    }

    private static let kept: [BackupTerm] = [.always, .day(today + 1), .table("counter_d_20261121")]
    private static let due: [BackupTerm] = [.day(today), .day(today - 3), .table("counter_d_20261120")]

    @Test("a key goes on its day, or when its table is dropped, and no other does; each is in the ledger once")
    func round() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        try make(Self.kept + Self.due)
        #expect(try await retention.outlook([]).due.count == 3, "days are due")
        #expect(
            try await retention.outlook([]).due.filter { $0.isOverdue(at: Self.now) }.map(\.at.value) == [
                (Self.today - 3) * 86_400
            ])
        _ = try await retention.expire(plans: [], now: Self.now)
        #expect(Set(try keys.all().map(\.name.term)) == Set(Self.kept))
        var entries = try await DeletionStore(admin).entries().filter { $0.kind == "backups" }
        #expect(Set(entries.map(\.subject)) == Set(Self.due.map(\.text)))
        #expect(entries.allSatisfy { $0.app == "shop" && $0.rows == 1 })
        #expect(try await retention.outlook([]).due.map(\.at.value) == [(Self.today + 1) * 86_400])
        _ = try await retention.expire(plans: [], now: Self.now)
        entries = try await DeletionStore(admin).entries().filter { $0.kind == "backups" }
        #expect(entries.count == 3)
    }

    @Test("a daemon that makes no round destroys keys once another one has taken the same from the house")
    func elsewhere() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        try make(Self.kept + Self.due)
        try await retention.destroyKeys(now: Self.now)
        #expect(Set(try keys.all().map(\.name.term)) == Set(Self.kept))
        #expect(try await DeletionStore(admin).entries().count == 3)
    }

    @Test("where it can't be written down the key is gone all the same, and the next round writes it down")
    func unwritten() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        try make(Self.due)
        try await admin.execute(
            """
            revoke execute on function throng.note_deletion(text, text, text, text, timestamptz, timestamptz, bigint)
            from throng_reporter
            """)
        await #expect(throws: PostgresError.self) { try await retention.expire(plans: [], now: Self.now) }
        #expect(try keys.all().isEmpty)
        #expect(try await DeletionStore(admin).entries().isEmpty)
        try await admin.execute(
            """
            grant execute on function throng.note_deletion(text, text, text, text, timestamptz, timestamptz, bigint)
            to throng_reporter
            """)
        _ = try await retention.expire(plans: [], now: Self.now)
        #expect(try await DeletionStore(admin).entries().map(\.subject).sorted() == Self.due.map(\.text).sorted())
    }

    @Test("where age could not take it in the house, its key stays")
    func failing() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        try make(Self.due)
        try await admin.execute(
            "revoke execute on function throng.drop_partitions(timestamptz, timestamptz, timestamptz) from throng_reporter"
        )
        await #expect(throws: PostgresError.self) { try await retention.expire(plans: [], now: Self.now) }
        #expect(try keys.all().count == 3)
    }
}
