internal import Foundation

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
    func contents(_ path: String) throws(JournalError) -> [UInt8] {
        try contents(path, from: 0, count: size(of: path))
    }

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
        do {
            try makeDirectory(path)
        } catch {
            guard case .system(_, _, EEXIST) = error else { throw error }
        }
    }

    /// Removes a name unless it is gone.
    func remove(_ path: String) throws(JournalError) {
        do {
            try unlink(path)
        } catch {
            guard case .system(_, _, ENOENT) = error else { throw error }
        }
    }

    func names(in directory: String) throws(JournalError) -> [String] { try list(directory).sorted() }
}
