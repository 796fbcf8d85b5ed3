internal import Foundation

/// The files of a data directory, as far as the journal uses a file system; ``SystemDisk`` is the one that the system has.
///
/// Files are named by absolute paths, open ones by small numbers. Every function throws ``JournalError/system(call:file:code:)``
/// with the code that Linux would give.
package protocol Disk: Sendable {
    /// Opens a file or a directory.
    ///
    /// - Parameter flags: of `O_RDONLY`, `O_WRONLY`, `O_APPEND`, `O_CREAT`, `O_TRUNC` and `O_DIRECTORY`.
    func open(_ path: String, flags: Int32) throws(JournalError) -> Int32
    /// Closes an open file.
    func close(_ file: Int32)
    /// Writes bytes from a place in them on; returns how many of them, which may be fewer than there are.
    func write(_ bytes: [UInt8], from start: Int, to file: Int32, named path: String) throws(JournalError) -> Int
    /// So many bytes from an offset on, or fewer where the file ends.
    func read(_ file: Int32, named path: String, from start: Int, count: Int) throws(JournalError) -> [UInt8]
    /// Cuts an open file off. Unit: bytes.
    func truncate(_ file: Int32, named path: String, to size: Int) throws(JournalError)
    /// Returns once what was written to a file is on disk.
    func sync(_ file: Int32, named path: String) throws(JournalError)
    /// Returns once the names in an open directory are on disk.
    func syncDirectory(_ file: Int32, named path: String) throws(JournalError)
    /// Puts a file in the place of another, or where none is.
    func rename(_ path: String, to other: String) throws(JournalError)
    /// Gives a file a second name; `EEXIST` where that is taken.
    func link(_ path: String, to other: String) throws(JournalError)
    /// Takes a name away; `ENOENT` where there is none.
    func unlink(_ path: String) throws(JournalError)
    /// Makes a directory; `EEXIST` where there is one.
    func makeDirectory(_ path: String) throws(JournalError)
    /// The names in a directory, in any order.
    func list(_ directory: String) throws(JournalError) -> [String]
    /// Unit: bytes.
    func size(of path: String) throws(JournalError) -> Int
    /// Whether a name is there.
    func exists(_ path: String) -> Bool
    /// What is free for this process on the disk of a directory, and how large that is; nil where the system does not say.
    /// Unit: bytes.
    func space(at path: String) -> (free: Int, size: Int)?
    /// Locks a file, made where it is missing, against other processes; nil where one of them has it. The lock goes with
    /// ``unlock(_:)`` or the process.
    func lock(_ path: String) throws(JournalError) -> Int32?
    /// Gives a lock back.
    func unlock(_ lock: Int32)
    /// What tells a lock that is held from all others, also those of a copy of the file or on another machine; nil where the
    /// system does not say.
    func name(ofLock lock: Int32) -> String?
}

extension Disk {
    func contents(_ path: String) throws(JournalError) -> [UInt8] {
        try contents(path, from: 0, count: size(of: path))
    }

    /// So many bytes from an offset on, or fewer where the file ends.
    func contents(_ path: String, from start: Int, count: Int) throws(JournalError) -> [UInt8] {
        let file = try File(path, flags: O_RDONLY, on: self)
        return try read(file.descriptor, named: path, from: start, count: count)
    }

    /// Puts a small file in place as a whole: beside it first, synced, then renamed.
    func replace(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let beside = try place(bytes, beside: path)
        try rename(beside, to: path)
        try syncDirectory(File.directory(of: path))
    }

    /// Puts a small file in place as a whole, where nobody has put one.
    ///
    /// - Throws: `EEXIST` where there is one.
    func create(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let beside = try place(bytes, beside: path)
        let linking = Result { () throws(JournalError) in try link(beside, to: path) }
        discard(beside)
        try linking.get()
        try syncDirectory(File.directory(of: path))
    }

    /// Writes a small file that is not in place yet, and returns its path.
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

    /// Takes away what was not put in place; where that fails, the next try writes over it.
    private func discard(_ path: String) { _ = Result { () throws(JournalError) in try unlink(path) } }

    /// Makes sure that what can be read of a file is on disk: another process may have written it and not synced it, or a
    /// sync of it may have failed and left pages in memory that no later sync would write.
    func secure(_ path: String) throws(JournalError) { try replace(path, with: contents(path)) }

    /// Makes the names in a directory durable.
    func syncDirectory(_ path: String) throws(JournalError) {
        let directory = try File(path, flags: O_RDONLY | O_DIRECTORY, on: self)
        try directory.syncNames()
    }

    /// Makes a directory that may be there.
    func ensureDirectory(_ path: String) throws(JournalError) {
        do {
            try makeDirectory(path)
        } catch {
            guard case .system(_, _, EEXIST) = error else { throw error }
        }
    }

    /// Takes a name away that may be gone.
    func remove(_ path: String) throws(JournalError) {
        do {
            try unlink(path)
        } catch {
            guard case .system(_, _, ENOENT) = error else { throw error }
        }
    }

    /// The names in a directory, sorted.
    func names(in directory: String) throws(JournalError) -> [String] { try list(directory).sorted() }
}
