import ThrongSystem

@testable import ThrongJournal

/// The index of a checkpoint, which nothing seals: its salt, then what stands before its size and checksum. These are always right, or
/// nothing else would ever be read.
struct CheckpointTarget: FuzzTarget {
    private static let saltSize = CheckpointIndex.headSize - CheckpointIndex.magic.count

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        guard bytes.count >= Self.saltSize else { return }
        let head = CheckpointIndex.magic + bytes.prefix(Self.saltSize)
        guard let index = Self.index(head, bytes.dropFirst(Self.saltSize)) else { return }
        let written = index.bytes
        // Nothing more than what was read, which may be less than what was there.
        let contents = written.dropLast(CheckpointIndex.tailSize)
        try FuzzFinding.check(
            bytes.dropFirst(Self.saltSize).starts(with: contents), .written(what: "a checkpoint's index"))
        guard let again = try? CheckpointIndex(head: head, tail: written) else {  // Why it is refused is no matter.
            throw .written(what: "a checkpoint's index")
        }
        try FuzzFinding.check(again.bytes == written, .twoReadings(what: "a checkpoint's index"))
    }

    private static func index(_ head: [UInt8], _ contents: ArraySlice<UInt8>) -> CheckpointIndex? {
        var writer = ByteWriter()
        writer.bytes = Array(contents)
        writer.add(UInt32(contents.count))
        writer.add(CRC32C.checksum(head + writer.bytes))
        do throws(JournalError) {
            return try CheckpointIndex(head: head, tail: writer.bytes)
        } catch {
            return nil
        }
    }
}
