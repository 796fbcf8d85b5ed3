import Foundation
import TestCluster
import Testing
import ThrongJournal
import ThrongPlan

@testable import ThrongStore

@Suite("A backup of an earlier schema is restored and migrated, one of a later refused, and none over anything")
struct RestorationTests {
    private let folder: String
    private let now = UnixSeconds(1_795_219_200)
    private let link = SignInLink()

    init() throws {
        folder = NSTemporaryDirectory() + "restoration-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private var keys: BackupKeys { BackupKeys(dataPath: folder) }

    /// Backs a database up with one row in the ledger of deletions and one token; where the file is.
    private func backup(_ settings: ConnectionSettings) async throws -> String {
        let admin = Connection(settings)
        try await admin.execute("select throng.note_deletion('shop', 'coverage', 'events', 'by age', null, null, 3)")
        let token = AccessToken(
            id: "2233ccdd", role: .partner("bank", of: "shop"), note: nil, createdAt: now, expiresAt: now + 86_400)
        try await admin.run(Query.insertToken(token: token, hash: AccessSecret().hash, link: link))
        let path = "\(folder)/backup-\(UInt64.random(in: .min ... .max))"
        _ = try await BackupStore(admin).snapshot(plans: [], now: now) { [keys, now] snapshot in
            try BackupWriter(path, keys: keys, now: now).write(snapshot, [])
        }
        return path
    }

    private func restoration(_ path: String, _ migrations: [Migration] = Migration.all) throws -> Restoration {
        try Restoration(BackupReader(path, keys: keys.all()), exported: nil, migrations: migrations)
    }

    @Test("what was backed up at one version is there at the next, with the chain of deletions whole")
    func earlier() async throws {
        let known = try #require(Migration.all.last?.version)
        let next = Migration(
            version: known + 1, name: "\(known + 1).remark.sql",
            text: Array("create table throng.remark as select rows from throng.deletion;".utf8))
        let restoration = try restoration(try await backup(try await TestCluster.database()), Migration.all + [next])
        #expect(restoration.backup.list.schema == known)
        let new = try await TestCluster.emptyDatabase()
        #expect(try await restoration.fill(new, hasJournal: false, plans: []))
        let admin = Connection(new)
        try await Migrator(admin, migrations: Migration.all + [next]).verify()
        let access = AccessStore(new)
        #expect(try await access.token("2233ccdd") != nil)
        #expect(try await access.open(link, now: now) == nil, "it may have signed somebody in since")
        #expect(try await admin.texts("select rows::text from throng.remark") == ["3"], "it finds what was filled in")
        let entries = try await DeletionStore(admin).entries()
        #expect(entries.count == 1 && entries[0].rows == 3 && DeletionEntry.firstBroken(in: entries) == nil)
        // The next entry goes on from it; triggers are in force.
        try await admin.execute("select throng.note_deletion('*', 'backups', 'keys', 'by age', null, null, 1)")
        #expect(DeletionEntry.firstBroken(in: try await DeletionStore(admin).entries()) == nil)
        await #expect(throws: PostgresError.self) { try await admin.execute("delete from throng.deletion") }
        #expect(try await !restoration.fill(new, hasJournal: false, plans: []), "it is not empty any more")
        #expect(try await DeletionStore(admin).entries().count == 2)
    }

    @Test("one of a later version is refused before anything is done")
    func later() async throws {
        let settings = try await TestCluster.database()
        try await Connection(settings).execute(
            "insert into throng.migration (version, name, checksum) values (9999, 'later', sha256(''))")
        let path = try await backup(settings)
        let known = try #require(Migration.all.last?.version)
        #expect(throws: BackupError.newerSchema(found: 9999, known: known)) { try restoration(path) }
    }

    @Test("without the installation's key nothing is said of what is in it")
    func keyless() async throws {
        let path = try await backup(try await TestCluster.database())
        let id = try #require(try keys.all().first { $0.name == .installation }).id
        #expect(throws: BackupError.installationKeyMissing(file: path, key: id)) { try BackupReader(path, keys: []) }
    }
}
