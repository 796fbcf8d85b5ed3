internal import Foundation
internal import Synchronization
package import ThrongIngest
package import ThrongPlan
package import ThrongSystem

extension DataDirectory {
    /// Calls `tell` for every damaged file that counting can do without: for those found already, and for later ones.
    package func onDamage(_ tell: @escaping @Sendable (FileDamage) -> Void) {
        let found = damages.withLock { damages in
            damages.tell = tell
            return damages.found
        }
        for damage in found { tell(damage) }
    }

    /// Renames a damaged file to `….damaged` and reports it. If it holds a secret that must be destroyed some day, it
    /// is overwritten and removed instead, because nobody would remember to.
    package func setAside(_ damage: FileDamage, isSecret: Bool = false) throws(JournalError) {
        if isSecret, let size = try? disk.size(of: damage.path) {
            // A file that can't be overwritten, such as a directory, holds no key that anybody could read.
            do throws(JournalError) {
                try disk.blank(damage.path, with: [UInt8](repeating: 0, count: min(size, 1 << 16)))
                try disk.remove(damage.path)
            } catch { try disk.rename(damage.path, to: damage.path + ".damaged") }
        } else {
            try disk.rename(damage.path, to: damage.path + ".damaged")
        }
        try disk.syncDirectory(File.directory(of: damage.path))
        tell(damage)
    }

    package func tell(_ damage: FileDamage) {
        let tell = damages.withLock { damages in
            damages.found.append(damage)
            return damages.tell
        }
        tell?(damage)
    }

    /// Returns the content of a file that counting can do without; nil if missing, or damaged and now set aside.
    ///
    /// - Parameter read: decodes the content; throws ``JournalError/damagedFile(_:)`` if it can't.
    /// - Throws: system errors; ``JournalError/damagedFile(_:)`` if a newer version wrote the file.
    func spared<Value>(
        _ path: String, as kind: FileKind, _ read: ([UInt8]) throws(JournalError) -> Value
    ) throws(JournalError) -> Value? {
        guard disk.exists(path) else { return nil }
        do throws(JournalError) { return try read(disk.kept(at: path, as: kind, of: daemon)) } catch {
            try spare(error)
            return nil
        }
    }

    /// Sets a damaged file aside; throws any other error.
    func spare(_ error: JournalError, isSecret: Bool = false) throws(JournalError) {
        guard case .damagedFile(let damage) = error else { throw error }
        if case .newer = damage.flaw { throw error }
        try setAside(damage, isSecret: isSecret)
    }

    /// The damage found so far, and the function that reports it.
    struct Damages: Sendable {
        var found: [FileDamage] = []
        var tell: (@Sendable (FileDamage) -> Void)?
    }

    /// Returns the journal's last position.
    ///
    /// It reads the journal as far as its windows' keys exist, and changes nothing.
    /// - Parameter watermark: the position up to which PostgreSQL has everything.
    package func journalEnd(watermark: JournalPosition) throws(JournalError) -> JournalPosition {
        let keys = try KeyRing(self)
        let reader = try JournalReader(self, keys: keys)
        let space = CellSpace(layouts: try reader.layouts())
        return try reader.replay(space: space, flushed: watermark) { _ in }.last
    }

    /// Destroys or removes all that the folder holds of an app: the keys of its windows, the list of its closed
    /// windows, the kept flushes, its plan, its layouts, and the keys of its part of backups. The files of these last
    /// keys stay until ``BackupKeys/forgetDestroyed()``.
    ///
    /// PostgreSQL must have everything that was journalled. The journal's records of other apps stay readable; kept
    /// flushes are of all apps together, and are destroyed. It may be repeated if it was cut short.
    ///
    /// - Returns: the numbers of keys, layouts, bytes of kept flushes, and keys of backups that were destroyed.
    package func forget(_ app: AppName) throws(JournalError) -> Forgotten {
        let keys = try KeyRing(self)
        // The checkpoint names layouts and keys; without it a start only takes longer.
        try Checkpoint.remove(from: self)
        let windows = keys.windows.filter { $0.app == app }
        try keys.destroy(keysOf: windows)
        try keys.forgetClosed(of: app)
        let kept = try KeptFlushes(self)
        let flushedBytes = kept.bytes
        try kept.forget()
        try RunningPlans.forget(app, in: self)
        var layouts = 0
        for name in try disk.names(in: layoutsPath) where name.hasSuffix(".layout") {
            let path = "\(layoutsPath)/\(name)"
            guard try layout(at: path).app == app else { continue }
            // The mark comes first, so that segments that mention the layout can be read without it.
            try disk.keep([], at: Self.gonePath(path), as: .goneLayout)
            try disk.remove(path)
            layouts += 1
        }
        if layouts > 0 { try disk.syncDirectory(layoutsPath) }
        let copies = BackupKeys(dataPath: path, on: machine)
        let backupKeys = try copies.destroy { $0.app == app.text }.values.reduce(0, +)
        return Forgotten(windows: windows.count, layouts: layouts, flushedBytes: flushedBytes, backupKeys: backupKeys)
    }

    /// The amounts of an app's data that the folder held.
    package struct Forgotten: Sendable, Hashable {
        package let windows: Int
        package let layouts: Int
        /// The size of kept flushes, of all apps. Unit: bytes.
        package let flushedBytes: Int
        package let backupKeys: Int
    }

    /// True if a layout was removed with its app.
    func isGone(_ id: LayoutID) -> Bool {
        let path = "\(layoutsPath)/\(id).layout"
        return !disk.exists(path) && disk.exists(Self.gonePath(path))
    }

    private static func gonePath(_ path: String) -> String { path.dropLast(".layout".utf8.count) + ".gone" }

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
