internal import Foundation
internal import Synchronization
package import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// The append-only record of what was counted. A batch may be acknowledged once ``acknowledgeable(_:)`` returns for it.
///
/// Appending only queues. One thread of its own seals, writes and syncs, so that many batches share one `fdatasync`
/// (group commit) and counting does not wait for cryptography. After a failed write or sync nothing more is
/// acknowledged: the process has to end and replay.
package final class Journal: Sendable {
    /// The first bytes of new segments, such as "THRONGJ4".
    package static let format = Segment.magic

    /// The settings of a journal.
    package struct Options: Sendable {
        /// The size at which a segment is closed. Unit: bytes.
        package var segmentBytes: Int
        /// The cap on segments with batches that PostgreSQL lacks. Once they are this large together, nothing is
        /// accepted until it has caught up. Segments that only wait for their windows to end don't count. Unit: bytes.
        package var capBytes: Int
        /// The most that may wait for the disk. Beyond it nothing is accepted until the disk has caught up; nor is
        /// anything while less than twice as much is free on the disk. Unit: bytes.
        package var queueBytes: Int
        /// The shortest time between two syncs: what comes meanwhile shares the next. A journal at rest never waits, nor
        /// do about as many records as came together before: their senders wait, and send no more until they are told.
        package var syncInterval: Duration
        /// The largest record: a batch that may need more is refused uncounted. At most what is read. Unit: bytes.
        package var recordBytes: Int
        /// The size journalled since the last checkpoint at which the next one is due, unless that one was large: see
        /// ``CheckpointPace``; 0 for no checkpoints. Unit: bytes.
        package var checkpointBytes: Int
        /// A hook called on the journal's thread before records are written and synced, with their number. The function
        /// that it returns is called once they are on disk. Neither may block.
        package var onCommit: (@Sendable (_ records: Int) -> (@Sendable () -> Void)?)?

        /// Creates settings. The defaults: 64 MiB a segment, 4 GiB in all, 32 MiB on their way, 500 syncs a second,
        /// records as large as are read, a checkpoint each 32 MiB.
        package init(
            segmentBytes: Int = 64 << 20, capBytes: Int = 4 << 30, queueBytes: Int = 32 << 20,
            syncInterval: Duration = .milliseconds(2), recordBytes: Int = .max, checkpointBytes: Int = 32 << 20
        ) {
            self.checkpointBytes = checkpointBytes
            self.recordBytes = min(recordBytes, Segment.largestRecord - Segment.bodyOverhead)
            (self.segmentBytes, self.capBytes) = (segmentBytes, capBytes)
            (self.queueBytes, self.syncInterval) = (queueBytes, syncInterval)
        }
    }

    struct State {
        /// The records that the thread has not taken yet.
        var queue: [Queued] = []
        var appended: JournalPosition
        var durable: JournalPosition
        /// The number of records in the queue for which a sync begins before its time.
        var group = Journal.leastGroup
        /// The most that the queue will add, and what the thread is about to write. Unit: bytes.
        var queuedBytes = 0
        var takenBytes = 0
        var current: Segment.Name
        var currentBytes: Int
        /// The size of what was appended since the start, plus what was read at the start. Unit: bytes.
        var totalBytes: Int
        /// The segments that are no longer written to.
        var closed: [KeptSegment]
        /// The position up to which PostgreSQL has everything.
        var flushed: JournalPosition
        /// The size of closed segments with batches that PostgreSQL lacks. Unit: bytes.
        var lackingBytes = 0
        var waiters: [Waiter] = []
        var isIdle = true
        /// The time since which records wait for the disk without progress; nil if none wait. See ``Machine/elapsed``.
        var waitingSince: Duration?
        var hasFailed = false
        var isStopping = false

        /// Updates ``lackingBytes``; call after segments were closed or PostgreSQL has more.
        mutating func recount() {
            lackingBytes = closed.reversed().prefix { $0.last > flushed }.reduce(0) { $0 + $1.bytes }
        }

        func hasRoom(_ options: Options) -> Bool {
            guard !hasFailed, !isStopping else { return false }
            let queued = takenBytes + queuedBytes
            guard queued < options.queueBytes else { return false }
            return lackingBytes + (appended > flushed ? currentBytes + queued : 0) < options.capBytes
        }
    }

    struct Queued {
        let record: CountedRecord
        let key: WindowKey
        /// The size of the plaintext.
        let bytes: Int
    }

    struct Waiter {
        let position: JournalPosition
        let resume: @Sendable (Result<JournalPosition, JournalError>) -> Void
    }

    let state: Mutex<State>
    /// The last result of ``State/hasRoom(_:)``, readable without the lock.
    private let room = Atomic<Bool>(true)
    let wake: WakeTimer
    private let closed = Atomic<Bool>(false)
    let stopped = DispatchSemaphore(value: 0)
    /// The right to acknowledge; nil if nobody can take this process's place.
    private let lease: Lease?
    let data: DataDirectory
    let options: Options
    let disk: DiskSpace
    let work: Mutex<JournalWork>
    /// The bounds on layouts, by ordinal of the cell space.
    private let bounds: [(app: AppName, purpose: PurposeName, bound: EntryFormat.Bound)]
    let onFailure: @Sendable (any Error) -> Void

    /// Starts a new segment after the replayed ones.
    ///
    /// - Parameters:
    ///   - lease: the right to acknowledge: once it expires, nothing is written or acknowledged; nil if nobody can take
    ///     this process's place.
    ///   - onFull: called when the disk has filled up, and when there is space again.
    ///   - onFailure: called once, on the journal's thread, when a write or a sync failed: end the process.
    package init(
        _ data: DataDirectory, space: CellSpace, after replayed: JournalReader.Replayed, position: JournalPosition,
        options: Options = Options(), lease: Lease? = nil,
        onFull: @escaping @Sendable (_ isFull: Bool) -> Void = { _ in },
        onFailure: @escaping @Sendable (any Error) -> Void
    ) throws(JournalError) {
        (self.data, self.options, self.lease, self.onFailure) = (data, options, lease, onFailure)
        wake = WakeTimer(on: data.machine)
        disk = DiskSpace(at: data.path, of: data.machine, reserve: 2 * options.queueBytes, onChange: onFull)
        guard space.layouts.count <= EntryFormat.mostLayouts else {
            throw .tooManyLayouts(found: space.layouts.count, limit: EntryFormat.mostLayouts)
        }
        bounds = space.layouts.map { ($0.app, $0.purpose, EntryFormat.Bound($0)) }
        for layout in space.layouts { try data.keep(layout) }
        let segment = Segment(
            in: data.journalPath, generation: replayed.nextGeneration,
            nonce: UInt32(truncatingIfNeeded: data.machine.random()), first: position.next, layouts: space.ids,
            before: replayed.segments.last?.bytes ?? 0)
        var first = State(
            appended: position, durable: position, current: segment.name, currentBytes: segment.headerSize,
            totalBytes: replayed.readBytes, closed: replayed.segments, flushed: .start)
        first.recount()
        room.store(first.hasRoom(options), ordering: .relaxed)
        state = Mutex(first)
        // Replayed records count as durable: earlier segments were synced by the rotation or start that followed.
        if let newest = replayed.segments.last { try data.disk.secure(newest.path) }
        try data.disk.syncDirectory(data.windowsPath)
        try segment.create(on: data.disk)
        work = Mutex(JournalWork(writer: try SegmentWriter(segment, in: data.journalPath, on: data.disk)))
        if data.machine.hasThreads { Thread.detachNewThread { [self] in run() } }
    }

    package func append(_ batch: CountedBatch, key: WindowKey) throws(JournalError) {
        try append(.batch(batch), key: key)
    }

    /// Appends a record. Call in the order of positions; it returns before anything is on disk.
    package func append(_ record: CountedRecord, key: WindowKey) throws(JournalError) {
        FaultPoint.reached("before_append")
        let size = Segment.largestSize(of: record)
        let plain = size - Segment.frameOverhead - Segment.bodyOverhead
        guard plain <= recordLimit || Fault.writeAnyRecord.isOn else {
            throw .recordTooLarge(bytes: plain, limit: recordLimit)
        }
        let mustWake = try change { state throws(JournalError) in
            guard !state.hasFailed, !state.isStopping else { throw .failed }
            precondition(record.position == state.appended.next, "records are journalled in the order of counting")
            state.queue.append(Queued(record: record, key: key, bytes: plain))
            state.queuedBytes += size
            state.totalBytes += size
            state.appended = record.position
            if state.waitingSince == nil { state.waitingSince = data.machine.elapsed() }
            defer { state.isIdle = false }
            return state.isIdle || state.queue.count == state.group
        }
        FaultPoint.reached("after_append")
        if mustWake { wake.ring() }
    }

    /// The largest record that is taken. Unit: bytes.
    package var recordLimit: Int { options.recordBytes }

    /// Returns a reader of what is on disk, while more is written: for ``JournalReader/batches(of:through:space:_:)``.
    package func reader(keys: KeyRing) throws(JournalError) -> JournalReader {
        try JournalReader(data, keys: keys, options: options, isWritten: true)
    }

    /// The number of a removal's entries that fit into a record, however large they are.
    package var mostRemoved: Int { max(1, (recordLimit - 64) / (bounds.map(\.bound.addition).max() ?? 22)) }

    /// Returns the most that a batch's record may need, if that exceeds ``recordLimit``; nil if it fits. Call it before
    /// the batch is counted. Unit: bytes.
    package func excessiveSize(of batch: BucketedBatch) -> Int? {
        var size = fixedSize + batch.events.count * EntryFormat.Bound.event
        size += min(batch.marks.count, bounds.count) * EntryFormat.Bound.advance
        for (contribution, repeats) in zip(batch.contributions, batch.repeats) {
            let bound = bounds[Int(contribution.metric)].bound
            size += Int(repeats) * bound.addition + bound.appearances
        }
        return size <= recordLimit || Fault.writeAnyRecord.isOn ? nil : size
    }

    /// Returns the number of a purpose's events that fit into a record, even if metrics count each in another cell.
    package func mostEvents(app: AppName, purpose: PurposeName) -> Int {
        let each = bounds.reduce(EntryFormat.Bound.event) { sum, one in
            one.app == app && one.purpose == purpose ? sum + one.bound.addition + one.bound.appearances : sum
        }
        return (recordLimit - fixedSize - bounds.count * EntryFormat.Bound.advance) / each
    }

    /// The most that a batch's record needs besides its events. Unit: bytes.
    private var fixedSize: Int { bounds.reduce(EntryFormat.Bound.batch) { $0 + $1.bound.rungs } }

    /// Waits until everything up to a position is on disk; ``JournalError/failed`` if it never will be, and
    /// ``JournalError/full`` if that may take long.
    package func durable(_ position: JournalPosition) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            wait(for: position, acknowledges: false) { continuation.resume(with: $0) }
        }
    }

    /// Waits until a client may be told that everything up to a position is on disk: see ``acknowledgeable(_:then:)``.
    package func acknowledgeable(_ position: JournalPosition) async throws {
        _ = try await withCheckedThrowingContinuation { continuation in
            acknowledgeable(position) { continuation.resume(with: $0) }
        }
    }

    /// Calls back once a client may be told that everything up to a position is on disk: it is there, and nobody can
    /// have taken this process's place. It also calls back if that will never be so (``JournalError/failed``), or not
    /// for long (``JournalError/full``). Check ``mayAcknowledge`` again before telling the client.
    ///
    /// - Parameter then: called once with the last position on disk, here or on the journal's thread; must not block.
    package func acknowledgeable(
        _ position: JournalPosition, then resume: @escaping @Sendable (Result<JournalPosition, JournalError>) -> Void
    ) { wait(for: position, acknowledges: true, then: resume) }

    private func wait(
        for position: JournalPosition, acknowledges: Bool,
        then resume: @escaping @Sendable (Result<JournalPosition, JournalError>) -> Void
    ) {
        let result: Result<JournalPosition, JournalError>? = state.withLock { state in
            if state.durable >= position, !acknowledges || mayAcknowledge { return .success(state.durable) }
            if state.hasFailed { return .failure(.failed) }
            if disk.isWaiting { return .failure(.full) }
            state.waiters.append(Waiter(position: position, resume: resume))
            return nil
        }
        if let result { resume(result) }
    }

    /// True if nobody can have taken this process's place. It costs one reading of a clock.
    package var mayAcknowledge: Bool { lease?.isValid ?? true }

    /// Extends the lease from a time at which nobody had announced to take its place: see ``Lease/renew(from:)``.
    package func renewLease(from asked: Duration) {
        guard let lease else { return }
        let wasValid = lease.isValid
        lease.renew(from: asked)
        // The records that wait for the lease may be on disk, with nothing else to write.
        if !wasValid { wake.ring() }
    }

    /// Removes segments whose batches are all in PostgreSQL and whose windows are over.
    ///
    /// A segment that may hold a part of an unsettled window stays: an identifier's additions in a window are known
    /// again only by replaying all of it.
    ///
    /// - Parameter unsettled: windows that are open, or over with batches that PostgreSQL does not have.
    package func removeSegments(
        flushed: JournalPosition, unsettled: [WindowID] = [], now: UnixSeconds
    ) throws(JournalError) {
        let earliest = unsettled.map(\.over).min() ?? .max
        let removable = change { state in
            state.flushed = max(state.flushed, flushed)
            // Records are replayed in one run, so only the oldest segments can be removed.
            let removable = state.closed.prefix { $0.last <= flushed && $0.over <= now && $0.over < earliest }
            state.closed.removeFirst(removable.count)
            state.recount()
            return Array(removable)
        }
        if !removable.isEmpty { FaultPoint.reached("before_removal") }
        for segment in removable {
            try data.disk.remove(segment.path)
            try data.disk.remove(TornTail.aside(of: segment.path))
            FaultPoint.reached("after_removal")
        }
        if !removable.isEmpty { try data.disk.syncDirectory(data.journalPath) }
    }

    /// The size of all segments, written or about to be. Unit: bytes.
    package var bytes: Int {
        state.withLock { $0.closed.reduce($0.currentBytes + $0.takenBytes + $0.queuedBytes) { $0 + $1.bytes } }
    }

    /// True if a batch may be taken: false once the segments that PostgreSQL lacks have reached the cap, the disk is
    /// full or can't keep up, or the journal failed.
    ///
    /// - Cost: a few atomic loads; every request asks.
    package var hasRoom: Bool { room.load(ordering: .relaxed) && disk.hasRoom && isOpen }

    /// The reason why clients are not acknowledged now; nil if they are, as far as is known.
    package var stall: Stall? {
        let (hasFailed, hasRoom, since) = state.withLock { ($0.hasFailed, $0.hasRoom(options), $0.waitingSince) }
        if hasFailed { return .failed }
        if !isOpen { return .closed }
        if !mayAcknowledge { return .inDoubt }
        if let since, data.machine.elapsed() - since > Self.longestWait { return .stuck }
        if !disk.hasRoom { return .diskFull }
        return hasRoom ? nil : .full
    }

    /// The reasons why a journal does not acknowledge.
    package enum Stall: Sendable, Hashable {
        /// A write or a sync failed, or another process has its place.
        case failed
        /// Another process is about to take its place.
        case closed
        /// PostgreSQL has not confirmed for seconds that nobody takes this process's place.
        case inDoubt
        /// The disk has taken nothing of what waits for seconds.
        case stuck
        case diskFull
        /// The segments that PostgreSQL lacks have reached the cap, or the disk can't keep up.
        case full
    }

    /// The time without progress after which the disk counts as stuck.
    private static let longestWait = Duration.seconds(5)

    /// True if batches are taken at all: false once ``close()`` was called.
    package var isOpen: Bool { !closed.load(ordering: .acquiring) }

    /// Stops taking batches, for good; what was appended is still written and acknowledged.
    package func close() { closed.store(true, ordering: .releasing) }

    /// Changes the state, and updates ``hasRoom`` with it.
    func change<Value, Failure>(_ body: (inout State) throws(Failure) -> Value) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in
            let value = try body(&state)
            let hasRoom = state.hasRoom(options)
            // The value is stored only if it changes, so that its cache line stays with those who read it.
            if room.load(ordering: .relaxed) != hasRoom { room.store(hasRoom, ordering: .relaxed) }
            return value
        }
    }

    /// Refuses everything from now on, and fails whatever is not on disk: this process may not flush it.
    package func refuseAll() {
        change { $0.hasFailed = true }
        turnAway(.failed)
    }

    /// True if this process is the one that writes here: false once it was, or may have been, replaced or has failed.
    package var isHeld: Bool { isOpen && mayAcknowledge && state.withLock { !$0.hasFailed } }

    /// Writes and syncs what was appended, then ends the thread. Blocks; not for a thread of the shared pool.
    package func stop() {
        let isFirst = change { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        guard isFirst else { return }
        disk.stop()
        wake.ring()
        if data.machine.hasThreads { stopped.wait() }
    }
}
