internal import Foundation
internal import Synchronization
internal import ThrongIngest
internal import ThrongSystem

/// The work of the journal's thread: records on their way to disk.
struct JournalWork: ~Copyable {
    var writer: SegmentWriter
    var taken: [Journal.Queued] = []
    var sealed = 0
    var isSynced = false
    /// The earliest time of the next sync, by ``Machine/elapsed``.
    var nextSync = Duration.zero
}

extension Journal {
    package enum Step: Sendable, Hashable {
        /// The records taken are on disk, and their waiters know. The next step is due at this time, by ``Machine/elapsed``.
        case released(next: Duration)
        /// There was nothing to write. The next step is due once there is, and within a second.
        case idle
        /// The disk is too full. The next step is due within a second.
        case full
        /// Another process may have this one's place, and PostgreSQL has to be asked first. The next step is due soon.
        case inDoubt
        /// The journal was stopped, or has failed. There is no next step.
        case over
    }

    /// Takes what was appended, writes it, syncs it, and tells the waiters; or does as much of that as it can without
    /// waiting. For the journal's thread, or for a caller in its place.
    package func step() -> Step {
        work.withLock { work in
            do { return try advance(&work) } catch {
                fail(error)
                return .over
            }
        }
    }

    /// The fewest records that are worth a sync before its time.
    static var leastGroup: Int { 32 }

    func run() {
        Thread.current.name = "throng-journal"
        while turn() != .over {}
        stopped.signal()
    }

    /// Takes a step and waits as it demands. For its thread, or a caller that waits for ``isRested``.
    package func turn() -> Step {
        let step = step()
        switch step {
        case .released(let next): rest(next - data.machine.elapsed())
        case .idle: wake.wait(.seconds(1))
        case .full: disk.wait()
        case .inDoubt: if data.machine.hasThreads { wake.wait(.milliseconds(20)) }
        case .over: break
        }
        return step
    }

    /// True if the wait that the last turn began is over, for a caller without threads.
    package var isRested: Bool { wake.isOver() && disk.isWaitOver }

    /// Rests for a time, or until so many records wait as are worth a sync before it.
    private func rest(_ length: Duration) {
        guard data.machine.hasThreads else { return }
        let end = data.machine.elapsed() + length
        // A ring may be that of records that were taken since.
        while case let left = end - data.machine.elapsed(), left > .zero,
            !state.withLock({ $0.isStopping || $0.queue.count >= $0.group })
        { wake.wait(left) }
    }

    private func advance(_ work: inout JournalWork) throws -> Step {
        disk.look()
        if work.taken.isEmpty {
            let isStopping = take(into: &work.taken)
            guard !work.taken.isEmpty else {
                if mayAcknowledge { tellWaiting() }
                // Nobody waits for a mark: without space for it, it comes with the next records.
                let hasRoom = try !mayAcknowledge || disk.attempt { try work.writer.mark() }
                return isStopping ? .over : hasRoom ? .idle : .full
            }
            work.sealed = 0
            work.isSynced = false
            work.nextSync = data.machine.elapsed() + options.syncInterval
            if Fault.acknowledgeEarly.isOn {
                release(&work)
                if data.machine.hasThreads { Thread.sleep(forTimeInterval: 0.01) }
            }
        }
        guard try isHeldStill() else { return .inDoubt }
        if !work.isSynced {
            let committed = options.onCommit?(work.taken.count)
            work.isSynced = try disk.attempt { try write(&work) }
            guard work.isSynced else {
                turnAway(.full)
                return .full
            }
            committed?()
            guard try isHeldStill() else { return .inDoubt }
        }
        release(&work)
        // The memory is kept for the next records, unless they were many.
        work.taken.removeAll(keepingCapacity: work.taken.count < 1024)
        FaultPoint.reached("after_acknowledge")
        return .released(next: work.nextSync)
    }

    /// True if this process was certainly not replaced; throws if it was.
    private func isHeldStill() throws(JournalError) -> Bool {
        guard state.withLock({ !$0.hasFailed }) else { throw .failed }
        if mayAcknowledge { return true }
        guard state.withLock({ !$0.isStopping }) else { throw .failed }
        return false
    }

    /// Takes the appended records into an empty array, whose memory is used for the next; true if the journal stops.
    private func take(into taken: inout [Queued]) -> Bool {
        change { state in
            swap(&state.queue, &taken)
            state.isIdle = taken.isEmpty
            // A little fewer than came together: so half of the clients are heard while the other half's records are synced.
            state.group = max(Self.leastGroup, taken.count / 8 * 7)
            state.takenBytes = state.queuedBytes
            state.queuedBytes = 0
            return state.isStopping
        }
    }

    /// Writes the counted records as few journal records: one a run under one key. After a want of space it continues.
    private func write(_ work: inout JournalWork) throws {
        FaultPoint.reached("before_write")
        while work.sealed < work.taken.count {
            if work.writer.bytes >= options.segmentBytes {
                let closed = try work.writer.rotate()
                let current = work.writer.name
                change { state in
                    state.closed.append(closed)
                    state.current = current
                    state.recount()
                }
            }
            let key = work.taken[work.sealed].key
            let room = min(options.segmentBytes - work.writer.bytes, Segment.largestRun, recordLimit)
            var run: [CountedRecord] = []
            var size = 0
            while work.sealed < work.taken.count, work.taken[work.sealed].key.name == key.name {
                let next = work.taken[work.sealed].bytes
                // A counted record that is larger than a run has a journal record of its own.
                let fits = Fault.writeAnyRecord.isOn ? size < room : run.isEmpty || size + next <= room
                guard fits else { break }
                run.append(work.taken[work.sealed].record)
                size += next
                work.sealed += 1
            }
            try work.writer.add(run, key: key)
        }
        try work.writer.sync()
    }

    private func release(_ work: inout JournalWork) {
        guard let position = work.taken.last?.record.position else { return }
        change { state in
            state.durable = position
            state.waitingSince = state.appended == position ? nil : data.machine.elapsed()
            state.currentBytes = work.writer.bytes
            state.takenBytes = 0
        }
        tellWaiting()
    }

    private func tellWaiting() {
        let (ready, position) = state.withLock { state in
            let position = state.durable
            let split = state.waiters.partition { $0.position <= position }
            defer { state.waiters.removeSubrange(split...) }
            return (Array(state.waiters[split...]), position)
        }
        for waiter in ready {
            FaultPoint.reached("before_acknowledge")
            waiter.resume(.success(position))
        }
    }

    private func fail(_ error: any Error) {
        change { $0.hasFailed = true }
        turnAway(.failed)
        // A caller of ``refuseAll()`` knows the reason.
        if case JournalError.failed = error { return }
        onFailure(error)
    }

    func turnAway(_ error: JournalError) {
        let waiting = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiting { waiter.resume(.failure(error)) }
    }
}
