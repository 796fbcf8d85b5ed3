package import Foundation
internal import Synchronization
internal import ThrongFiles
package import ThrongPlan

/// The folder in which a daemon keeps what must survive it. One daemon holds it at a time.
///
/// Small files are ``KeptFile``s: each says what it is and whose, and has a checksum. `daemon.id` names this daemon in PostgreSQL,
/// as a UUID and a line break: another name would count everything again · `lock` ·
/// `journal/` segments · `windows/` one key a window · `windows.closed` which are over for good · `oblivious/` one key a day ·
/// `gateway.secret` what vouches for these · `credentials/` one key a month · `issued/` how many credentials a device has got in
/// it · `layouts/` what the journal's cells mean, as JSON by identity · `flushed/` what PostgreSQL got last · `offered` how far
/// it may have come · `checkpoint` what is known of open windows · `attachment` how this folder last attached to PostgreSQL ·
/// `members` who counts with it · `plans/` what is counted by.
package final class DataDirectory: Sendable {
    /// Its absolute path, without a slash at the end.
    package let path: String
    /// This daemon's random name: 16 bytes.
    package let daemon: UUID
    /// What it lies on.
    package let machine: Machine
    /// What holds the lock; nil once it was given back.
    private let lock: Mutex<Int32?>
    /// What was damaged and is not needed: see ``onDamage(_:)``.
    let damages = Mutex(Damages())

    /// Where its files are.
    var disk: any Disk { machine.disk }
    var journalPath: String { path + "/journal" }
    var windowsPath: String { path + "/windows" }
    var closedWindowsPath: String { path + "/windows.closed" }
    var layoutsPath: String { path + "/layouts" }
    var flushedPath: String { path + "/flushed" }
    var offeredPath: String { path + "/offered" }
    private var membersPath: String { path + "/members" }
    private var leftPath: String { path + "/left" }
    var checkpointPath: String { path + "/checkpoint" }
    private var attachmentPath: String { path + "/attachment" }

    /// Opens the folder, making it on first sight, and locks it.
    ///
    /// - Throws: ``JournalError/inUse(directory:)`` where another process holds it;
    ///   ``JournalError/untrusted(directory:found:)`` where others may change it; system errors.
    package convenience init(path: String) throws(JournalError) {
        let isNew = !FileManager.default.fileExists(atPath: path)
        try Self.checkTrust(in: path)
        try Self.make(path)
        if isNew { try SystemDisk.shared.syncDirectory(File.directory(of: path)) }
        try self.init(path: path, on: .real)
    }

    /// Opens a folder that is there.
    package init(path: String, on machine: Machine) throws(JournalError) {
        self.path = path
        self.machine = machine
        let disk = machine.disk
        guard let descriptor = try disk.lock(path + "/lock") else { throw .inUse(directory: path) }
        do throws(JournalError) {
            for folder in ["journal", "windows", "layouts"] { try disk.ensureDirectory(path + "/" + folder) }
            daemon = try Self.name(in: path, on: machine)
        } catch {
            disk.unlock(descriptor)
            throw error
        }
        lock = Mutex(descriptor)
    }

    /// The daemon's name; chosen and kept on first sight.
    private static func name(in folder: String, on machine: Machine) throws(JournalError) -> UUID {
        let disk = machine.disk
        let file = folder + "/daemon.id"
        guard disk.exists(file) else {
            // What a lost name belongs to would be counted again under another.
            guard try !disk.list(folder + "/journal").contains(where: { $0.hasSuffix(".journal") }) else {
                throw .damagedFile(FileDamage(path: file, kind: .daemonName, flaw: .missing))
            }
            let name = machine.name()
            try disk.keep(Array("\(name.uuidString)\n".utf8), at: file, as: .daemonName)
            return name
        }
        let text = String(decoding: try disk.kept(at: file, as: .daemonName), as: UTF8.self)
        guard text.utf8.count == 37, text.hasSuffix("\n"), let name = UUID(uuidString: String(text.dropLast())) else {
            throw .damagedFile(FileDamage(path: file, kind: .daemonName, flaw: .content))
        }
        return name
    }

    /// Makes a folder of it hold these files and no others, each replaced as a whole, in this order.
    package func keep(_ files: [(name: String, contents: [UInt8])], in folder: String) throws(JournalError) {
        let folder = path + "/" + folder
        try disk.ensureDirectory(folder)
        for name in try disk.list(folder) where !files.contains(where: { $0.name == name }) {
            try disk.remove(folder + "/" + name)
        }
        for file in files { try disk.replace(folder + "/" + file.name, with: file.contents) }
    }

    /// Whether a process holds the folder.
    package static func isHeld(_ path: String) -> Bool {
        let file = path + "/lock"
        guard FileManager.default.fileExists(atPath: file) else { return false }
        do {
            guard let descriptor = try SystemDisk.shared.lock(file) else { return true }
            SystemDisk.shared.unlock(descriptor)
            return false
        } catch {
            return false
        }
    }

    deinit { unlock() }

    /// Gives the folder back before this object goes: from now on another daemon may take it.
    package func unlock() {
        lock.withLock { descriptor in
            guard let held = descriptor else { return }
            disk.unlock(held)
            descriptor = nil
        }
    }

    /// What names the lock that this process holds: whoever holds the same lock later knows that this process is gone.
    /// Nil where the system does not say, or the lock was given back.
    package var holder: String? { lock.withLock { $0.flatMap { disk.name(ofLock: $0) } } }

    /// The highest fence under which this folder has attached to PostgreSQL, or has tried to; nil for none.
    ///
    /// - Throws: ``JournalError/damagedFile(_:)``: then nobody knows whether this folder is the last copy of it.
    package func attachment() throws(JournalError) -> Int64? {
        guard disk.exists(attachmentPath) else { return nil }
        let content = try disk.kept(at: attachmentPath, as: .attachment, of: daemon)
        guard let fence = Int64(String(decoding: content, as: UTF8.self).dropLast()) else {
            throw .damagedFile(FileDamage(path: attachmentPath, kind: .attachment, flaw: .content))
        }
        return fence
    }

    /// Whether a daemon has attached from this folder, or has tried to: then what its first start makes is there, or was lost.
    package var hasAttached: Bool { disk.exists(attachmentPath) }

    /// Notes a fence, on disk, before it is used: whoever finds a higher one in PostgreSQL has a copy of the folder that
    /// is not the last.
    package func note(attachment fence: Int64) throws(JournalError) {
        try disk.keep(Array("\(fence)\n".utf8), at: attachmentPath, as: .attachment, of: daemon)
    }

    /// Who counted with this daemon, as far as it has heard; nil where it never heard anything, or can't tell any more.
    ///
    /// - Parameter read: makes something of what was noted; nil where it can't.
    package func members<Value>(_ read: ([UInt8]) -> Value?) throws(JournalError) -> Value? {
        try spared(membersPath, as: .members) { content throws(JournalError) in
            guard let value = read(content) else {
                throw .damagedFile(FileDamage(path: membersPath, kind: .members, flaw: .content))
            }
            return value
        }
    }

    /// Notes, on disk, who counts with this daemon.
    package func note(members: [UInt8]) throws(JournalError) {
        try disk.keep(members, at: membersPath, as: .members, of: daemon)
    }

    /// Whether others may have been told that this daemon stopped and left nothing behind, and it was not back since.
    package var hasLeft: Bool { disk.exists(leftPath) }

    /// Notes, on disk, that others are about to be told that this daemon stops and leaves nothing behind; or that they know
    /// again that it counts.
    package func note(left: Bool) throws(JournalError) {
        if left {
            try disk.keep([], at: leftPath, as: .left, of: daemon)
        } else if hasLeft {
            // That it is there says it, whatever became of what is in it.
            _ = try spared(leftPath, as: .left) { _ in () }
            try disk.remove(leftPath)
        }
    }

    /// Keeps a layout so that the journal can be read without the plan.
    func keep(_ layout: MetricLayout) throws(JournalError) {
        let name = layoutPath(layout.id)
        if !disk.exists(name) { try disk.keep(Array(layout.json), at: name, as: .layout) }
    }

    /// Has damaged layouts set aside and written anew, as far as a plan knows them.
    package func mend(_ layouts: [MetricLayout]) throws(JournalError) {
        for layout in layouts where disk.exists(layoutPath(layout.id)) {
            do throws(JournalError) {
                _ = try self.layout(layout.id)
            } catch {
                try spare(error)
                try keep(layout)
            }
        }
    }

    private func layoutPath(_ id: LayoutID) -> String { "\(layoutsPath)/\(id).layout" }

    /// The layout with that identity.
    func layout(_ id: LayoutID) throws(JournalError) -> MetricLayout {
        let path = layoutPath(id)
        guard disk.exists(path) else { throw .damagedFile(FileDamage(path: path, kind: .layout, flaw: .missing)) }
        let layout = try layout(at: path)
        guard layout.id == id else {
            throw .damagedFile(FileDamage(path: path, kind: .layout, flaw: .misplaced(name: layoutPath(layout.id))))
        }
        return layout
    }

    /// The layout in a file.
    func layout(at path: String) throws(JournalError) -> MetricLayout {
        let content = try disk.kept(at: path, as: .layout)
        do {
            return try MetricLayout(json: Data(content))
        } catch {
            throw .damagedFile(FileDamage(path: path, kind: .layout, flaw: .content))
        }
    }
}

extension DataDirectory {
    /// What is free for this process on its disk, and how large that is; nil where the system does not say. Unit: bytes.
    package var space: (free: Int, size: Int)? { disk.space(at: path) }

    /// What is free for this process on the disk of a directory, and how large that is; nil where the system does not say.
    ///
    /// - Unit: bytes.
    package static func space(at path: String) -> (free: Int, size: Int)? {
        SystemDisk.shared.space(at: path)
    }

    /// Whether a small file can be written where a data directory is, or is to be: false only for want of space.
    package static func hasSpace(at path: String) -> Bool {
        var folder = path
        while !SystemDisk.shared.exists(folder), folder.contains("/"), folder != "." {
            folder = File.directory(of: folder)
        }
        let probe = "\(folder.isEmpty ? "/" : folder)/.space-\(getpid())"
        defer { unlink(probe) }
        do throws(JournalError) {
            try File(probe, flags: O_WRONLY | O_CREAT | O_TRUNC, on: SystemDisk.shared).write(
                [UInt8](repeating: 1, count: 4096))
            return true
        } catch {
            return !error.isWantOfSpace
        }
    }
}
