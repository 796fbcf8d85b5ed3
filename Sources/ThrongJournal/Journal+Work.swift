internal import Foundation
internal import Synchronization
internal import ThrongCounting
internal import ThrongFaults

/// What the journal's thread is at: records on their way to disk.
struct JournalWork: ~Copyable {
    var writer: SegmentWriter
    var taken: [Journal.Queued] = []
    /// How many of them are sealed.
    var sealed = 0
    /// Whether they are on disk.
    var isSynced = false
    /// Before then no sync begins.
    var nextSync = Duration.zero

    init(_ writer: consuming SegmentWriter) { self.writer = writer }
}

extension Journal {
    /// How a step ended.
    package enum Step: Sendable, Hashable {
        /// What was taken is on disk, and who waits for it knows. The next step is due then, by ``Machine/elapsed``.
        case released(next: Duration)
        /// There was nothing to write. The next step is due when there is, and within a second.
        case idle
        /// The disk is too full. The next step is due within a second.
        case full
        /// Another process may have this one's place, and PostgreSQL has to be asked first. The next step is due soon.
        case inDoubt
        /// The journal was stopped, or has failed. There is no next step.
        case over
    }

    /// Takes what was appended, writes it, syncs it, and tells who waits for it; or as much of that as can be done without
    /// waiting. For the journal's thread, or for who stands in for it.
    package func step() -> Step {
        work.withLock { work in
            do {
                return try advance(&work)
            } catch {
                fail(error)
                return .over
            }
        }
    }

    /// The thread.
    func run() {
        Thread.current.name = "throng-journal"
        while turn() != .over {}
        stopped.signal()
    }

    /// A step, and the rest after it. For the journal's thread; or for who stands in for it, and takes the next one once
    /// ``isRested``.
    package func turn() -> Step {
        let step = step()
        switch step {
        case .released(let next): rest(next - data.machine.elapsed())
        case .idle: wake.wait(seconds: 1)
        case .full: disk.wait()
        case .inDoubt: rest(.milliseconds(20))
        case .over: break
        }
        return step
    }

    /// Whether the wait that the last turn began is over, where there are no threads.
    package var isRested: Bool { wake.isOver() && disk.isWaitOver }

    private func rest(_ length: Duration) {
        guard data.machine.hasThreads, length > .zero else { return }
        Thread.sleep(forTimeInterval: length / .seconds(1))
    }

    private func advance(_ work: inout JournalWork) throws -> Step {
        disk.look()
        if work.taken.isEmpty {
            let (queue, isStopping) = take()
            guard !queue.isEmpty else {
                if mayAcknowledge { tellWaiting() }
                // Nobody waits for a mark: where there is no space for it, it comes with what is written next.
                let hasRoom = try !mayAcknowledge || disk.attempt { try work.writer.mark() }
                return isStopping ? .over : hasRoom ? .idle : .full
            }
            work.taken = queue
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
        work.taken = []
        FaultPoint.reached("after_acknowledge")
        return .released(next: work.nextSync)
    }

    /// Whether it is certain that this process was not replaced; throws where it was.
    private func isHeldStill() throws(JournalError) -> Bool {
        guard state.withLock({ !$0.hasFailed }) else { throw .failed }
        if mayAcknowledge { return true }
        guard state.withLock({ !$0.isStopping }) else { throw .failed }
        return false
    }

    private func take() -> (queue: [Queued], isStopping: Bool) {
        change { state in
            defer {
                state.isIdle = state.queue.isEmpty
                state.takenBytes = state.queuedBytes
                state.queue = []
                state.queuedBytes = 0
            }
            return (state.queue, state.isStopping)
        }
    }

    /// Writes what was counted as few records: one a run under one key. Goes on where it found no space.
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
                let next = EntryFormat.size(of: work.taken[work.sealed].record)
                // One that is larger than a run has a record of its own.
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

    /// Tells who waits for what is on disk.
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
        // Whoever refused everything knows why.
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
