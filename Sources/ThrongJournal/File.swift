internal import Foundation
internal import ThrongSystem

/// An open file by its descriptor, closed with its owner.
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

    func write(_ bytes: [UInt8]) throws(JournalError) {
        var offset = 0
        try write(bytes, from: &offset)
    }

    /// Writes all bytes from an offset on, which advances with what is written.
    func write(_ bytes: [UInt8], from offset: inout Int) throws(JournalError) {
        while offset < bytes.count { offset += try disk.write(bytes, from: offset, to: descriptor, named: path) }
    }

    /// Cuts off the file after `size` bytes.
    func truncate(to size: Int) throws(JournalError) { try disk.truncate(descriptor, named: path, to: size) }

    /// Waits until all that was written is on disk. After a failure nothing may be assumed and nothing is retried: the
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
