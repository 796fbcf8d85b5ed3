internal import Foundation

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
