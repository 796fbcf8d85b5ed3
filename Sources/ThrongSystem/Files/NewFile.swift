internal import Foundation

/// The error of a file that can't be written.
package enum FileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A system call failed, with this `errno`.
    case system(call: String, file: String, code: Int32)

    /// The fault of the call that failed last.
    fileprivate init(_ call: String, _ file: String) { self = .system(call: call, file: file, code: errno) }

    package var code: Int32 {
        switch self {
        case .system(_, _, let code): code
        }
    }

    package var description: String {
        switch self {
        case .system(let call, let file, let code): "\(call) failed on \(file): \(String(cString: strerror(code)))."
        }
    }
}

/// A new file for its owner only, which gets its name only when it is whole and on disk. Every call blocks.
package final class NewFile {
    private let path: String
    private let draft: String
    private let descriptor: Int32
    private var isWhole = false

    private var folder: String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Creates the file under the name of a draft, in the place of one that was left unfinished.
    ///
    /// - Parameter draft: by default `….part`; several that may write at once need a name each.
    package init(_ path: String, draft: String? = nil) throws(FileFault) {
        let draft = draft ?? path + ".part"
        (self.path, self.draft) = (path, draft)
        unlink(draft)
        descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFault("open", draft) }
    }

    deinit {
        close(descriptor)
        if !isWhole { unlink(draft) }
    }

    package func write(_ bytes: [UInt8]) throws(FileFault) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFault("write", draft) }
            offset += count
        }
    }

    /// Sets who may read it, whatever the process's mask.
    package func allow(_ mode: UInt32) throws(FileFault) {
        guard fchmod(descriptor, mode) == 0 else { throw FileFault("fchmod", draft) }
    }

    /// Gives a file that root makes to the owner of its folder, as whom a daemon has to read it.
    package func giveToOwnerOfFolder() throws(FileFault) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        guard stat(folder, &facts) == 0 else { throw FileFault("stat", folder) }
        guard facts.st_uid == 0 || fchown(descriptor, facts.st_uid, facts.st_gid) == 0 else {
            throw FileFault("fchown", draft)
        }
    }

    /// Gives the file its name once it is on disk; fails with `EEXIST` if another has it that is not to be replaced.
    package func finish(replacing: Bool = false) throws(FileFault) {
        guard fsync(descriptor) == 0 else { throw FileFault("fsync", draft) }
        FaultPoint.reached("before_file_named")
        if replacing {
            guard rename(draft, path) == 0 else { throw FileFault("rename", path) }
        } else {
            guard link(draft, path) == 0 else { throw FileFault("link", path) }
            unlink(draft)
        }
        isWhole = true
        let names = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard names >= 0 else { throw FileFault("open", folder) }
        defer { close(names) }
        guard fsync(names) == 0 else { throw FileFault("fsync", folder) }
    }

    /// Gives the file its name in the place of an older one, which is overwritten: it may hold what was deleted since.
    package func finishOver() throws(FileFault) {
        let old = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard old >= 0 || errno == ENOENT else { throw FileFault("open", path) }
        defer { close(old) }
        try finish(replacing: true)
        guard old >= 0 else { return }
        var facts = stat()
        guard fstat(old, &facts) == 0 else { throw FileFault("fstat", path) }
        let blank = [UInt8](repeating: 0, count: Int(facts.st_size))
        guard pwrite(old, blank, blank.count, 0) == blank.count, fsync(old) == 0 else { throw FileFault("write", path) }
    }
}
