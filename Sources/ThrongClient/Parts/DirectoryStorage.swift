internal import Dispatch
public import Foundation
internal import Synchronization

/// Documents as files in a directory that only the app's user can read.
///
/// A file is written beside its place, synced, renamed over it, and the directory is synced: a power loss leaves the
/// old one or the new one. The file `lock` is held until this is closed, or in a shared directory for a turn, so that two
/// processes never send one queue.
///
/// Backups are to leave out all files but what the person said (`APP-consent.json`), in which nothing tells devices apart.
public final class DirectoryStorage: ClientStorage {
    private let path: String
    private let lock: Mutex<DirectoryLock>
    /// The device's secret that the documents are bound to; nil if they may travel from device to device.
    public let binding: (any DeviceBinding)?
    /// True if several processes keep their documents here, each in turn.
    public let isShared: Bool

    /// Opens a directory, which is made where it is missing, with mode 0700.
    ///
    /// - Parameters:
    ///   - directory: where the files are.
    ///   - isShared: whether an app and its extension, or several instances, use it at the same time; all of them have to say
    ///     so. They are one device.
    ///   - binding: what the documents are bound to; nil if they may travel from device to device.
    /// - Throws: ``ThrongError/storage(_:)`` if it can't be made or another process uses it.
    public init(
        _ directory: URL, isShared: Bool = false, binding: (any DeviceBinding)? = DirectoryStorage.systemBinding
    ) throws {
        self.binding = binding
        self.isShared = isShared
        path = directory.path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch { throw ThrongError.storage("The directory could not be made; choose one that the app may write to.") }
        _ = chmod(path, 0o700)
        lock = Mutex(try DirectoryLock(path + "/lock", isShared: isShared))
    }

    deinit { close() }

    /// Lets another one have the directory.
    public func close() { lock.withLock { $0.close() } }

    /// Begins a turn in a shared directory: until its end nobody else reads or writes. Turns may be nested.
    ///
    /// - Returns: whether somebody else has written since this one's last turn.
    /// - Throws: ``ThrongError/storage(_:)`` if somebody else's turn does not end within ten seconds.
    public func beginTurn() throws -> Bool { try lock.withLock { lock throws(ThrongError) in try lock.beginTurn() } }

    /// Ends a turn.
    public func endTurn() { lock.withLock { $0.endTurn() } }

    /// The keychain on Apple's systems, `/etc/machine-id` elsewhere.
    public static var systemBinding: any DeviceBinding {
        #if canImport(Security)
            KeychainBinding()
        #else
            MachineBinding()
        #endif
    }

    /// The files that are there.
    public var names: [String] {
        get throws {
            try checkOpen()
            do { return try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
                throw ThrongError.storage("The directory could not be listed; the app may not read it any more.")
            }
        }
    }

    private func checkOpen() throws { try lock.withLock { lock throws(ThrongError) in try lock.check() } }

    /// Announces a write before it begins, so that others see it even if this process ends halfway.
    private func announceWriting() throws {
        try lock.withLock { lock throws(ThrongError) in try lock.announceWriting() }
    }

    /// Reads a file; nil if there is none.
    public func read(_ name: String) throws -> Data? {
        try checkOpen()
        let file = open(place(of: name), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw Self.failure("open", errno)
        }
        defer { Foundation.close(file) }
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw Self.failure("read", errno)
            }
            if count == 0 { return data }
            data.append(contentsOf: chunk.prefix(count))
        }
    }

    /// Writes a file whole and durably, in place of the one that is there.
    public func replace(_ name: String, with data: Data) throws {
        try announceWriting()
        let draft = place(of: name) + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure("make", errno) }
        // A draft that a crash left may be anyone's to read.
        var problem: Int32 = fchmod(file, 0o600) == 0 ? 0 : errno
        if problem == 0 { problem = BackupMark.protect(at: draft) }
        // A refusal is to hold on the next device, too.
        if problem == 0, !name.hasSuffix("-consent.json") { problem = BackupMark.exclude(file, at: draft) }
        data.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
            while problem == 0, !rest.isEmpty {
                let count = Foundation.write(file, rest.baseAddress, rest.count)
                if count < 0 {
                    if errno != EINTR { problem = errno }
                } else {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                }
            }
        }
        if problem == 0, fsync(file) != 0 { problem = errno }
        if Foundation.close(file) != 0, problem == 0 { problem = errno }
        if problem == 0, rename(draft, place(of: name)) != 0 { problem = errno }
        guard problem == 0 else {
            unlink(draft)
            throw Self.failure("write", problem)
        }
        try syncDirectory()
    }

    /// Removes a file durably, if it is there.
    public func remove(_ name: String) throws {
        try announceWriting()
        guard unlink(place(of: name)) == 0 else {
            if errno == ENOENT { return }
            throw Self.failure("remove", errno)
        }
        try syncDirectory()
    }

    private func place(of name: String) -> String {
        path + "/" + String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) ? $0 : "-" })
    }

    private func syncDirectory() throws {
        let directory = open(path, O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { throw Self.failure("open the directory of", errno) }
        defer { Foundation.close(directory) }
        guard fsync(directory) == 0 else { throw Self.failure("sync the directory of", errno) }
    }

    static func failure(_ verb: String, _ code: Int32) -> ThrongError {
        .storage("Could not \(verb) a file (error \(code)); the disk may be full or the directory not writable.")
    }
}

/// The file `lock` of a directory: held from opening to closing, or in a shared directory for one turn after another. The
/// system gives it back where a process ends, however it ends.
///
/// The file of a shared directory holds one number of eight bytes. Each process that writes makes it larger first, so
/// that others know that they have to read again. It need not outlive the machine's running: a process that starts
/// reads everything.
struct DirectoryLock: ~Copyable {
    /// The open file; nil once it is closed.
    private var file: Int32?
    private let isShared: Bool
    /// The number of turns that have begun and not ended.
    private var depth = 0
    /// The number in the file, when it was looked at last.
    private var seen: UInt64?
    private var hasAnnounced = false

    /// The longest that somebody else's turn may take: it is a few writes to a disk.
    private static let patience = Duration.seconds(10)

    init(_ path: String, isShared: Bool) throws(ThrongError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DirectoryStorage.failure("open the lock of", errno) }
        guard isShared || flock(file, LOCK_EX | LOCK_NB) == 0 else {
            Foundation.close(file)
            throw .storage(
                "Another Throng uses this directory; "
                    + "close it first, give each process one of its own, or open it with isShared in each of them.")
        }
        self.file = file
        self.isShared = isShared
    }

    mutating func close() {
        if let file { Foundation.close(file) }
        file = nil
        depth = 0
    }

    /// - Throws: if nothing may be read or written now.
    func check() throws(ThrongError) {
        guard file != nil else { throw .storage("The directory was closed.") }
        guard !isShared || depth > 0 else { throw .storage("It is another process's turn with the directory.") }
    }

    mutating func beginTurn() throws(ThrongError) -> Bool {
        guard isShared else { return false }
        guard let file else { throw .storage("The directory was closed.") }
        depth += 1
        guard depth == 1 else { return false }
        let deadline = ContinuousClock.now + Self.patience
        var pause: UInt32 = 200
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < deadline else {
                depth = 0
                throw .storage(
                    "Another process has held the directory for ten seconds: it hangs, or opened it without isShared. "
                        + "End it, or let it say so.")
            }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
        hasAnnounced = false
        var number: UInt64 = 0
        // A file that is shorter was never written to.
        let isThere = pread(file, &number, 8, 0) == 8
        defer { seen = isThere ? number : nil }
        return !isThere || seen != number
    }

    mutating func announceWriting() throws(ThrongError) {
        try check()
        guard isShared, !hasAnnounced, let file else { return }
        var number = (seen ?? 0) &+ 1
        guard pwrite(file, &number, 8, 0) == 8 else { throw DirectoryStorage.failure("write to the lock of", errno) }
        seen = number
        hasAnnounced = true
    }

    mutating func endTurn() {
        guard isShared, depth > 0 else { return }
        depth -= 1
        if depth == 0, let file { _ = flock(file, LOCK_UN) }
    }
}

/// Runs an actor on a queue of its own, so that a slow disk holds no thread that the host's tasks share.
final class DiskExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "throng", qos: .utility)
    private let owner = Mutex<Owner>(Owner())

    /// The actor would hold itself otherwise.
    private struct Owner: Sendable { weak var turns: (any TurnTaking)? }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            let turns = self.owner.withLock(\.turns)
            turns?.beginTurn()
            job.runSynchronously(on: self.asUnownedSerialExecutor())
            turns?.endTurn()
        }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Makes each of the actor's steps a turn, from the next one on.
    func takeTurns(_ turns: any TurnTaking) { owner.withLock { $0.turns = turns } }
}

/// An owner of documents that shares them with others and uses them in turns. Both are called on the actor's own queue.
protocol TurnTaking: AnyObject, Sendable {
    /// Waits until it may, and takes in what others wrote.
    func beginTurn()
    /// Leaves nothing that is not written.
    func endTurn()
}

/// Marks a file as one that backups leave out, where the system has such a mark.
///
/// On Apple's systems it is the resource value that backups honour; on Linux the attribute "no dump" (`chattr +d`), which
/// dump(8) honours by itself and others where they are asked to. A `CACHEDIR.TAG` would say that the directory can be deleted
/// and made again, and that is not so.
enum BackupMark {
    /// Marks an open file.
    ///
    /// - Returns: 0, or an error of the system. Linux' file systems may have no attributes, and that is none.
    static func exclude(_ file: Int32, at path: String) -> Int32 {
        #if canImport(Darwin)
            do {
                var url = URL(fileURLWithPath: path)
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
            } catch { return EIO }
        #elseif os(Linux)
            var flags: CInt = 0
            guard ioctl(file, readFlags, &flags) == 0, flags & noDump == 0 else { return 0 }
            flags |= noDump
            _ = ioctl(file, writeFlags, &flags)
        #endif
        return 0
    }

    /// Keeps a file from being read before the device was unlocked for the first time since it started, and no longer: what
    /// waits is also sent while the screen is locked.
    ///
    /// - Returns: 0, or an error of the system.
    static func protect(at path: String) -> Int32 {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            do {
                try FileManager.default.setAttributes(
                    [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
            } catch { return EIO }
        #endif
        return 0
    }

    #if os(Linux)
        // <linux/fs.h> has them as macros: FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_NODUMP_FL.
        private static let readFlags = UInt(0x8000_6601 | MemoryLayout<CLong>.size << 16)
        private static let writeFlags = UInt(0x4000_6602 | MemoryLayout<CLong>.size << 16)
        private static let noDump: CInt = 0x40
    #endif
}
