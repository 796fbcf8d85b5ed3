package import Foundation
internal import Synchronization
internal import ThrongSystem

/// The surroundings of a data directory: a disk, clocks, a random source, and whether there are threads.
///
/// Everything that the journal does goes through here, so that one seed can replay one history of it.
package struct Machine: Sendable {
    package let disk: any Disk
    package let time: @Sendable (clockid_t) -> Duration
    /// A source of 64 random bits.
    package let random: @Sendable () -> UInt64
    /// True if work has threads of its own; if not, its owner calls ``Journal/turn()``, and replays block it.
    package let hasThreads: Bool

    package init(
        disk: any Disk, time: @escaping @Sendable (clockid_t) -> Duration,
        random: @escaping @Sendable () -> UInt64, hasThreads: Bool
    ) { (self.disk, self.time, self.random, self.hasThreads) = (disk, time, random, hasThreads) }

    /// Returns the time since some fixed moment: it never goes back, and goes on while the system sleeps.
    package func elapsed() -> Duration { time(CLOCK_BOOTTIME) }

    func name() -> UUID {
        var bytes = [random(), random()].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    package static let real = Machine(
        disk: SystemDisk.shared,
        time: { clock in
            var time = timespec()
            clock_gettime(clock, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }, random: { .random(in: .min ... .max) }, hasThreads: true)
}

/// Wakes a waiting thread, now or on its next wait; several rings before that count as one.
///
/// It is not a `DispatchSemaphore`, whose deadlines are times of day on Linux: setting the clock back would extend a
/// wait by as much. Here time is the system's monotonic clock.
///
/// Unchecked: the C library's mutex and condition don't move, and all shared state is used under that mutex.
final class WakeTimer: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let clock = Fault.waitByTimeOfDay.isOn ? CLOCK_REALTIME : CLOCK_MONOTONIC
    private let machine: Machine
    private var hasRung = false
    /// The end of a wait without threads.
    private var end: Duration?

    init(on machine: Machine = .real) {
        self.machine = machine
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, clock)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Wakes the waiting thread, or lets the next wait return at once.
    func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Returns once the bell has rung, or after this time. Without threads it returns at once, and its owner asks ``isOver()``.
    func wait(_ length: Duration) {
        let end = machine.time(clock) + length
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard machine.hasThreads else { return self.end = end }
        let (whole, attoseconds) = end.components
        var deadline = timespec(tv_sec: Int(whole), tv_nsec: Int(attoseconds / 1_000_000_000))
        while !hasRung { guard pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT else { break } }
        hasRung = false
    }

    /// True if the wait is over, for an owner without threads.
    func isOver() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard let end else { return true }
        guard hasRung || machine.time(clock) >= end else { return false }
        self.end = nil
        hasRung = false
        return true
    }
}

/// The system's file system.
package struct SystemDisk: Disk {
    package static let shared = SystemDisk()

    package func open(_ path: String, flags: Int32) throws(JournalError) -> Int32 {
        let file = KeptFile.open(path, flags: flags)
        guard file >= 0 else { throw .system(call: "open", file: path, code: errno) }
        return file
    }

    package func close(_ file: Int32) { Foundation.close(file) }

    package func write(
        _ bytes: [UInt8], from start: Int, to file: Int32, named path: String
    ) throws(JournalError) -> Int {
        while true {
            let written = bytes.withUnsafeBytes { buffer in
                Foundation.write(file, buffer.baseAddress.map { $0 + start }, buffer.count - start)
            }
            if written >= 0 { return written }
            guard errno == EINTR else { throw .system(call: "write", file: path, code: errno) }
        }
    }

    package func read(_ file: Int32, named path: String, from start: Int, count: Int) throws(JournalError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, offset in
            while offset < count {
                let more = pread(file, buffer.baseAddress.map { $0 + offset }, count - offset, off_t(start + offset))
                if more < 0, errno == EINTR { continue }
                if more < 0 { code = errno }
                if more <= 0 { break }
                offset += more
            }
        }
        guard code == 0 else { throw .system(call: "read", file: path, code: code) }
        return bytes
    }

    package func truncate(_ file: Int32, named path: String, to size: Int) throws(JournalError) {
        guard ftruncate(file, off_t(size)) == 0 else { throw .system(call: "ftruncate", file: path, code: errno) }
    }

    package func sync(_ file: Int32, named path: String) throws(JournalError) {
        guard fdatasync(file) == 0 else { throw .system(call: "fdatasync", file: path, code: errno) }
    }

    package func syncDirectory(_ file: Int32, named path: String) throws(JournalError) {
        guard fsync(file) == 0 else { throw .system(call: "fsync", file: path, code: errno) }
    }

    package func rename(_ path: String, to other: String) throws(JournalError) {
        guard Foundation.rename(path, other) == 0 else { throw .system(call: "rename", file: other, code: errno) }
    }

    package func link(_ path: String, to other: String) throws(JournalError) {
        guard Foundation.link(path, other) == 0 else { throw .system(call: "link", file: other, code: errno) }
    }

    package func unlink(_ path: String) throws(JournalError) {
        guard Foundation.unlink(path) == 0 else { throw .system(call: "unlink", file: path, code: errno) }
    }

    package func makeDirectory(_ path: String) throws(JournalError) {
        guard mkdir(path, 0o700) == 0 else { throw .system(call: "mkdir", file: path, code: errno) }
    }

    package func list(_ directory: String) throws(JournalError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch { throw .system(call: "readdir", file: directory, code: errno) }
    }

    package func size(of path: String) throws(JournalError) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(call: "stat", file: path, code: errno) }
        return Int(status.st_size)
    }

    package func exists(_ path: String) -> Bool { KeptFile.isThere(path) }

    package func space(at path: String) -> (free: Int, size: Int)? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        let block = UInt64(facts.f_frsize)
        return (
            free: Int(clamping: UInt64(facts.f_bavail) * block), size: Int(clamping: UInt64(facts.f_blocks) * block)
        )
    }

    package func lock(_ path: String) throws(JournalError) -> Int32? {
        let file = try open(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW)
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        return file
    }

    package func unlock(_ lock: Int32) {
        // The lock is released explicitly: closing alone would leave it to a starting child with a copy.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Returns the kernel's boot, the device and the inode: a copy has another inode, and another machine another boot.
    package func name(ofLock lock: Int32) -> String? {
        var facts = stat()
        guard fstat(lock, &facts) == 0,
            let boot = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
        else { return nil }
        let name = String(decoding: boot, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : "\(name) \(facts.st_dev) \(facts.st_ino)"
    }
}

/// The space on the journal's disk, checked ahead so that nothing is taken that may not fit; a write waits for it.
///
/// A failed write is not a failed sync: it is known what was not written, and the rest can follow once there is space.
final class DiskSpace: Sendable {
    private let full = Atomic<Bool>(false)
    private let waiting = Atomic<Bool>(false)
    private let stopping = Atomic<Bool>(false)
    private let lookedAt = Mutex<Duration?>(nil)
    private let wake: WakeTimer
    private let path: String
    private let machine: Machine
    private let reserve: Int
    private let onChange: @Sendable (_ isFull: Bool) -> Void

    /// The time for which a look at the disk holds, and for which a write waits before it is tried again.
    static let pause = Duration.seconds(1)

    /// Creates the state with a first look at the disk. Below the reserve, in bytes, nothing more is taken.
    init(
        at path: String, of machine: Machine = .real, reserve: Int,
        onChange: @escaping @Sendable (_ isFull: Bool) -> Void
    ) {
        (self.path, self.machine, wake, self.reserve) = (path, machine, WakeTimer(on: machine), reserve)
        self.onChange = onChange
        look()
    }

    var isWaiting: Bool { waiting.load(ordering: .acquiring) }

    /// True if new records will fit, as of the last ``look()``.
    var hasRoom: Bool { !full.load(ordering: .relaxed) }

    /// Checks the disk, unless the last look still holds. The writer calls this, also once a ``pause`` without work, so
    /// that nobody who asks for room waits for a file system.
    func look() {
        let isDue = lookedAt.withLock { lookedAt in
            let now = machine.elapsed()
            guard lookedAt.map({ now - $0 >= Self.pause }) ?? true else { return false }
            lookedAt = now
            return true
        }
        if isDue { note(isFull: isWaiting || (free.map { $0 < reserve } ?? false)) }
    }

    private func note(isFull: Bool) {
        guard full.exchange(isFull, ordering: .relaxed) != isFull else { return }
        onChange(isFull)
    }

    /// The free space for this process; nil if the system does not say. Unit: bytes.
    private var free: Int? { machine.disk.space(at: path)?.free }

    /// Does the work; false if the disk is too full for it: then try again after a ``wait()``.
    ///
    /// - Parameter work: continues at the place of its failure when it is called again.
    /// - Throws: the work's error, if it is another one or ``stop()`` was called.
    func attempt(_ work: () throws -> Void) throws -> Bool {
        do {
            try work()
            if isWaiting { note(isWaiting: false) }
            return true
        } catch let error as JournalError where error.isWantOfSpace {
            note(isWaiting: true)
            guard !stopping.load(ordering: .acquiring) else { throw error }
            return false
        } catch {
            note(isWaiting: false)
            throw error
        }
    }

    /// Waits for a ``pause``, or until ``stop()`` is called.
    func wait() { wake.wait(.seconds(1)) }

    /// True if the wait is over: see ``WakeTimer/isOver()``.
    var isWaitOver: Bool { wake.isOver() }

    private func note(isWaiting: Bool) {
        waiting.store(isWaiting, ordering: .releasing)
        note(isFull: isWaiting || (free.map { $0 < reserve } ?? false))
    }

    /// Lets a waiting writer try once more and then give up.
    func stop() {
        stopping.store(true, ordering: .releasing)
        wake.ring()
    }
}
