internal import Foundation

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
            unistdClose(file)
            throw .storage(
                """
                Another Throng uses this directory; close it first, give each process one of its own, or open it with \
                isShared in each of them.
                """)
        }
        self.file = file
        self.isShared = isShared
    }

    mutating func close() {
        if let file { unistdClose(file) }
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
                    """
                    Another process has held the directory for ten seconds: it hangs, or opened it without isShared. \
                    End it, or let it say so.
                    """)
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
