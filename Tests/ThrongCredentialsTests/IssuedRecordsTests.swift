import Foundation
import Testing
import ThrongJournal
import ThrongSystem

@Suite("Who got credentials is on disk before anybody has one")
struct IssuedRecordsTests {
    private static func records(_ count: Int) -> [IssuedRecord] {
        (0..<count).map { IssuedRecord(device: UInt64($0 / 2), request: UInt64($0) << 40) }
    }

    private func all(_ house: CredentialHouse, month: Int64 = 682) throws -> [IssuedRecord] {
        var found: [IssuedRecord] = []
        _ = try IssuedRecords(house.data, month: month) { found.append($0) }
        return found
    }

    @Test("what was appended is read again, in its month and in no other")
    func again() throws {
        let house = try CredentialHouse()
        let file = try IssuedRecords(house.data, month: 682) { _ in Issue.record("a new file has a record") }
        for record in Self.records(5) { try file.append([record]) }
        try file.append([])
        #expect(try all(house) == Self.records(5))
        #expect(try house.files("issued") == ["682.log"])
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(house.path)/issued/682.log")
        #expect(
            attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == KeptFile.headSize + 8 + 100)
        // The month is in the checksum.
        try FileManager.default.moveItem(
            atPath: "\(house.path)/issued/682.log", toPath: "\(house.path)/issued/683.log")
        #expect(try all(house, month: 683).isEmpty)
        #expect(try IssuedRecords.months(in: house.data) == [683])
        try IssuedRecords.remove(month: 683, in: house.data)
        #expect(try IssuedRecords.months(in: house.data).isEmpty)
    }

    @Test(
        "a record that was cut off or damaged is left out, all others count, and more may be appended",
        arguments: [1, 19, 20])
    func torn(cut: Int) throws {
        let house = try CredentialHouse()
        try IssuedRecords(house.data, month: 682) { _ in }.append(Self.records(4))
        let path = "\(house.path)/issued/682.log"
        var bytes = try #require(FileManager.default.contents(atPath: path))
        bytes[KeptFile.headSize + 8 + 25] ^= 1
        #expect(FileManager.default.createFile(atPath: path, contents: bytes.dropLast(cut)))
        let left = [Self.records(4)[0], Self.records(4)[2]]
        #expect(try all(house) == left)
        let more = IssuedRecord(device: 7, request: 8)
        try IssuedRecords(house.data, month: 682) { _ in }.append([more])
        #expect(try all(house) == left + [more])
    }

    @Test("a disk that takes nothing makes no record, and the next one stands where that would have stood")
    func fullDisk() throws {
        let house = try CredentialHouse()
        let file = try IssuedRecords(house.data, month: 682) { _ in }
        try file.append(Self.records(1))
        let path = "\(house.path)/issued/682.log"
        let whole = try #require(FileManager.default.contents(atPath: path))
        // A folder stands where the file is.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: JournalError.self) { try file.append([IssuedRecord(device: 1, request: 1)]) }
        try FileManager.default.removeItem(atPath: path)
        // Half of what could not be written.
        #expect(FileManager.default.createFile(atPath: path, contents: whole + [1, 2, 3]))
        let next = IssuedRecord(device: 2, request: 2)
        try file.append([next])
        #expect(try all(house) == Self.records(1) + [next])
    }
}
