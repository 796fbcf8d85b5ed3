internal import Crypto
internal import Foundation
internal import ThrongReport
internal import ThrongWire

/// Reads a folder that somebody else may have filled: only regular files, and no link is followed.
enum PlainFolder {
    enum Kind {
        case file, folder, link, other, odd

        /// The fault of such an entry in a folder of reports; empty for a file.
        var fault: String {
            switch self {
            case .file: ""
            case .folder: "is a folder: run `throng verify` on it by itself, and move it elsewhere"
            case .link: "is a symbolic link, which no report has"
            case .other: "is neither a file nor a folder"
            case .odd: "has a name that no report's file has"
            }
        }
    }

    static func sync(_ folder: String) throws(ReportError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .last("fsync", folder) }
    }

    /// Returns the entries of a folder, but the ignored one, by their plain names. A file of another real name is odd.
    static func entries(of folder: String, ignoring ignored: String? = nil) throws(ReportError) -> [String: Kind] {
        guard let listing = opendir(folder) else { throw .system(call: "opendir", path: folder, code: errno) }
        defer { closedir(listing) }
        var kinds: [String: Kind] = [:]
        while let entry = readdir(listing) {
            var facts = stat()
            let (bytes, code) = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    let code = fstatat(dirfd(listing), name, &facts, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno
                    return (UnsafeBufferPointer(start: name, count: strlen(name)).map(UInt8.init(bitPattern:)), code)
                }
            }
            let name = String(plainly: bytes)
            guard name != ".", name != ".." else { continue }
            guard code == 0 else { throw .system(call: "lstat", path: folder + "/" + name, code: code) }
            kinds[name] =
                switch facts.st_mode & S_IFMT {
                case S_IFREG where !name.utf8.elementsEqual(bytes): .odd
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .link
                default: .other
                }
        }
        if let ignored {
            let name = String(ignored.split(separator: "/").last ?? "")
            if canonical(ignored) == canonical(folder + "/" + name) { kinds[String(plainly: name.utf8)] = nil }
        }
        return kinds
    }

    private static func canonical(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// A regular file's bytes; nil where it is none, or larger.
    static func contents(_ path: String, atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        let isRead = read(path) { chunk in
            bytes += chunk
            return bytes.count <= limit
        }
        return isRead ? bytes : nil
    }

    static func digest(_ path: String) -> (size: Int, sha256: String)? {
        var hash = SHA256()
        var size = 0
        let isRead = read(path) { chunk in
            hash.update(data: chunk)
            size += chunk.count
            return true
        }
        return isRead ? (size, hash.finalize().lowerHex) : nil
    }

    private static func read(_ path: String, _ take: ([UInt8]) -> Bool) -> Bool {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
        do {
            while let chunk = try handle.read(upToCount: 1 << 20), !chunk.isEmpty {
                guard take(Array(chunk)) else { return false }
            }
            return true
        } catch {
            // A file that can't be read to its end can't be vouched for.
            return false
        }
    }
}
