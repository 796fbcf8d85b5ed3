internal import Foundation
internal import ThrongFaults

/// An open file by its descriptor; closes with its owner.
struct File: ~Copyable {
    let descriptor: Int32
    let path: String
    private let disk: any Disk

    init(_ path: String, flags: Int32, on disk: any Disk) throws(JournalError) {
        descriptor = try disk.open(path, flags: flags)
        self.path = path
        self.disk = disk
    }

    deinit { disk.close(descriptor) }

    /// Writes everything, over as many calls as it takes.
    func write(_ bytes: [UInt8]) throws(JournalError) {
        var offset = 0
        try write(bytes, from: &offset)
    }

    /// Writes everything from an offset on, which moves along with what is written.
    func write(_ bytes: [UInt8], from offset: inout Int) throws(JournalError) {
        while offset < bytes.count {
            offset += try disk.write(bytes, from: offset, to: descriptor, named: path)
        }
    }

    /// Cuts it off. Unit: bytes.
    func truncate(to size: Int) throws(JournalError) { try disk.truncate(descriptor, named: path, to: size) }

    /// Waits until what was written is on disk. After a failure nothing may be assumed and nothing is retried: the
    /// kernel may have dropped the pages and report success the second time.
    func sync() throws(JournalError) {
        do {
            try disk.sync(descriptor, named: path)
        } catch {
            guard Fault.ignoreFailedSync.isOn else { throw error }
        }
    }

    /// ``sync()`` for the names in a directory.
    func syncNames() throws(JournalError) {
        do {
            try disk.syncDirectory(descriptor, named: path)
        } catch {
            guard Fault.ignoreFailedSync.isOn else { throw error }
        }
    }

    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
