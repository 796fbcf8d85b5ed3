internal import Foundation
internal import Synchronization

extension DataDirectory {
    /// A lock on the system's list of users: the C library keeps one place in it per process.
    private static let userList = Mutex(())

    /// Checks that only root and this process's user can change what a path leads to: neither the directory itself, if
    /// it exists, nor any above it may be open to others. A link is trusted as its owner is.
    ///
    /// A directory above it may be one in which everybody may write but only remove their own files, such as /tmp. Or
    /// this process's group may write into it, if it has no other member: container platforms set up volumes so.
    ///
    /// - Parameter path: an absolute path.
    package static func checkTrust(in path: String) throws(JournalError) { try check(path, isLast: true, depth: 0) }

    private static func check(_ path: String, isLast: Bool, depth: Int) throws(JournalError) {
        // The kernel follows as many links.
        guard depth <= 40 else { throw .system(call: "lstat", file: path, code: ELOOP) }
        let parts = path.split(separator: "/").map(String.init)
        for count in 0...parts.count {
            let folder = "/" + parts[..<count].joined(separator: "/")
            var facts = stat()
            guard lstat(folder, &facts) == 0 else {
                // A missing directory is made by this process later.
                if errno == ENOENT { return }
                throw .system(call: "lstat", file: folder, code: errno)
            }
            let isOurs = facts.st_uid == geteuid() || facts.st_uid == 0
            if facts.st_mode & S_IFMT == S_IFLNK {
                guard isOurs else { throw .untrusted(directory: folder, found: .link(facts.st_uid)) }
                let target = try target(of: folder)
                let base =
                    target.hasPrefix("/") ? target : "/" + parts[..<(count - 1)].joined(separator: "/") + "/" + target
                let rest = parts[count...].joined(separator: "/")
                return try check(rest.isEmpty ? base : base + "/" + rest, isLast: isLast, depth: depth + 1)
            }
            guard facts.st_mode & S_IFMT == S_IFDIR else { throw .untrusted(directory: folder, found: .file) }
            let isItself = isLast && count == parts.count
            guard isItself ? facts.st_uid == geteuid() : isOurs else {
                throw .untrusted(directory: folder, found: .owner(facts.st_uid))
            }
            let isOpen =
                facts.st_mode & S_IWOTH != 0
                || (facts.st_mode & S_IWGRP != 0 && (isItself || !isOnlyOurs(group: facts.st_gid)))
            guard !isOpen || (!isItself && facts.st_mode & S_ISVTX != 0) else {
                throw .untrusted(directory: folder, found: .mode(facts.st_mode & 0o7777))
            }
        }
    }

    /// True if a group is this process's and has no other member, according to the system's lists of groups and users.
    private static func isOnlyOurs(group: gid_t) -> Bool {
        guard group == getegid() else { return false }
        return userList.withLock { _ in
            var members: Set<String> = []
            guard let entry = getgrgid(group) else { return false }
            var next = entry.pointee.gr_mem
            while let member = next?.pointee {
                members.insert(String(cString: member))
                next = next?.advanced(by: 1)
            }
            setpwent()
            defer { endpwent() }
            while let user = getpwent() {
                if user.pointee.pw_uid == geteuid() {
                    members.remove(String(cString: user.pointee.pw_name))
                } else if user.pointee.pw_gid == group {
                    return false
                }
            }
            return members.isEmpty
        }
    }

    private static func target(of link: String) throws(JournalError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        guard count >= 0 else { throw .system(call: "readlink", file: link, code: errno) }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Makes a directory and its missing parents, so that only their owner may write into them.
    static func make(_ path: String) throws(JournalError) {
        guard !SystemDisk.shared.exists(path) else { return }
        let parent = File.directory(of: path)
        if !parent.isEmpty, parent != path, parent != "." { try make(parent) }
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .system(call: "mkdir", file: path, code: errno) }
    }
}
