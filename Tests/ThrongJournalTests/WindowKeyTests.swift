import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem
import ThrongWire

@testable import ThrongJournal

@Suite("Promise 1: no person at rest")
struct WindowKeyTests {
    @Test("nothing of a batch can be read in the journal's bytes")
    func ciphertext() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 5)
        let segment = try #require(try workshop.segments.first)
        let bytes = [UInt8](try #require(FileManager.default.contents(atPath: segment)))
        for position in UInt64(1)...5 {
            let record = Workshop.record(position)
            for word in [record.identifier.high, record.identifier.low, record.batch.high << 8 | 0xA5] {
                let needle = withUnsafeBytes(of: word.littleEndian) { Array($0) }
                // Positions and key names are in the clear; keyed identifiers of this test are larger than those.
                guard word > 0xFFFF else { continue }
                #expect(!bytes.contains(needle))
            }
            var plaintext = ByteWriter()
            EntryFormat.add(.batch(record), to: &plaintext)
            #expect(!bytes.contains(plaintext.bytes[1..<25]))
        }
    }

    @Test("once a window's key is destroyed its records can't be read, and the rest can")
    func destroyed() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 3)
        do {
            let data = try DataDirectory(path: workshop.path)
            let keys = try KeyRing(data)
            #expect(keys.windows.count == 1)
            let window = try #require(keys.windows.first)
            let (first, again) = (try keys.key(of: window), try keys.key(of: window))
            #expect(first.name == again.name)
            try keys.destroy(keysOf: [window])
            #expect(throws: JournalError.windowClosed) { try keys.key(of: window) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: workshop.path + "/windows").isEmpty)
        }
        // A clock that is set back does not open it again, not even after a restart: whom it counted is forgotten.
        for _ in 0..<2 {
            let keys = try KeyRing(DataDirectory(path: workshop.path))
            for window in [0, -1] {
                #expect(throws: JournalError.windowClosed) {
                    try keys.key(of: Workshop.record(1, window: Int64(window)).window)
                }
            }
        }
        #expect(try await workshop.run(append: 2, flushed: JournalPosition(3), window: 1).isEmpty)
        #expect(try await workshop.run(append: 0, flushed: JournalPosition(3)).map(\.position.value) == [4, 5])
    }

    @Test("a missing key of a window that PostgreSQL does not have stops the start")
    func missing() async throws {
        let workshop = try Workshop()
        try await workshop.run(append: 3)
        for name in try FileManager.default.contentsOfDirectory(atPath: workshop.path + "/windows") {
            try FileManager.default.removeItem(atPath: workshop.path + "/windows/" + name)
        }
        await #expect(throws: JournalError.self) { try await workshop.run(append: 0, flushed: JournalPosition(2)) }
    }

    @Test("a key comes back after a restart, and one that was being destroyed does not")
    func persistence() throws {
        let workshop = try Workshop()
        let data = try DataDirectory(path: workshop.path)
        let window = Workshop.record(1).window
        let other = Workshop.record(1, window: 1).window
        let first = try KeyRing(data)
        let secret = try first.key(of: window).secret
        _ = try first.key(of: other)
        #expect(try first.key(of: window).secret == secret)
        #expect(try first.key(of: other).secret != secret)
        let names = try FileManager.default.contentsOfDirectory(atPath: workshop.path + "/windows")
        #expect(names.count == 2)
        let again = try KeyRing(data)
        #expect(again.windows == [window, other])
        #expect(try again.key(of: window).secret == secret)
        try again.destroy(keysOf: [other])
        try Data(KeptFile.gone(180)).write(to: URL(fileURLWithPath: workshop.path + "/windows/0000000000000001.key"))
        #expect(try KeyRing(data).windows == [window])
    }

    @Test("the checksum has the published check value")
    func checksum() {
        // RFC 3720, B.4: 32 bytes of zeroes, of ones, ascending.
        #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(CRC32C.checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(CRC32C.checksum(Array(UInt8(0)..<32)) == 0x46DD_794E)
        #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xE306_9283)
    }
}
