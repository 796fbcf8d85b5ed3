import Crypto
import Foundation
import Testing
import ThrongJournal
import ThrongPlan

@testable import ThrongStore

@Suite("Keys of backups are opened elsewhere by the recovery key, and by nothing else")
struct RecoveryKeyTests {
    /// A data directory, and a place for what is kept elsewhere.
    private let folder: String
    private var dataPath: String { folder + "/data" }
    private var export: String { folder + "/keys" }
    private var line: String { folder + "/line" }
    private let now = UnixSeconds(1_795_219_200)

    init() throws {
        folder = NSTemporaryDirectory() + "recovery-\(UInt64.random(in: .min ... .max))"
        try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: true)
    }

    private func recovery() throws -> RecoveryKey {
        let key = RecoveryKey()
        try Data((key.text + "\n").utf8).write(to: URL(fileURLWithPath: line))
        return try RecoveryKey(file: line)
    }

    @Test("what is exported is what there is, with the time of it; another key, or a changed file, opens nothing")
    func exported() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        let ring = BackupKeys(dataPath: dataPath)
        let one = try ring.make(BackupKeyName(app: "shop", term: .day(20_783)))
        let other = try ring.make(.installation)
        #expect(try KeyExport.write(dataPath, to: export, now: now) == nil, "for nobody nothing is exported")
        let recovery = try recovery()
        try recovery.keep(in: dataPath, replacing: false)
        #expect(throws: BackupError.exists(file: dataPath + "/backup.recovery")) {
            try RecoveryKey().keep(in: dataPath, replacing: false)
        }
        #expect(try KeyExport.write(dataPath, to: export, now: now) == 2)
        let read = try KeyExport.read(export, recovery)
        #expect(read.made == now)
        #expect(read.keys.map(\.id) == [other, one].map(\.id) && read.keys.map(\.name) == [other, one].map(\.name))
        #expect(read.keys.map(\.secret) == [other, one].map(\.secret))
        #expect(throws: BackupError.wrongRecoveryKey(file: export)) { try KeyExport.read(export, RecoveryKey()) }
        #expect(throws: BackupError.notKeys(file: line)) { try KeyExport.read(line, recovery) }
        #expect(throws: BackupError.notKeys(file: export)) { try RecoveryKey(file: export) }
        var text = try String(contentsOfFile: export, encoding: .utf8)
        let place = try #require(text.range(of: "\"sealed\":\""))
        text.replaceSubrange(
            place.upperBound..<text.index(after: place.upperBound), with: text[place.upperBound] == "A" ? "B" : "A")
        try Data(text.utf8).write(to: URL(fileURLWithPath: export))
        #expect(throws: BackupError.wrongRecoveryKey(file: export)) { try KeyExport.read(export, recovery) }
    }

    @Test("a later export takes the former one's place, whose bytes are overwritten, and has no key that was destroyed")
    func replaced() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        let ring = BackupKeys(dataPath: dataPath)
        let gone = try ring.make(BackupKeyName(app: "shop", term: .day(20_783)))
        let kept = try ring.make(BackupKeyName(app: "shop", term: .day(20_784)))
        let recovery = try recovery()
        try recovery.keep(in: dataPath, replacing: false)
        _ = try KeyExport.write(dataPath, to: export, now: now)
        // Somebody holds the former file open, as a disk does that has not used its blocks again.
        let former = try #require(FileHandle(forReadingAtPath: export))
        #expect(try KeyExport.read(export, recovery).keys.map(\.id).contains(gone.id))
        #expect(try ring.destroy { $0 == gone.name } == [gone.name: 1])
        _ = try KeyExport.write(dataPath, to: export, now: now + 60)
        #expect(try KeyExport.read(export, recovery).keys.map(\.id) == [kept.id])
        let bytes = try #require(try former.readToEnd())
        #expect(bytes.count > 100 && bytes.allSatisfy { $0 == 0 })
    }
}
