package import Foundation
internal import Synchronization
internal import ThrongPlan

/// The folder in which a daemon keeps what must survive it. One daemon holds it at a time.
///
/// `daemon.id` names this daemon in PostgreSQL, with a CRC-32C: another name would count everything again · `lock` ·
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
            daemon = try Self.name(in: path + "/daemon.id", on: machine)
        } catch {
            disk.unlock(descriptor)
            throw error
        }
        lock = Mutex(descriptor)
    }

    /// The daemon's name; chosen and kept on first sight.
    private static func name(in file: String, on machine: Machine) throws(JournalError) -> UUID {
        let disk = machine.disk
        guard disk.exists(file) else {
            let name = machine.name()
            try disk.replace(file, with: Array(line(of: name).utf8))
            return name
        }
        let text = String(decoding: try disk.contents(file), as: UTF8.self)
        // Without a checksum it was written by an earlier version.
        guard let name = UUID(uuidString: String(text.prefix(36))), text.utf8.count == 36 || text == line(of: name)
        else {
            throw .unknownFormat(file: file)
        }
        return name
    }

    private static func line(of daemon: UUID) -> String {
        "\(daemon.uuidString) \(String(CRC32C.checksum(Array(daemon.uuidString.utf8)), radix: 16))\n"
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
    package func attachment() throws(JournalError) -> Int64? {
        guard disk.exists(attachmentPath) else { return nil }
        let text = String(decoding: try disk.contents(attachmentPath), as: UTF8.self)
        guard let fence = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw .unknownFormat(file: attachmentPath)
        }
        return fence
    }

    /// Notes a fence, on disk, before it is used: whoever finds a higher one in PostgreSQL has a copy of the folder that
    /// is not the last.
    package func note(attachment fence: Int64) throws(JournalError) {
        try disk.replace(attachmentPath, with: Array("\(fence)\n".utf8))
    }

    /// Who counted with this daemon, as far as it has heard; nil where it never heard anything.
    package func members() throws(JournalError) -> [UInt8]? {
        disk.exists(membersPath) ? try disk.contents(membersPath) : nil
    }

    /// Notes, on disk, who counts with this daemon.
    package func note(members: [UInt8]) throws(JournalError) { try disk.replace(membersPath, with: members) }

    /// Whether others may have been told that this daemon stopped and left nothing behind, and it was not back since.
    package var hasLeft: Bool { disk.exists(leftPath) }

    /// Notes, on disk, that others are about to be told that this daemon stops and leaves nothing behind; or that they know
    /// again that it counts.
    package func note(left: Bool) throws(JournalError) {
        if left {
            try disk.replace(leftPath, with: [])
        } else if hasLeft {
            try disk.remove(leftPath)
        }
    }

    /// Keeps a layout so that the journal can be read without the plan.
    func keep(_ layout: MetricLayout) throws(JournalError) {
        let name = "\(layoutsPath)/\(layout.id).json"
        if !disk.exists(name) { try disk.replace(name, with: Array(layout.json)) }
    }

    /// The layout with that identity.
    func layout(_ id: LayoutID) throws(JournalError) -> MetricLayout { try layout(at: "\(layoutsPath)/\(id).json") }

    /// The layout in a file.
    func layout(at path: String) throws(JournalError) -> MetricLayout {
        let bytes = try disk.contents(path)
        do {
            return try MetricLayout(json: Data(bytes))
        } catch {
            throw .unknownFormat(file: path)
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
