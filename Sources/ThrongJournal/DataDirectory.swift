package import Foundation
internal import Synchronization
package import ThrongPlan
internal import ThrongSystem

/// The folder that holds a daemon's lasting state. One daemon holds it at a time.
///
/// Small files are ``KeptFile``s: each has its kind, its daemon and a checksum.
/// - `daemon.id`: this daemon's name in PostgreSQL, as a UUID and a line break; another name would count everything
///   again.
/// - `lock`.
/// - `journal/`: segments.
/// - `windows/`: one key a window.
/// - `windows.closed`: windows that are over for good.
/// - `oblivious/`: one key a day.
/// - `gateway.secret`: the secret that vouches for these.
/// - `credentials/`: one key a month.
/// - `issued/`: the credentials issued to each device in a month.
/// - `layouts/`: the meanings of the journal's cells, as JSON by identity.
/// - `flushed/`: the latest flushes.
/// - `offered`: the position that PostgreSQL may have reached.
/// - `checkpoint`: the state of open windows.
/// - `attachment`: the last attachment of this folder to PostgreSQL.
/// - `members`: the daemons that count with it.
/// - `plans/`: the plans in use.
package final class DataDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    package let path: String
    /// The daemon's random name: 16 bytes.
    package let daemon: UUID
    package let machine: Machine
    /// The descriptor of the lock; nil once it was released.
    private let lock: Mutex<Int32?>
    /// The damage of files that counting can do without: see ``onDamage(_:)``.
    let damages = Mutex(Damages())

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

    /// Opens the folder, which is made if it is missing, and locks it. Nobody else may hold or change it.
    package convenience init(path: String) throws(JournalError) {
        let isNew = !FileManager.default.fileExists(atPath: path)
        try Self.checkTrust(in: path)
        try Self.make(path)
        if isNew { try SystemDisk.shared.syncDirectory(File.directory(of: path)) }
        try self.init(path: path, on: .real)
    }

    package init(path: String, on machine: Machine) throws(JournalError) {
        (self.path, self.machine) = (path, machine)
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

    private static func name(in folder: String, on machine: Machine) throws(JournalError) -> UUID {
        let disk = machine.disk
        let file = folder + "/daemon.id"
        guard disk.exists(file) else {
            // A lost name is an error: under a new one, PostgreSQL would count the journal again.
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

    /// Replaces the content of a subfolder by these files, each as a whole, in this order.
    package func keep(_ files: [(name: String, contents: [UInt8])], in folder: String) throws(JournalError) {
        let folder = path + "/" + folder
        try disk.ensureDirectory(folder)
        for name in try disk.list(folder) where !files.contains(where: { $0.name == name }) {
            try disk.remove(folder + "/" + name)
        }
        for file in files { try disk.replace(folder + "/" + file.name, with: file.contents) }
    }

    package static func isHeld(_ path: String) -> Bool {
        let file = path + "/lock"
        guard FileManager.default.fileExists(atPath: file) else { return false }
        do {
            guard let descriptor = try SystemDisk.shared.lock(file) else { return true }
            SystemDisk.shared.unlock(descriptor)
            return false
        } catch { return false }
    }

    deinit { unlock() }

    /// Releases the folder before this object is deinitialized: another daemon may take it from now on.
    package func unlock() {
        lock.withLock { descriptor in
            guard let held = descriptor else { return }
            disk.unlock(held)
            descriptor = nil
        }
    }

    /// The name of the lock that this process holds: whoever holds the same lock later knows that this process is gone.
    /// Nil if the system has no such name, or the lock was released.
    package var holder: String? { lock.withLock { $0.flatMap { disk.name(ofLock: $0) } } }

    /// Returns the highest fence under which this folder has attached to PostgreSQL, or has tried to; nil for none.
    ///
    /// - Throws: ``JournalError/damagedFile(_:)``: then it is unknown whether this folder is the last copy.
    package func attachment() throws(JournalError) -> Int64? {
        guard disk.exists(attachmentPath) else { return nil }
        let content = try disk.kept(at: attachmentPath, as: .attachment, of: daemon)
        guard let fence = Int64(String(decoding: content, as: UTF8.self).dropLast()) else {
            throw .damagedFile(FileDamage(path: attachmentPath, kind: .attachment, flaw: .content))
        }
        return fence
    }

    /// True if a daemon has attached from this folder, or tried to: files of its first start exist, or were lost.
    package var hasAttached: Bool { disk.exists(attachmentPath) }

    /// Stores a fence, on disk, before its use: whoever finds a higher one in PostgreSQL has an outdated copy.
    package func note(attachment fence: Int64) throws(JournalError) {
        try disk.keep(Array("\(fence)\n".utf8), at: attachmentPath, as: .attachment, of: daemon)
    }

    /// Returns the daemons that count with this one, as last stored; nil if there is no record, or it is damaged.
    package func members<Value>(_ read: ([UInt8]) -> Value?) throws(JournalError) -> Value? {
        try spared(membersPath, as: .members) { content throws(JournalError) in
            guard let value = read(content) else {
                throw .damagedFile(FileDamage(path: membersPath, kind: .members, flaw: .content))
            }
            return value
        }
    }

    /// Stores, on disk, the daemons that count with this one.
    package func note(members: [UInt8]) throws(JournalError) {
        try disk.keep(members, at: membersPath, as: .members, of: daemon)
    }

    /// True if others may have been told that this daemon left with nothing behind, and it has not returned since.
    package var hasLeft: Bool { disk.exists(leftPath) }

    /// Stores, on disk, that others are about to hear that this daemon left nothing behind, or that it counts again.
    package func note(left: Bool) throws(JournalError) {
        if left {
            try disk.keep([], at: leftPath, as: .left, of: daemon)
        } else if hasLeft {
            // The file counts by its existence, even if its content is damaged.
            _ = try spared(leftPath, as: .left) { _ in () }
            try disk.remove(leftPath)
            try disk.syncDirectory(path)
        }
    }

    /// Stores a layout so that the journal can be read without the plan.
    func keep(_ layout: MetricLayout) throws(JournalError) {
        let name = layoutPath(layout.id)
        if !disk.exists(name) { try disk.keep(Array(layout.json), at: name, as: .layout) }
    }

    /// Sets damaged layouts aside, and writes those anew that a plan has.
    package func mend(_ layouts: [MetricLayout]) throws(JournalError) {
        for layout in layouts where disk.exists(layoutPath(layout.id)) {
            do throws(JournalError) { _ = try self.layout(layout.id) } catch {
                try spare(error)
                try keep(layout)
            }
        }
    }

    private func layoutPath(_ id: LayoutID) -> String { "\(layoutsPath)/\(id).layout" }

    func layout(_ id: LayoutID) throws(JournalError) -> MetricLayout {
        let path = layoutPath(id)
        guard disk.exists(path) else { throw .damagedFile(FileDamage(path: path, kind: .layout, flaw: .missing)) }
        let layout = try layout(at: path)
        guard layout.id == id else {
            throw .damagedFile(FileDamage(path: path, kind: .layout, flaw: .misplaced(name: layoutPath(layout.id))))
        }
        return layout
    }

    func layout(at path: String) throws(JournalError) -> MetricLayout {
        let content = try disk.kept(at: path, as: .layout)
        do {
            return try MetricLayout(json: Data(content))
        } catch { throw .damagedFile(FileDamage(path: path, kind: .layout, flaw: .content)) }
    }

    /// The free space for this process on its disk, and the disk's size; nil if the system does not say. Unit: bytes.
    package var space: (free: Int, size: Int)? { disk.space(at: path) }

    /// Returns the free bytes for this process on a directory's disk, and its size; nil if unknown.
    package static func space(at path: String) -> (free: Int, size: Int)? { SystemDisk.shared.space(at: path) }

    /// True if a small file can be written at a data directory, existing or planned; false only for want of space.
    package static func hasSpace(at path: String) -> Bool {
        var folder = path
        while !SystemDisk.shared.exists(folder), folder.contains("/"), folder != "." {
            folder = File.directory(of: folder)
        }
        let probe = "\(folder.isEmpty ? "/" : folder)/.space-\(UUID())"
        defer { unlink(probe) }
        do throws(JournalError) {
            try File(probe, flags: O_WRONLY | O_CREAT | O_EXCL, on: SystemDisk.shared).write(
                [UInt8](repeating: 1, count: 4096))
            return true
        } catch { return !error.isWantOfSpace }
    }
}

/// The right of this process to acknowledge, for a time: another may take its place, on a copy of its data directory.
///
/// The lease is renewed by asking PostgreSQL. It counts from before the question, by a clock that goes on while this
/// process is suspended. So no suspension has to be noticed: the rest of the lease is always right. A process that
/// takes the place first waits for longer than this after its announcement.
package final class Lease: Sendable {
    /// The length of the lease, from before PostgreSQL was asked.
    package static let length = Duration.seconds(8)

    private let machine: Machine
    /// The end of the lease, by ``Machine/elapsed()``. Unit: nanoseconds.
    private let end = Atomic<Int64>(0)

    /// Creates an expired lease.
    package init(of machine: Machine) { self.machine = machine }

    package var isValid: Bool {
        machine.elapsed() < .nanoseconds(end.load(ordering: .sequentiallyConsistent)) || Fault.outliveLease.isOn
    }

    /// Extends the lease from a time at which nobody had announced to take the place: nobody can before its new end.
    package func renew(from asked: Duration) {
        end.max(Int64((asked + Self.length) / .nanoseconds(1)), ordering: .sequentiallyConsistent)
    }
}
