internal import Crypto
internal import Foundation
package import ThrongPlan
package import ThrongReport
package import ThrongStore
internal import ThrongSystem

/// A folder that reports are delivered to.
///
/// Each file appears whole or not at all: it is written into a temporary folder inside the target, flushed to disk,
/// and renamed. What a killed process left in such a folder goes with the next delivery. A file that is already there
/// with the same bytes is left as it is, so a delivery may be repeated. A name is never followed through a symbolic
/// link; a link in the way is replaced by the file. A manifest goes before anything that it vouches for changes, and
/// comes last: who sees it sees all of its report.
package struct ReportFolder: Sendable, Hashable {
    package let path: String

    /// Names a folder; it is created with its parents when the first file comes.
    package init(path: String) { self.path = path }

    /// The folder that a plan's delivery names; relative paths begin in the data directory.
    package init(named path: String, in base: String) {
        self.init(path: path.hasPrefix("/") ? path : "\(base)/\(path)")
    }

    /// Delivers files; each gets permission 0644.
    ///
    /// Blocks on the disk: call it where that does no harm.
    /// - Returns: the paths of the files, in their order.
    /// - Throws: ``ReportError/system(call:path:code:)``; files before the failing one are delivered.
    @discardableResult package func deliver(_ files: ReportFiles) throws(ReportError) -> [String] {
        try create(path)
        DraftFolder.sweep(path)
        let waiting = files.all.filter { !holds($0) }
        guard !waiting.isEmpty else { return files.all.map(place) }
        let drafts = try DraftFolder(in: path)
        for file in files.all where file.isManifest && unlink(place(of: file)) == 0 { try PlainFolder.sync(path) }
        for file in files.all where file.isManifest || waiting.contains(file) {
            do throws(FileFault) {
                let new = try NewFile(place(of: file), draft: drafts.path + "/" + file.name)
                try new.write(file.contents)
                // The umask has no say in what partners may read.
                try new.allow(0o644)
                try new.finish(replacing: true)
            } catch { throw .system(call: error.parts.call, path: error.parts.file, code: error.parts.code) }
        }
        return files.all.map(place)
    }

    private func place(of file: ReportFile) -> String { path + "/" + file.name }

    private func create(_ folder: String) throws(ReportError) {
        if mkdir(folder, 0o755) == 0 || errno == EEXIST { return }
        let parent = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard errno == ENOENT, !parent.isEmpty, parent != folder else { throw .last("mkdir", folder) }
        try create(parent)
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw .last("mkdir", folder) }
    }

    /// True if the file is there, a regular one, readable by all and with these bytes.
    private func holds(_ file: ReportFile) -> Bool {
        let descriptor = open(place(of: file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o777 == 0o644,
            facts.st_size == file.contents.count
        else { return false }
        var place = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while place < file.contents.count {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0, place + count <= file.contents.count,
                buffer[..<count].elementsEqual(file.contents[place..<place + count])
            else { return false }
            place += count
        }
        return true
    }
}

extension ReportError {
    static func last(_ call: String, _ path: String) -> ReportError { .system(call: call, path: path, code: errno) }
}

/// A hidden folder inside the target in which files are written before they are renamed into place.
///
/// Its maker locks it until it is done: one that nobody has locked was left by a process that was killed, and goes with
/// the next delivery. Where folders can't be locked, none is ever taken for such a one.
struct DraftFolder: ~Copyable {
    let path: String
    private let descriptor: Int32

    private static let prefix = ".throng-delivery-"

    init(in target: String) throws(ReportError) {
        while true {
            var template = Array((target + "/" + Self.prefix + "XXXXXX").utf8CString)
            guard mkdtemp(&template) != nil else { throw .last("mkdtemp", target) }
            let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // Somebody else's sweep may take it away, or hold it, until it is locked.
            guard let descriptor = Self.descriptor(of: made) else {
                guard errno == ENOENT else { throw .last("open", made) }
                continue
            }
            let isTaken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
            guard !isTaken, Self.isThere(made, descriptor) else {
                close(descriptor)
                continue
            }
            path = made
            self.descriptor = descriptor
            return
        }
    }

    deinit {
        rmdir(path)
        close(descriptor)
    }

    /// Removes what killed processes left in a folder.
    static func sweep(_ target: String) {
        for name in names(in: target) where name.hasPrefix(prefix) {
            let path = target + "/" + name
            guard let descriptor = descriptor(of: path) else { continue }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            for draft in names(in: path) { unlinkat(descriptor, draft, 0) }
            rmdir(path)
        }
    }

    private static func descriptor(of path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return descriptor < 0 ? nil : descriptor
    }

    private static func isThere(_ path: String, _ descriptor: Int32) -> Bool {
        var named = stat()
        var held = stat()
        return lstat(path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
            && named.st_dev == held.st_dev
    }

    private static func names(in folder: String) -> [String] {
        // A folder that can't be listed is swept by the next delivery.
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}

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

/// Takes reports that are kept no longer from the folders that they were delivered to on this machine.
package struct CopyRetention: Sendable {
    let store: RetentionStore
    /// The folder in which relative paths of deliveries begin.
    let folder: String

    package struct Outcome: Sendable, Hashable {
        package var files = 0
        /// Folders that are not here, or could not be emptied, and why.
        package var left: [String: String] = [:]
        /// The apps of which it can't be told what is due.
        package var troubles: [AppTrouble] = []

        package init() {}
    }

    package init(store: RetentionStore, folder: String) { (self.store, self.folder) = (store, folder) }

    /// Removes what is due by the plans in force. What can't be reached is tried again by the next round.
    package func remove(_ plans: [Plan], now: UnixSeconds) async throws -> Outcome {
        var outcome = Outcome()
        let due = try await store.agedCopies(plans, now: now)
        outcome.troubles = due.troubles
        for copy in due.copies {
            guard case .folder(let path)? = Delivery(target: copy.target, authorization: nil) else { continue }
            let copies = DeliveredCopies(
                folder: ReportFolder(named: path, in: folder).path,
                stems: [ReportFile.stem(report: copy.run.report.text, period: copy.label)])
            guard copies.isHere else {
                outcome.left[copies.folder] = "there is no such folder on this machine"
                continue
            }
            do {
                // An empty folder tells that nothing is left in it; one that is away tells nothing.
                let files = try await onOwnThread { try copies.remove(takingFolder: false) }
                try await store.wasRemoved(copy, files: files)
                outcome.files += files
            } catch let error as ReportError { outcome.left[copies.folder] = "\(error)" }
        }
        return outcome
    }
}

/// Files of reports in a folder that they were delivered to.
package struct DeliveredCopies: Sendable, Hashable {
    package let folder: String
    /// The beginnings of the files' names, up to the first dot, or a drawing's insight.
    package let stems: Set<String>

    package init(folder: String, stems: Set<String>) { (self.folder, self.stems) = (folder, stems) }

    package var isHere: Bool {
        var facts = stat()
        return stat(folder, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Takes the files out, manifests first: nothing then vouches for what is left. No link is followed. Files before a
    /// failing one are gone. The folder may go, too, where it is empty then.
    package func remove(takingFolder: Bool) throws(ReportError) -> Int {
        let names = try PlainFolder.entries(of: folder).filter { $0.value == .file && isOfThem($0.key) }.keys
        for name in names.sorted(by: { (isManifest($0) ? 0 : 1, $0) < (isManifest($1) ? 0 : 1, $1) }) {
            let path = folder + "/" + name
            guard unlink(path) == 0 || errno == ENOENT else { throw .last("unlink", path) }
        }
        if !names.isEmpty { try PlainFolder.sync(folder) }
        // One that holds something else stays.
        if takingFolder { rmdir(folder) }
        return names.count
    }

    private func isOfThem(_ name: String) -> Bool {
        ReportFile.isName(name)
            && stems.contains { name.hasPrefix($0 + ".") || ReportFile.insight(in: name, behind: $0) != nil }
    }

    private func isManifest(_ name: String) -> Bool { name.hasSuffix(ReportFile.manifestEnding) }
}
