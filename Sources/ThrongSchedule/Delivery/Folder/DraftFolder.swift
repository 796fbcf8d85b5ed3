internal import Foundation
internal import ThrongReport

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
