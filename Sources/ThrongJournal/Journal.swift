internal import Foundation
internal import Synchronization
public import ThrongCounting
internal import ThrongPlan

/// The append-only record of what was counted. A batch may be acknowledged once ``durable(_:)`` returns for it.
///
/// Appending copies into a buffer; one thread of its own writes and syncs, so that many batches share one `fdatasync`
/// (group commit). After a failed write or sync nothing is acknowledged any more: the process has to end and replay.
public final class Journal: Sendable {
    /// How a journal is kept.
    public struct Options: Sendable {
        /// A segment is closed once it is this large. Unit: bytes.
        public var segmentBytes: Int
        /// Once segments with batches that PostgreSQL does not have are this large together, nothing is accepted until it
        /// has caught up. Segments that only wait for their windows to end don't count. Unit: bytes.
        public var capBytes: Int

        /// 64 MiB a segment, 4 GiB in all.
        public init(segmentBytes: Int = 64 << 20, capBytes: Int = 4 << 30) {
            self.segmentBytes = segmentBytes
            self.capBytes = capBytes
        }
    }

    private struct State {
        /// What the thread has not taken yet, a chunk a segment.
        var chunks: [Chunk] = []
        var appended: JournalPosition
        var durable: JournalPosition
        /// The segment that the next record goes to, with the bytes that it will then have.
        var segment: Segment
        var segmentBytes: Int
        var segmentOver = Int64.min
        /// Segments that are written to no more.
        var closed: [KeptSegment]
        /// PostgreSQL has everything up to here.
        var flushed: JournalPosition
        var waiters: [Waiter] = []
        var isIdle = true
        var hasFailed = false
        var isStopping = false
    }

    private struct Chunk {
        let segment: Segment
        var bytes: [UInt8]
    }

    private struct Waiter {
        let position: JournalPosition
        let resume: @Sendable (Result<Void, any Error>) -> Void
    }

    private let state: Mutex<State>
    private let wake = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    private let data: DataDirectory
    private let keys: KeyRing
    private let options: Options
    private let onFailure: @Sendable (any Error) -> Void

    /// Starts a new segment after what was replayed.
    ///
    /// - Parameter onFailure: called once, on the journal's thread, when a write or a sync failed: end the process.
    public init(
        _ data: DataDirectory,
        keys: KeyRing,
        space: CellSpace,
        after replayed: JournalReader.Replayed,
        position: JournalPosition,
        options: Options = Options(),
        onFailure: @escaping @Sendable (any Error) -> Void
    ) throws(JournalError) {
        self.data = data
        self.keys = keys
        self.options = options
        self.onFailure = onFailure
        for layout in space.layouts { try data.keep(layout) }
        let segment = Segment(
            in: data.journalPath,
            generation: replayed.nextGeneration,
            nonce: .random(in: .min ... .max),
            first: position.next,
            layouts: space.ids)
        state = Mutex(
            State(
                appended: position,
                durable: position,
                segment: segment,
                segmentBytes: segment.headerSize,
                closed: replayed.segments,
                flushed: .start))
        try File.replace(segment.path, with: segment.header)
        let thread = Thread { [self] in write(from: segment) }
        thread.name = "throng-journal"
        thread.start()
    }

    /// Takes a counted batch. Call in the order of positions; returns before anything is on disk.
    public func append(_ batch: CountedBatch) throws {
        let key = try keys.key(of: batch.window)
        let mustWake = try state.withLock { state in
            guard !state.hasFailed, !state.isStopping else { throw JournalError.failed }
            precondition(batch.position == state.appended.next, "batches are journalled in the order of counting")
            if state.segmentBytes >= options.segmentBytes { rotate(&state, first: batch.position) }
            let frame = try state.segment.frame(batch, key: key)
            if state.chunks.last?.segment.generation == state.segment.generation {
                state.chunks[state.chunks.count - 1].bytes.append(contentsOf: frame)
            } else {
                state.chunks.append(Chunk(segment: state.segment, bytes: frame))
            }
            state.segmentBytes += frame.count
            state.segmentOver = max(state.segmentOver, batch.window.over)
            state.appended = batch.position
            defer { state.isIdle = false }
            return state.isIdle
        }
        if mustWake { wake.signal() }
    }

    /// Returns once everything up to a position is on disk.
    ///
    /// - Throws: ``JournalError/failed`` where it never will be.
    public func durable(_ position: JournalPosition) async throws {
        try await withCheckedThrowingContinuation { continuation in
            durable(position) { continuation.resume(with: $0) }
        }
    }

    /// Calls back once everything up to a position is on disk, or never will be (``JournalError/failed``).
    ///
    /// - Parameter then: called once, here or on the journal's thread, and must not block.
    public func durable(
        _ position: JournalPosition, then resume: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let result: Result<Void, any Error>? = state.withLock { state in
            if state.durable >= position { return .success(()) }
            if state.hasFailed { return .failure(JournalError.failed) }
            state.waiters.append(Waiter(position: position, resume: resume))
            return nil
        }
        if let result { resume(result) }
    }

    /// Removes segments whose batches are all in PostgreSQL and whose windows are over.
    ///
    /// A segment that may hold a part of an unsettled window stays: what one identifier added in a window is known again
    /// only by replaying all of it.
    ///
    /// - Parameters:
    ///   - unsettled: windows that are open, or over with batches that PostgreSQL does not have.
    ///   - now: Unix seconds.
    public func removeSegments(
        flushed: JournalPosition, unsettled: [WindowID] = [], now: Int64
    ) throws(JournalError) {
        let earliest = unsettled.map(\.over).min() ?? .max
        let removable = state.withLock { state in
            state.flushed = max(state.flushed, flushed)
            // Records are replayed in one run, so segments go from the oldest on only.
            let removable = state.closed.prefix { $0.last <= flushed && $0.over <= now && $0.over < earliest }
            state.closed.removeFirst(removable.count)
            return Array(removable)
        }
        for segment in removable { try File.remove(segment.path) }
        if !removable.isEmpty { try File.syncDirectory(data.journalPath) }
    }

    /// Bytes of all segments, written or about to be.
    public var bytes: Int { state.withLock { $0.closed.reduce($0.segmentBytes) { $0 + $1.bytes } } }

    /// Whether a batch may be taken: false once what PostgreSQL lacks has grown to the cap, or the journal failed.
    public var hasRoom: Bool {
        state.withLock { state in
            guard !state.hasFailed, !state.isStopping else { return false }
            let current = state.appended > state.flushed ? state.segmentBytes : 0
            let lacking = state.closed.reversed().prefix { $0.last > state.flushed }.reduce(current) { $0 + $1.bytes }
            return lacking < options.capBytes
        }
    }

    /// Writes and syncs what was appended, then ends the thread. Blocks; not for a thread of the shared pool.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        guard isFirst else { return }
        wake.signal()
        stopped.wait()
    }

    private func rotate(_ state: inout State, first: JournalPosition) {
        state.closed.append(
            KeptSegment(
                path: state.segment.path,
                bytes: state.segmentBytes,
                last: state.appended,
                over: state.segmentOver))
        state.segment = Segment(
            in: data.journalPath,
            generation: state.segment.generation + 1,
            nonce: state.segment.nonce,
            first: first,
            layouts: state.segment.layouts)
        state.segmentBytes = state.segment.headerSize
        state.segmentOver = .min
    }

    // MARK: The thread

    private func write(from segment: Segment) {
        var generation = segment.generation
        do {
            var file = try File(segment.path, flags: O_WRONLY | O_APPEND)
            while true {
                let (chunks, through, isStopping) = state.withLock { state in
                    defer { state.chunks = [] }
                    if state.chunks.isEmpty { state.isIdle = true }
                    return (state.chunks, state.appended, state.isStopping)
                }
                if chunks.isEmpty {
                    if isStopping { break }
                    wake.wait()
                    continue
                }
                for chunk in chunks {
                    if chunk.segment.generation != generation {
                        try file.sync()
                        try File.replace(chunk.segment.path, with: chunk.segment.header)
                        file = try File(chunk.segment.path, flags: O_WRONLY | O_APPEND)
                        generation = chunk.segment.generation
                    }
                    try file.write(chunk.bytes)
                }
                try file.sync()
                release(through: through)
            }
        } catch {
            fail(error)
        }
        stopped.signal()
    }

    private func release(through position: JournalPosition) {
        let ready = state.withLock { state in
            state.durable = position
            let split = state.waiters.partition { $0.position <= position }
            defer { state.waiters.removeSubrange(split...) }
            return Array(state.waiters[split...])
        }
        for waiter in ready { waiter.resume(.success(())) }
    }

    private func fail(_ error: any Error) {
        let waiting = state.withLock { state in
            state.hasFailed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiting { waiter.resume(.failure(JournalError.failed)) }
        onFailure(error)
    }
}
