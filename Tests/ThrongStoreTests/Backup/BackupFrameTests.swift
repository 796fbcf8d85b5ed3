import Crypto
import Foundation
import Testing
import ThrongJournal

@testable import ThrongStore

@Suite("A chunk of a backup opens in its backup, at its place, as what it is, and nowhere else")
struct BackupFrameTests {
    private static func id(_ byte: UInt8) throws -> BackupKey.ID {
        try #require(BackupKey.ID([UInt8](repeating: byte, count: 16)))
    }

    private static func head(_ byte: UInt8) throws -> BackupHead {
        BackupHead(id: [UInt8](repeating: byte, count: 16), installation: try id(9))
    }

    @Test("another backup, place, table, key or byte opens nothing")
    func places() throws {
        let (key, other) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
        let (head, rows) = (try Self.head(1), Array("rows of a table".utf8))
        func frame(_ number: Int = 7, _ name: String = "counter", key: UInt8 = 3) throws -> BackupFrame {
            BackupFrame(number: number, key: try Self.id(key), name: name, size: rows.count)
        }
        let sealed = try frame().sealed(rows, key, in: head)
        #expect(try frame().opened(sealed, key, in: head) == rows)
        #expect(BackupFrame(sealed) == (try frame()))
        #expect(!sealed.contains(rows))
        #expect(throws: (any Error).self) { try frame().opened(sealed, other, in: head) }
        #expect(throws: (any Error).self) { try frame().opened(sealed, key, in: Self.head(2)) }
        #expect(throws: (any Error).self) { try frame(8).opened(sealed, key, in: head) }
        #expect(throws: (any Error).self) { try frame(7, "release").opened(sealed, key, in: head) }
        #expect(throws: (any Error).self) { try frame(key: 4).opened(sealed, key, in: head) }
        for place in sealed.indices where place >= 32 + "counter".utf8.count {
            var changed = sealed
            changed[place] ^= 1
            #expect(throws: (any Error).self) { try frame().opened(changed, key, in: head) }
        }
    }

    @Test("two backups have nothing in common, also of the same rows under the same key")
    func apart() throws {
        let key = SymmetricKey(size: .bits256)
        let frame = BackupFrame(number: 0, key: try Self.id(3), name: "counter", size: 4)
        let one = try frame.sealed([1, 2, 3, 4], key, in: Self.head(1))
        let other = try frame.sealed([1, 2, 3, 4], key, in: Self.head(2))
        #expect(one.prefix(39) == other.prefix(39) && one.dropFirst(39) != other.dropFirst(39))
    }
}
