internal import Foundation
package import ThrongReport

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
            if file.isManifest { try PlainFolder.sync(path) }
            let draft = drafts.path + "/" + file.name
            do throws(ReportError) {
                try write(file, to: draft)
                guard rename(draft, place(of: file)) == 0 else { throw .last("rename", place(of: file)) }
            } catch {
                unlink(draft)
                throw error
            }
        }
        try PlainFolder.sync(path)
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

    private func write(_ file: ReportFile, to draft: String) throws(ReportError) {
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last("open", draft) }
        defer { close(descriptor) }
        var rest = file.contents[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                guard errno == EINTR else { throw .last("write", draft) }
                continue
            }
            rest = rest.dropFirst(written)
        }
        // The umask has no say in what partners may read.
        guard fchmod(descriptor, 0o644) == 0 else { throw .last("fchmod", draft) }
        guard fsync(descriptor) == 0 else { throw .last("fsync", draft) }
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
