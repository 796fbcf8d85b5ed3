import Crypto
import Foundation
import Testing
import ThrongPlan
import ThrongSystem

@testable import ThrongJournal

@Suite("Promise 6: the key of a part of backups is destroyed, and that it went is known until it is written down")
struct BackupKeyTests {
    private let path: String

    init() throws {
        path = NSTemporaryDirectory() + "keys-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    private var keys: BackupKeys { BackupKeys(dataPath: path) }

    /// All bytes of all keys' files.
    private var bytes: [[UInt8]] {
        get throws {
            let folder = path + "/backup.keys"
            return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
                Array(try #require(FileManager.default.contents(atPath: "\(folder)/\($0)")))
            }
        }
    }

    @Test("a key is found by whoever looks later; of one that was destroyed only its name, until it is written down")
    func destroyed() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }  // What is left is in the temporary folder.
        #expect(try keys.all().isEmpty)
        let day = BackupKeyName(app: "shop", term: .day(20_783))
        let table = BackupKeyName(app: "shop", term: .table("counter_d_20261121"))
        let other = try keys.make(BackupKeyName(app: "kiosk", term: .day(20_784)))
        let made = [try keys.make(day), try keys.make(table), try keys.make(.installation)]
        let secrets = made.map { $0.secret.withUnsafeBytes { Array($0) } }
        #expect(Set(secrets).count == 3)
        #expect(Set(try keys.all().map(\.name)) == [day, table, other.name, .installation])
        for secret in secrets { #expect(try bytes.contains { $0.contains(secret) }) }

        #expect(try keys.destroy { $0 == day || $0 == table } == [day: 1, table: 1])
        for secret in secrets.prefix(2) { #expect(try !bytes.contains { $0.contains(secret) }) }
        #expect(try bytes.contains { $0.contains(secrets[2]) })
        #expect(Set(try keys.all().map(\.name)) == [other.name, .installation])
        // Nobody wrote it down: the next round does.
        #expect(try keys.destroy { _ in false } == [day: 1, table: 1])
        #expect(try bytes.count == 4)
        try keys.forgetDestroyed()
        #expect(try bytes.count == 2)
        #expect(try keys.destroy { _ in false }.isEmpty)
        // A part that comes again gets another key.
        #expect(try keys.make(day).secret != made[0].secret)
    }

    @Test("an app that is forgotten takes the keys of its part with it, and no other")
    func forgotten() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }  // What is left is in the temporary folder.
        for app in ["shop", "kiosk", BackupKeyName.house] {
            for term in [BackupTerm.always, .day(20_783)] { _ = try keys.make(BackupKeyName(app: app, term: term)) }
        }
        let data = try DataDirectory(path: path)
        defer { data.unlock() }
        #expect(try data.forget("shop").backupKeys == 2)
        #expect(Set(try keys.all().map(\.name.app)) == ["kiosk", BackupKeyName.house])
        #expect(try keys.all().count == 4)
        // Cut short before it was written down, it is done again, and says the same.
        #expect(try data.forget("shop").backupKeys == 2)
        try keys.forgetDestroyed()
        #expect(try data.forget("shop").backupKeys == 0)
    }

    @Test("who makes keys keeps others from it, until it is done")
    func held() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }  // What is left is in the temporary folder.
        var hold = try keys.hold()
        #expect(hold != nil)
        #expect(try keys.hold() == nil)
        withExtendedLifetime(hold) {}
        hold = nil
        #expect(try keys.hold() != nil)
    }

    @Test("a file that was changed is no key, and names itself; others are destroyed when they are due")
    func changed() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }  // What is left is in the temporary folder.
        let key = try keys.make(BackupKeyName(app: "shop", term: .always))
        let file = "\(path)/backup.keys/\(key.id).key"
        var bytes = Array(try #require(FileManager.default.contents(atPath: file)))
        bytes[130] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let damage = JournalError.damagedFile(FileDamage(path: file, kind: .backupKey, flaw: .changed(byte: 130)))
        #expect(throws: damage) { try keys.all() }
        // Of which nobody knows when it is due keeps no other from being destroyed.
        let due = try BackupKeys(dataPath: path).make(BackupKeyName(app: "till", term: .day(20_783)))
        #expect(throws: damage) { try keys.destroy { $0 == due.name } }
        let left = Array(try #require(FileManager.default.contents(atPath: "\(path)/backup.keys/\(due.id).key")))
        #expect(!due.secret.withUnsafeBytes { secret in left.contains(Array(secret)) })
    }

    @Test("a day is over at its midnight, and what has no day never", arguments: [0, 1])
    func over(later: Int64) {
        let midnight = UnixSeconds(20_783 * 86_400)
        let name = BackupKeyName(app: "shop", term: .day(20_783))
        #expect(name.isOver(at: midnight + later) && !name.isOver(at: midnight - 1))
        #expect(!BackupKeyName.installation.isOver(at: .max))
        for term in [BackupTerm.always, .day(20_783), .table("counter_d_20261121")] {
            #expect(BackupTerm(term.text) == term)
        }
        #expect(BackupTerm("day") == nil && BackupTerm("day x") == nil && BackupTerm("for good") == nil)
    }
}
