package import Foundation
package import ThrongSystem

/// The file operations that the journal needs of a file system; ``SystemDisk`` is the system's own.
///
/// Files are named by absolute paths, open ones by small numbers. Every function throws
/// ``JournalError/system(call:file:code:)`` with the code that Linux would give.
package protocol Disk: Sendable {
    /// Opens a file or a directory.
    ///
    /// - Parameter flags: some of `O_RDONLY`, `O_WRONLY`, `O_APPEND`, `O_CREAT`, `O_TRUNC` and `O_DIRECTORY`.
    func open(_ path: String, flags: Int32) throws(JournalError) -> Int32
    func close(_ file: Int32)
    /// Writes bytes from index `start` on; returns the number written, which may be less than all.
    func write(_ bytes: [UInt8], from start: Int, to file: Int32, named path: String) throws(JournalError) -> Int
    /// Returns `count` bytes from an offset on, or fewer if the file ends.
    func read(_ file: Int32, named path: String, from start: Int, count: Int) throws(JournalError) -> [UInt8]
    /// Cuts off an open file after `size` bytes.
    func truncate(_ file: Int32, named path: String, to size: Int) throws(JournalError)
    /// Waits until all that was written to a file is on disk.
    func sync(_ file: Int32, named path: String) throws(JournalError)
    /// Waits until the names in an open directory are on disk.
    func syncDirectory(_ file: Int32, named path: String) throws(JournalError)
    /// Renames a file, replacing one that has the new name.
    func rename(_ path: String, to other: String) throws(JournalError)
    /// Gives a file a second name; `EEXIST` if that is taken.
    func link(_ path: String, to other: String) throws(JournalError)
    /// Removes a name; `ENOENT` if there is none.
    func unlink(_ path: String) throws(JournalError)
    /// Makes a directory; `EEXIST` if there is one.
    func makeDirectory(_ path: String) throws(JournalError)
    /// Returns the names in a directory, in any order.
    func list(_ directory: String) throws(JournalError) -> [String]
    /// Returns the size of a file. Unit: bytes.
    func size(of path: String) throws(JournalError) -> Int
    /// True if there is something by that name, a link that leads nowhere, too.
    func exists(_ path: String) -> Bool
    /// Returns the free space for this process on a directory's disk, and its size; nil if unknown. Unit: bytes.
    func space(at path: String) -> (free: Int, size: Int)?
    /// Locks a file, made if it is missing, against other processes; nil if one of them has it. The lock ends with
    /// ``unlock(_:)`` or the process.
    func lock(_ path: String) throws(JournalError) -> Int32?
    func unlock(_ lock: Int32)
    /// Returns a name that no other held lock has, even of a copy or on another machine; nil if there is none.
    func name(ofLock lock: Int32) -> String?
}

extension Disk {
    func contents(_ path: String) throws(JournalError) -> [UInt8] { try contents(path, from: 0, count: size(of: path)) }

    /// Returns `count` bytes from an offset on, or fewer if the file ends.
    func contents(_ path: String, from start: Int, count: Int) throws(JournalError) -> [UInt8] {
        let file = try File(path, flags: O_RDONLY, on: self)
        return try read(file.descriptor, named: path, from: start, count: count)
    }

    /// Writes a small file as a whole: beside its place first, synced, then renamed.
    func replace(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let beside = try place(bytes, beside: path)
        try rename(beside, to: path)
        try syncDirectory(File.directory(of: path))
    }

    /// Writes a small file as a whole; `EEXIST` if there is one.
    func create(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let beside = try place(bytes, beside: path)
        let linking = Result { () throws(JournalError) in try link(beside, to: path) }
        discard(beside)
        try linking.get()
        try syncDirectory(File.directory(of: path))
    }

    /// Writes a small file beside its place, and returns its path.
    private func place(_ bytes: [UInt8], beside path: String) throws(JournalError) -> String {
        let beside = path + ".new"
        do throws(JournalError) {
            let file = try File(beside, flags: O_WRONLY | O_CREAT | O_TRUNC, on: self)
            try file.write(bytes)
            try file.sync()
        } catch {
            // Half a file would keep the space that the next try needs.
            discard(beside)
            throw error
        }
        return beside
    }

    /// Removes a file that was not put in place; if that fails, the next try overwrites it.
    private func discard(_ path: String) { _ = Result { () throws(JournalError) in try unlink(path) } }

    /// Rewrites a file so that its readable content is on disk. Another process may have written it without a sync, or
    /// a sync may have failed and left pages in memory that no later sync would write.
    func secure(_ path: String) throws(JournalError) { try replace(path, with: contents(path)) }

    /// Waits until the names in a directory are on disk.
    func syncDirectory(_ path: String) throws(JournalError) {
        let directory = try File(path, flags: O_RDONLY | O_DIRECTORY, on: self)
        try directory.syncNames()
    }

    func ensureDirectory(_ path: String) throws(JournalError) {
        do { try makeDirectory(path) } catch { guard case .system(_, _, EEXIST) = error else { throw error } }
    }

    /// Removes a name unless it is gone.
    func remove(_ path: String) throws(JournalError) {
        do { try unlink(path) } catch { guard case .system(_, _, ENOENT) = error else { throw error } }
    }

    func names(in directory: String) throws(JournalError) -> [String] { try list(directory).sorted() }

    /// Writes a small file as a whole: a line with its kind, then its content.
    ///
    /// - Parameter daemon: the owner; nil if several daemons may have the same file.
    package func keep(
        _ content: [UInt8], at path: String, as kind: FileKind, of daemon: UUID? = nil
    ) throws(JournalError) { try replace(path, with: KeptFile.bytes(content, as: kind, of: daemon)) }

    /// Returns the content of a small file.
    ///
    /// - Throws: ``JournalError/damagedFile(_:)`` if it is damaged or can't be read; system errors if it is missing, or
    ///   the process lacks a resource.
    package func kept(at path: String, as kind: FileKind, of daemon: UUID? = nil) throws(JournalError) -> [UInt8] {
        let bytes = try whole(path, as: kind)
        do throws(FileDamage) {
            return try KeptFile.content(of: bytes, at: path, as: kind, of: daemon)
        } catch { throw .damagedFile(error) }
    }

    /// Returns the content of a secret's file; nil if it was being destroyed.
    func keptSecret(at path: String, as kind: FileKind, of daemon: UUID? = nil) throws(JournalError) -> [UInt8]? {
        do throws(JournalError) { return try kept(at: path, as: kind, of: daemon) } catch {
            guard case .damagedFile(let damage) = error, damage.flaw == .gone else { throw error }
            return nil
        }
    }

    /// Decodes the content of a small file; content that does not follow its kind's format is damage.
    func reading<Value>(
        _ content: [UInt8], of path: String, as kind: FileKind,
        _ body: (inout RecordReader) throws(JournalError) -> Value?
    ) throws(JournalError) -> Value {
        let value: Value?
        do throws(JournalError) {
            value = try content.reading { buffer throws(JournalError) in
                var reader = RecordReader(buffer)
                let value = try body(&reader)
                return reader.isAtEnd ? value : nil
            }
        } catch {
            guard error == .malformedRecord else { throw error }
            value = nil
        }
        guard let value else { throw .damagedFile(FileDamage(path: path, kind: kind, flaw: .content)) }
        return value
    }

    /// Overwrites all of a secret, and waits until that is on disk.
    func blank(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let file = try File(path, flags: O_WRONLY, on: self)
        try file.write(bytes)
        try file.sync()
    }

    /// Returns all bytes of a small file. A failure to read it is damage, unless the process lacks a resource.
    func whole(_ path: String, as kind: FileKind) throws(JournalError) -> [UInt8] {
        do throws(JournalError) {
            let size = try size(of: path)
            guard size <= KeptFile.largest else {
                throw .damagedFile(
                    FileDamage(path: path, kind: kind, flaw: .longer(than: KeptFile.largest, found: size)))
            }
            return try contents(path, from: 0, count: size)
        } catch {
            guard case .system(_, _, let code) = error else { throw error }
            switch code {
            case ENOENT where !exists(path): throw error
            case EISDIR, ENXIO, ENOENT, EACCES, EPERM, EIO, ELOOP, ENOTDIR, EUCLEAN:
                throw .damagedFile(FileDamage(path: path, kind: kind, flaw: FileDamage.Flaw(code: code)))
            default: throw error
            }
        }
    }
}

/// An open file by its descriptor, closed with its owner.
struct File: ~Copyable {
    let descriptor: Int32
    let path: String
    private let disk: any Disk

    init(_ path: String, flags: Int32, on disk: any Disk) throws(JournalError) {
        descriptor = try disk.open(path, flags: flags)
        (self.path, self.disk) = (path, disk)
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
        do { try disk.sync(descriptor, named: path) } catch { guard Fault.ignoreFailedSync.isOn else { throw error } }
    }

    /// ``sync()`` for the names in a directory.
    func syncNames() throws(JournalError) {
        do {
            try disk.syncDirectory(descriptor, named: path)
        } catch { guard Fault.ignoreFailedSync.isOn else { throw error } }
    }

    static func directory(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }
}
