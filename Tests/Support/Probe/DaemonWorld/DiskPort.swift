import Foundation
import ThrongJournal

/// A process's way to a ``VirtualDisk``: ends with the process, so that what is left of one that was killed changes nothing.
///
/// One thread uses it: that is the proof of `@unchecked Sendable`.
final class DiskPort: Disk, @unchecked Sendable {
    private struct Open {
        let file: VirtualDisk.Inode?
        let path: String
        let appends: Bool
        var offset = 0
    }

    let disk: VirtualDisk
    private var open: [Int32: Open] = [:]
    private var last: Int32 = 2
    /// False once the process is gone.
    private(set) var isAlive = true
    /// What ends with the process.
    var onEnd: () -> Void = {}

    init(_ disk: VirtualDisk) { self.disk = disk }

    /// Takes the process away: what it wrote stays.
    func end() {
        guard isAlive else { return }
        isAlive = false
        open = [:]
        onEnd()
        if disk.holder == ObjectIdentifier(self) { disk.holder = nil }
    }

    private func check(_ call: String, _ path: String) throws(JournalError) {
        if isAlive, !disk.survivesCall() { end() }
        guard isAlive else { throw .system(call: call, file: path, code: EIO) }
    }

    func open(_ path: String, flags: Int32) throws(JournalError) -> Int32 {
        try check("open", path)
        last += 1
        if flags & O_DIRECTORY != 0 {
            guard disk.directories[path] != nil else { throw .system(call: "open", file: path, code: ENOENT) }
            open[last] = Open(file: nil, path: path, appends: false)
            return last
        }
        let file: VirtualDisk.Inode
        if let known = disk.names[path] {
            file = known
            if flags & O_TRUNC != 0 { disk.truncate(file, to: 0) }
        } else {
            guard flags & O_CREAT != 0 else { throw .system(call: "open", file: path, code: ENOENT) }
            file = disk.make(path)
        }
        open[last] = Open(file: file, path: path, appends: flags & O_APPEND != 0)
        return last
    }

    func close(_ file: Int32) { open[file] = nil }

    func write(
        _ bytes: [UInt8], from start: Int, to file: Int32, named path: String
    ) throws(JournalError) -> Int {
        try check("write", path)
        guard let entry = open[file], let inode = entry.file else {
            throw .system(call: "write", file: path, code: EBADF)
        }
        let offset = entry.appends ? inode.live.count : entry.offset
        let taken = disk.write(bytes[start...], to: inode, at: offset)
        guard taken > 0 else { throw .system(call: "write", file: path, code: ENOSPC) }
        open[file]?.offset = offset + taken
        return taken
    }

    func read(
        _ file: Int32, named path: String, from start: Int, count: Int
    ) throws(JournalError) -> [UInt8] {
        try check("read", path)
        guard let inode = open[file]?.file else { throw .system(call: "read", file: path, code: EBADF) }
        return Array(inode.live[min(start, inode.live.count)..<min(start + count, inode.live.count)])
    }

    func truncate(_ file: Int32, named path: String, to size: Int) throws(JournalError) {
        try check("ftruncate", path)
        guard let inode = open[file]?.file else { throw .system(call: "ftruncate", file: path, code: EBADF) }
        disk.truncate(inode, to: size)
    }

    func sync(_ file: Int32, named path: String) throws(JournalError) {
        try check("fdatasync", path)
        guard let inode = open[file]?.file else { throw .system(call: "fdatasync", file: path, code: EBADF) }
        guard disk.sync(inode) else { throw .system(call: "fdatasync", file: path, code: EIO) }
    }

    func syncDirectory(_ file: Int32, named path: String) throws(JournalError) {
        try check("fsync", path)
        guard disk.syncDirectory(path) else { throw .system(call: "fsync", file: path, code: EIO) }
    }

    func rename(_ path: String, to other: String) throws(JournalError) {
        try check("rename", path)
        guard let file = disk.names[path] else { throw .system(call: "rename", file: path, code: ENOENT) }
        disk.change([(path, nil), (other, file)], in: other)
    }

    func link(_ path: String, to other: String) throws(JournalError) {
        try check("link", path)
        guard let file = disk.names[path] else { throw .system(call: "link", file: path, code: ENOENT) }
        guard disk.names[other] == nil else { throw .system(call: "link", file: other, code: EEXIST) }
        disk.change([(other, file)], in: other)
    }

    func unlink(_ path: String) throws(JournalError) {
        try check("unlink", path)
        guard disk.names[path] != nil else { throw .system(call: "unlink", file: path, code: ENOENT) }
        disk.change([(path, nil)], in: path)
    }

    func makeDirectory(_ path: String) throws(JournalError) {
        try check("mkdir", path)
        guard disk.directories[path] == nil else { throw .system(call: "mkdir", file: path, code: EEXIST) }
        disk.makeDirectory(path)
    }

    func list(_ directory: String) throws(JournalError) -> [String] {
        try check("readdir", directory)
        guard let paths = disk.directories[directory] else {
            throw .system(call: "readdir", file: directory, code: ENOENT)
        }
        return paths.map { String($0.dropFirst(directory.count + 1)) }
    }

    func size(of path: String) throws(JournalError) -> Int {
        try check("stat", path)
        guard let file = disk.names[path] else { throw .system(call: "stat", file: path, code: ENOENT) }
        return file.live.count
    }

    func exists(_ path: String) -> Bool { disk.names[path] != nil || disk.directories[path] != nil }

    func space(at path: String) -> (free: Int, size: Int)? {
        (free: max(0, disk.capacity - disk.used), size: disk.capacity)
    }

    func lock(_ path: String) throws(JournalError) -> Int32? {
        try check("open", path)
        guard disk.holder == nil else { return nil }
        disk.holder = ObjectIdentifier(self)
        return 0
    }

    func name(ofLock lock: Int32) -> String? { "the lock of disk \(disk.name)" }

    func unlock(_ lock: Int32) { if disk.holder == ObjectIdentifier(self) { disk.holder = nil } }
}
