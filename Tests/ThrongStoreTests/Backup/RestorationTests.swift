import Foundation
import TestCluster
import Testing
import ThrongJournal
import ThrongPlan
import ThrongSystem

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
        return try await copy(admin)
    }

    /// Backs a database up as it is; where the file is.
    private func copy(_ admin: Connection) async throws -> String {
        let path = "\(folder)/backup-\(UInt64.random(in: .min ... .max))"
        _ = try await BackupStore(admin).snapshot(plans: [], now: now) { [keys, now] snapshot in
            try BackupWriter(path, keys: keys, now: now).write(snapshot, [])
        }
        return path
    }

    private func restoration(_ path: String, _ migrations: [Migration] = Migration.all) throws -> Restoration {
        try Restoration(BackupReader(path, keys: keys.all()), exported: nil, migrations: migrations)
    }

    @Test("a damaged file of the house goes into no backup")
    func damaged() throws {
        let (files, secret) = (HouseFiles(dataPath: folder), folder + "/installation.secret")
        _ = try TieSecret.kept(at: secret)
        #expect(try files.read().map(\.path) == ["installation.secret"])
        #expect(truncate(secret, 100) == 0)
        #expect {
            try files.read()
        } throws: {
            if case BackupError.lost(let damage) = $0 { damage.path == secret } else { false }
        }
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

    /// A backup's bytes, in the parts that it has.
    private struct Parts {
        var head: [UInt8]
        var frames: [[UInt8]]
        var list: [UInt8]

        init(_ path: String, _ keys: [BackupKey]) throws {
            let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
            var place = BackupHead.size
            head = Array(bytes[..<place])
            frames = try BackupReader(path, keys: keys).list.chunks.map { chunk in
                defer { place += chunk.bytes }
                return Array(bytes[place..<place + chunk.bytes])
            }
            list = Array(bytes[place..<bytes.count - 16])
        }

        func start(of number: Int) -> Int { head.count + frames[..<number].reduce(0) { $0 + $1.count } }

        var bytes: [UInt8] {
            let start = start(of: frames.count)
            return head + frames.flatMap { $0 } + list + BackupFrame.bytes(UInt64(start)) + BackupReader.tailMagic
        }
    }

    @Test("whatever is changed, cut, left out, moved, added or another backup's is refused, and named")
    func patched() async throws {
        let settings = try await TestCluster.database()
        let path = try await backup(settings)
        let known = try keys.all()
        let (whole, other) = (try Parts(path, known), try Parts(await copy(Connection(settings)), known))
        let chunks = try BackupReader(path, keys: known).list.chunks
        try #require(chunks.count > 1)
        func flaw(_ bytes: [UInt8]) throws -> BackupError? {
            try Data(bytes).write(to: URL(filePath: path))
            do throws(BackupError) {
                try BackupReader(path, keys: known).verify()
                return nil
            } catch { return error }
        }
        func flaw(_ change: (inout Parts) -> Void) throws -> BackupError? {
            var parts = whole
            change(&parts)
            return try flaw(parts.bytes)
        }
        func damaged(_ number: Int, _ found: BackupError.Damage = .changed) -> BackupError {
            let part = BackupError.Part.chunk(number, of: chunks[number].name)
            return .damaged(file: path, part: part, byte: whole.start(of: number), found: found)
        }
        func isList(_ error: BackupError?) -> Bool {
            if case .damaged(path, .list, _, .changed) = error { true } else { false }
        }
        #expect(try flaw { _ in } == nil)
        for number in chunks.indices {
            let size = chunks[number].bytes
            for place in [0, 16, size - 1] {
                #expect(try flaw { $0.frames[number][place] ^= 128 } == damaged(number), "\(number), byte \(place)")
            }
            #expect(try flaw { $0.frames[number][8] ^= 64 } == damaged(number, .misplaced(number ^ 64)))
        }
        #expect(try flaw { $0.frames.swapAt(0, 1) } == damaged(0, .misplaced(1)))
        #expect(try flaw { $0.frames.remove(at: 0) } == damaged(0, .misplaced(1)))
        #expect(isList(try flaw { $0.frames.append($0.frames[0]) }))
        // The same rows under the same key at the same place, of another backup; and its list.
        let same = try #require(chunks.indices.first { whole.frames[$0].count == other.frames[$0].count })
        #expect(try flaw { $0.frames[same] = other.frames[same] } == damaged(same))
        #expect(isList(try flaw { $0.list = other.list }))
        #expect(isList(try flaw { $0.list[40] ^= 1 }))
        #expect(isList(try flaw { $0.head[9] ^= 1 }))
        #expect(try flaw { $0.head[0] ^= 1 } == .notABackup(file: path))
        #expect(try flaw([]) == .notABackup(file: path))
        for bytes in [whole.head, Array(whole.bytes.dropLast()), whole.bytes + [0]] {
            #expect(try flaw(bytes) == .cut(file: path, bytes: bytes.count))
        }
    }

    @Test("without the installation's key nothing is said of what is in it")
    func keyless() async throws {
        let path = try await backup(try await TestCluster.database())
        let id = try #require(try keys.all().first { $0.name == .installation }).id
        #expect(throws: BackupError.installationKeyMissing(file: path, key: id)) { try BackupReader(path, keys: []) }
    }
}
