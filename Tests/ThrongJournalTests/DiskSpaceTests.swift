import Foundation
import Synchronization
import Testing

@testable import ThrongJournal

@Suite("Promise 3: a full disk is waited for")
struct DiskSpaceTests {
    private static let full = JournalError.system(call: "write", file: "here", code: ENOSPC)

    @Test("work goes on once there is space, and whoever waits is told meanwhile")
    func waits() throws {
        let changes = Mutex<[Bool]>([])
        let disk = DiskSpace(at: "/tmp", reserve: 0) { isFull in changes.withLock { $0.append(isFull) } }
        var tries = 0
        var told = 0
        while try !disk.attempt({
            tries += 1
            if tries < 3 { throw Self.full }
        }) {
            told += 1
            #expect(disk.isWaiting && !disk.hasRoom)
            disk.wait()
        }
        #expect(tries == 3 && told == 2)
        #expect(disk.hasRoom && !disk.isWaiting)
        #expect(changes.withLock { $0 } == [true, false])
    }

    @Test("a stop ends the waiting")
    func stops() {
        let disk = DiskSpace(at: "/tmp", reserve: 0) { _ in }
        #expect(throws: Self.full) {
            while try !disk.attempt({ throw Self.full }) {
                disk.stop()
                disk.wait()
            }
        }
    }

    @Test("no failure but want of space is waited for, and least of all a failed sync")
    func others() {
        let disk = DiskSpace(at: "/tmp", reserve: 0) { _ in }
        for error in [
            JournalError.system(call: "write", file: "here", code: EIO),
            .system(call: "fdatasync", file: "here", code: ENOSPC), .system(call: "fsync", file: "here", code: ENOSPC),
        ] {
            var tries = 0
            #expect(throws: error) {
                try disk.attempt {
                    tries += 1
                    throw error
                }
            }
            #expect(tries == 1)
        }
    }

    @Test("nothing is taken while less than the reserve is free")
    func reserve() {
        #expect(!DiskSpace(at: "/tmp", reserve: .max) { _ in }.hasRoom)
        #expect(DiskSpace(at: "/tmp", reserve: 1) { _ in }.hasRoom)
    }

    @Test("a write goes on where it stopped")
    func offset() throws {
        let path = FileManager.default.temporaryDirectory.path + "/throng-write-\(UUID().uuidString)"
        defer { unlink(path) }
        let file = try File(path, flags: O_WRONLY | O_CREAT, on: SystemDisk.shared)
        var offset = 2
        try file.write([1, 2, 3, 4], from: &offset)
        #expect(offset == 4)
        #expect(try SystemDisk.shared.contents(path) == [3, 4])
    }
}
