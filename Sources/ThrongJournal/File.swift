internal import Foundation
internal import ThrongFaults

/// An open file by its descriptor; closes with its owner.
struct File: ~Copyable {
    let descriptor: Int32
    let path: String

    init(_ path: String, flags: Int32, mode: mode_t = 0o600) throws(JournalError) {
        descriptor = open(path, flags | O_CLOEXEC, mode)
        self.path = path
        guard descriptor >= 0 else { throw .system(call: "open", file: path, code: errno) }
    }

    deinit { close(descriptor) }

    /// Writes everything, over as many calls as it takes.
    func write(_ bytes: [UInt8]) throws(JournalError) {
        var offset = 0
        try write(bytes, from: &offset)
    }

    /// Writes everything from an offset on, which moves along with what is written.
    func write(_ bytes: [UInt8], from offset: inout Int) throws(JournalError) {
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw .system(call: "write", file: path, code: errno)
            }
            offset += written
        }
    }

    /// Waits until what was written is on disk. After a failure nothing may be assumed and nothing is retried: the
    /// kernel may have dropped the pages and report success the second time.
    func sync() throws(JournalError) {
        guard fdatasync(descriptor) == 0 || Fault.ignoreFailedSync.isOn else {
            throw .system(call: "fdatasync", file: path, code: errno)
        }
    }

    /// Makes the names in a directory durable.
    static func syncDirectory(_ path: String) throws(JournalError) {
        let directory = try File(path, flags: O_RDONLY | O_DIRECTORY)
        guard fsync(directory.descriptor) == 0 || Fault.ignoreFailedSync.isOn else {
            throw .system(call: "fsync", file: path, code: errno)
        }
    }

    static func contents(_ path: String) throws(JournalError) -> [UInt8] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(call: "stat", file: path, code: errno) }
        return try contents(path, from: 0, count: Int(status.st_size))
    }

    /// So many bytes from an offset on, or fewer where the file ends.
    static func contents(_ path: String, from start: Int, count: Int) throws(JournalError) -> [UInt8] {
        let file = try File(path, flags: O_RDONLY)
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, offset in
            while offset < count {
                let more = Foundation.pread(
                    file.descriptor, buffer.baseAddress.map { $0 + offset }, count - offset, off_t(start + offset))
                if more < 0, errno == EINTR { continue }
                if more < 0 { code = errno }
                if more <= 0 { break }
                offset += more
            }
        }
        guard code == 0 else { throw .system(call: "read", file: path, code: code) }
        return bytes
    }

    /// Puts a small file in place as a whole: beside it first, synced, then renamed.
    static func replace(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let beside = try place(bytes, beside: path)
        guard rename(beside, path) == 0 else { throw .system(call: "rename", file: path, code: errno) }
        try syncDirectory(directory(of: path))
    }

    /// Puts a small file in place as a whole, where nobody has put one.
    ///
    /// - Throws: `EEXIST` where there is one.
    static func create(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let beside = try place(bytes, beside: path)
        let code = link(beside, path) == 0 ? 0 : errno
        unlink(beside)
        guard code == 0 else { throw .system(call: "link", file: path, code: code) }
        try syncDirectory(directory(of: path))
    }

    /// Writes a small file that is not in place yet, and returns its path.
    private static func place(_ bytes: [UInt8], beside path: String) throws(JournalError) -> String {
        let beside = path + ".new"
        do throws(JournalError) {
            let file = try File(beside, flags: O_WRONLY | O_CREAT | O_TRUNC)
            try file.write(bytes)
            try file.sync()
        } catch {
            // Half a file would keep the space that the next try needs.
            unlink(beside)
            throw error
        }
        return beside
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes sure that what can be read of a file is on disk: another process may have written it and not synced it, or a
    /// sync of it may have failed and left pages in memory that no later sync would write.
    static func secure(_ path: String) throws(JournalError) { try replace(path, with: contents(path)) }

    static func makeDirectory(_ path: String) throws(JournalError) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system(call: "mkdir", file: path, code: errno)
        }
    }

    static func remove(_ path: String) throws(JournalError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .system(call: "unlink", file: path, code: errno) }
    }

    /// The names in a directory, sorted.
    static func names(in directory: String) throws(JournalError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        } catch {
            throw .system(call: "readdir", file: directory, code: errno)
        }
    }

    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
}
