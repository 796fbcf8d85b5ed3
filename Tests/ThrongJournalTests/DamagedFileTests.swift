import Crypto
import Foundation
import Synchronization
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem

@testable import ThrongJournal

@Suite("Damage is called damage: each small file says what it is, and no damaged one passes for whole")
struct DamagedFileTests {
    /// One of the small files, as the daemon writes and reads it.
    struct Sample: CustomTestStringConvertible, Sendable {
        let kind: FileKind
        let name: String
        /// Whether a start without it would count wrongly: then its damage is thrown, and otherwise said.
        let isNeeded: Bool
        let write: @Sendable (DataDirectory) throws -> Void
        /// What is made of it; nil for nothing.
        let read: @Sendable (DataDirectory) throws -> String?

        var testDescription: String { kind.rawValue }
    }

    private static let window = Workshop.record(1).window
    private static let backupKey = BackupKey(
        id: BackupKey.ID(Array(1...16)) ?? { preconditionFailure("16 bytes") }(), name: .installation,
        secret: .init(size: .bits256))

    static let samples: [Sample] = [
        Sample(kind: .daemonName, name: "daemon.id", isNeeded: true) { _ in
        } read: {
            "\(try DataDirectory(path: $0.path, on: $0.machine).daemon)"
        },
        Sample(kind: .windowKey, name: "windows/*.key", isNeeded: true) {
            _ = try KeyRing($0).key(of: window)
        } read: { data in
            try KeyRing(data).windows.first.map { "\($0)" }
        },
        Sample(kind: .closedWindows, name: "windows.closed", isNeeded: true) {
            try ClosedWindows($0).close([window])
        } read: { data in
            "\(try ClosedWindows(data).contains(window))"
        },
        Sample(kind: .layout, name: "layouts/*.layout", isNeeded: true) {
            try $0.keep(Workshop.layout)
        } read: { data in
            "\(try data.layout(Workshop.layout.id).id)"
        },
        Sample(kind: .attachment, name: "attachment", isNeeded: true) {
            try $0.note(attachment: 1_795_176_000_123_456)
        } read: { data in
            try data.attachment().map { "\($0)" }
        },
        Sample(kind: .gatewaySecret, name: "gateway.secret", isNeeded: true) { data in
            _ = try LastingSecret("gateway.secret", as: .gatewaySecret, in: data) { Array(repeating: 7, count: 32) }
        } read: { data in
            try LastingSecret("gateway.secret", as: .gatewaySecret, in: data) { Array(repeating: 8, count: 32) }.bytes
                .description
        },
        Sample(kind: .backupKey, name: "backup.keys/*.key", isNeeded: true) {
            try BackupKeys(dataPath: $0.path, on: $0.machine).keep([backupKey])
        } read: { data in
            try BackupKeys(dataPath: data.path, on: data.machine).all().first.map { "\($0.id)" }
        },
        Sample(kind: .members, name: "members", isNeeded: false) {
            try $0.note(members: Array("[1,2]".utf8))
        } read: { data in
            try data.members { String(decoding: $0, as: UTF8.self) }
        },
        Sample(kind: .believedTime, name: "believed", isNeeded: false) {
            try BelievedTime($0).raise(to: Workshop.now)
        } read: { data in
            try BelievedTime(data).latest.map { "\($0.value)" }
        },
        Sample(kind: .offeredMark, name: "offered", isNeeded: false) {
            try OfferedMark($0, kept: nil).raise(to: JournalPosition(7))
        } read: { data in
            // Damaged, it covers nothing.
            let mark = try OfferedMark(data, kept: nil)
            return mark.covers(JournalPosition(.max), isTorn: false)
                ? "\(mark.covers(JournalPosition(7), isTorn: true))" : nil
        },
        Sample(kind: .gatewayKey, name: "oblivious/*.key", isNeeded: false) {
            try KeptSecrets($0, for: .oblivious).keep(.init(Array(repeating: 9, count: 64)), of: 20_783)
        } read: { data in
            try KeptSecrets(data, for: .oblivious).all().found[20_783].map { "\($0)" }
        },
        Sample(kind: .credentialKey, name: "credentials/*.key", isNeeded: false) {
            try KeptSecrets($0, for: .credentials).keep(.init(Array(repeating: 9, count: 64)), of: 682)
        } read: { data in
            try KeptSecrets(data, for: .credentials).all().found[682].map { "\($0)" }
        },
        Sample(kind: .flushKey, name: "flushed/*.key", isNeeded: false) {
            try KeptFlushes($0).keep(flush, now: Workshop.now)
        } read: { data in
            try KeptFlushes(data).last.map { "\($0.value)" }
        },
    ]

    private static let flush = Flush(
        after: .start, through: JournalPosition(10), layouts: [Workshop.layout], counters: [], taken: [], distinct: [],
        coverage: [], closedUntil: nil)

    /// A data directory with that file, its path, and all files as they are.
    private func house(_ sample: Sample) throws -> (disk: MemoryDisk, path: String, whole: [String: [UInt8]]) {
        let disk = MemoryDisk()
        let data = try DataDirectory(path: "/data", on: disk.machine)
        try sample.write(data)
        let parts = sample.name.split(separator: "*", omittingEmptySubsequences: false)
        let path = try #require(
            disk.files.keys.first { $0.hasPrefix("/data/\(parts[0])") && $0.hasSuffix(String(parts[parts.count - 1])) })
        #expect(try sample.read(data) != nil)
        return (disk, path, disk.files)
    }

    /// The damage that is found where the file has these bytes.
    private func damage(
        _ sample: Sample, _ disk: MemoryDisk, _ path: String, _ whole: [String: [UInt8]], _ bytes: [UInt8],
        _ comment: String
    ) throws -> FileDamage? {
        disk.files = whole
        disk[path] = bytes
        let found: [FileDamage]
        var isRight: Bool
        do {
            let data = try DataDirectory(path: "/data", on: disk.machine)
            isRight = try sample.read(data) == nil && !sample.isNeeded
            found = data.damages.withLock { $0.found }
        } catch JournalError.damagedFile(let damage) {
            isRight = sample.isNeeded
            found = [damage]
        }
        isRight = isRight && found.count == 1 && found.first?.path == path && found.first?.kind == sample.kind
        // An expectation costs more than all of this.
        if !isRight || found.first?.description.contains("version") ?? true { Issue.record("\(comment): \(found)") }
        return found.first
    }

    @Test("every byte of every kind flipped: the byte is named, and nothing is read", arguments: samples)
    func everyByte(sample: Sample) throws {
        let (disk, path, whole) = try house(sample)
        let bytes = try #require(whole[path])
        for place in bytes.indices {
            for change: UInt8 in [1, 0x20, 0x80] {
                var changed = bytes
                changed[place] ^= change
                let found = try damage(sample, disk, path, whole, changed, "byte \(place) ^ \(change)")
                guard found?.flaw == .changed(byte: place),
                    found?.description.hasPrefix("\(path) is damaged at byte \(place):") ?? false
                else {
                    Issue.record("byte \(place) ^ \(change) is told as \(found?.description ?? "nothing")")
                    continue
                }
            }
        }
    }

    @Test("every kind cut off at every length, made longer, doubled, filled with zeros", arguments: samples)
    func everyLength(sample: Sample) throws {
        let (disk, path, whole) = try house(sample)
        let bytes = try #require(whole[path])
        for size in bytes.indices {
            let flaw = try damage(sample, disk, path, whole, Array(bytes.prefix(size)), "\(size) bytes")?.flaw
            #expect(
                flaw == (size == 0 ? .empty : .cutOff(at: size, of: size < KeptFile.headSize ? nil : bytes.count)),
                "\(size) bytes")
            guard size >= 9, size < bytes.count - 9 else { continue }
            let zeroes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: bytes.count - size)
            #expect(try damage(sample, disk, path, whole, zeroes, "zeros from \(size)") != nil)
        }
        for more in [[0], bytes, [UInt8](repeating: 0xFF, count: 4096)] {
            let flaw = try damage(sample, disk, path, whole, bytes + more, "\(more.count) bytes more")?.flaw
            #expect(flaw == .longer(than: bytes.count, found: bytes.count + more.count))
        }
        let zeroes = [UInt8](repeating: 0, count: bytes.count)
        #expect(try damage(sample, disk, path, whole, zeroes, "zeros")?.flaw == .zeroes(from: 0))
        let text = Array("1795176000123456\nsomething else that a person has put there\n".utf8)
        #expect(try damage(sample, disk, path, whole, text, "another program's")?.flaw == .foreign)
    }

    @Test(
        "a whole file of another kind, of another daemon, or of a name of its own is not taken for this one",
        arguments: samples)
    func swapped(sample: Sample) throws {
        let (disk, path, whole) = try house(sample)
        let bytes = try #require(whole[path])
        for other in Self.samples where other.kind != sample.kind {
            let (_, place, files) = try house(other)
            let flaw = try damage(sample, disk, path, whole, try #require(files[place]), "\(other.kind)")?.flaw
            #expect(flaw == .otherKind(found: other.kind))
        }
        // The same kind of another house: it is another daemon's where a daemon has one of its own.
        let (_, place, files) = try house(sample)
        let isShared = String(decoding: bytes[44..<80], as: UTF8.self).allSatisfy { $0 == "0" || $0 == "-" }
        // Of another daemon the mark says nothing, whole or not.
        guard !isShared, sample.kind != .offeredMark else { return }
        let found = try damage(sample, disk, path, whole, try #require(files[place]), "another daemon's")
        guard case .otherDaemon = found?.flaw else {
            Issue.record("\(String(describing: found))")
            return
        }
    }

    @Test("a directory in the place of a file is damage, too", arguments: samples)
    func directory(sample: Sample) throws {
        let (disk, path, whole) = try house(sample)
        disk.files = whole
        disk.putDirectory(at: path)
        do {
            let data = try DataDirectory(path: "/data", on: disk.machine)
            #expect(try sample.read(data) == nil)
            #expect(data.damages.withLock { $0.found.map(\.flaw) } == [.directory])
        } catch JournalError.damagedFile(let damage) {
            #expect(sample.isNeeded && damage.flaw == .directory && damage.path == path)
        }
    }

    @Test(
        "only a whole file with a higher version is said to be a newer version's, whatever its kind", arguments: samples
    )
    func newer(sample: Sample) throws {
        let (disk, path, whole) = try house(sample)
        var bytes = try #require(whole[path])
        bytes[31] += 1
        let sum = CRC32C.checksum(Array(bytes[..<81]) + Array(bytes[89...]))
        let digits = String(sum, radix: 16)
        bytes.replaceSubrange(81..<89, with: Array((String(repeating: "0", count: 8 - digits.count) + digits).utf8))
        disk.files = whole
        disk[path] = bytes
        do {
            let data = try DataDirectory(path: "/data", on: disk.machine)
            // Kept flushes go only with their time: what a newer version kept is no damage either.
            _ = try sample.read(data)
            Issue.record("it is read")
        } catch JournalError.damagedFile(let damage) {
            #expect(damage.flaw == .newer(version: 2))
            #expect(damage.description.contains("newer version") && !damage.description.contains("damaged"))
            #expect(disk[path] == bytes, "it is left to that version")
        }
    }

    @Test("a journal whose daemon has lost its name is not counted again under another")
    func missingName() throws {
        let disk = MemoryDisk()
        _ = try DataDirectory(path: "/data", on: disk.machine)
        disk["/data/journal/0000000001.journal"] = [1]
        disk["/data/daemon.id"] = nil
        let damage = FileDamage(path: "/data/daemon.id", kind: .daemonName, flaw: .missing)
        #expect(throws: JournalError.damagedFile(damage)) { try DataDirectory(path: "/data", on: disk.machine) }
    }

    @Test("a layout that a plan knows is written anew where it is damaged")
    func mended() throws {
        let disk = MemoryDisk()
        let data = try DataDirectory(path: "/data", on: disk.machine)
        try data.keep(Workshop.layout)
        let path = "/data/layouts/\(Workshop.layout.id).layout"
        let whole = try #require(disk[path])
        disk[path] = whole.dropLast(3)
        try data.mend([Workshop.layout])
        #expect(disk[path] == whole && disk[path + ".damaged"] == whole.dropLast(3))
    }

    @Test("files of secrets and keys: every byte flipped, every length", arguments: [true, false])
    func secrets(isKeys: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tf-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        let path = folder + (isKeys ? "/app-keys" : "/secret")
        func read() throws {
            if isKeys { _ = try AppKeyFile(dataPath: folder).read() } else { _ = try TieSecret.kept(at: path) }
        }
        if isKeys {
            _ = try AppKeyFile(dataPath: folder).change { $0.addKey(of: "shop", name: "ios", now: Workshop.now) }
        } else {
            _ = try TieSecret.kept(at: path)
        }
        let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
        func flaw(_ bytes: [UInt8]) throws -> FileDamage.Flaw? {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: bytes)
            try file.close()
            do {
                try read()
                return nil
            } catch AppKeyError.damaged(let damage) {
                return damage.path == path ? damage.flaw : nil
            } catch TieSecretError.damaged(let damage) {
                return damage.path == path ? damage.flaw : nil
            }
        }
        for place in bytes.indices {
            for change: UInt8 in [1, 0x20, 0x80] {
                var changed = bytes
                changed[place] ^= change
                #expect(try flaw(changed) == .changed(byte: place), "byte \(place) ^ \(change)")
            }
            #expect(try flaw(Array(bytes.prefix(place))) != nil, "\(place) bytes")
        }
        #expect(try flaw(bytes + bytes) != nil)
        #expect(try flaw(bytes) == nil)
    }

    @Test(
        "what is no file is damage, and nobody waits for it: pipes, sockets, devices, links that lead nowhere, too much",
        .timeLimit(.minutes(1)), arguments: [FileKind.attachment, .appKeys, .installationSecret])
    func noFile(kind: FileKind) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tf-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // What is left is in the temporary folder.
        let path = folder + "/app-keys"
        func flaw(_ make: () throws -> Void) throws -> FileDamage.Flaw? {
            try make()
            defer { unlink(path) }
            do {
                switch kind {
                case .appKeys: _ = try AppKeyFile(dataPath: folder).read()
                case .installationSecret: _ = try TieSecret.kept(at: path)
                default:
                    let isThere = SystemDisk.shared.exists(path)
                    #expect(isThere)
                    _ = try SystemDisk.shared.kept(at: path, as: kind)
                }
                return nil
            } catch JournalError.damagedFile(let damage) { return damage.flaw } catch AppKeyError.damaged(let damage) {
                return damage.flaw
            } catch TieSecretError.damaged(let damage) { return damage.flaw }
        }
        func link(to target: String) -> () -> Void { { #expect(symlink(target, path) == 0) } }
        let pipe = try flaw { #expect(mkfifo(path, 0o600) == 0) }
        #expect(pipe == .special)
        #expect(try flaw(link(to: "/dev/zero")) == .special)
        #expect(try flaw(link(to: folder)) == .directory)
        #expect(try flaw(link(to: folder + "/nowhere")) == .unreadable(code: ENOENT))
        #expect(try flaw(link(to: path)) == .unreadable(code: ELOOP))
        let size = KeptFile.largest + 1
        let large = try flaw {
            #expect(close(open(path, O_CREAT | O_WRONLY, 0o600)) == 0 && truncate(path, off_t(size)) == 0)
        }
        #expect(large == .longer(than: KeptFile.largest, found: size))
    }
}
