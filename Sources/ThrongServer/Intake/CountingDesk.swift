internal import Synchronization
internal import ThrongCounting
internal import ThrongIntake
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongWire

/// Takes batches over the whole first half of the way: read, bucket, count, journal. Answers once it is on disk.
final class CountingDesk: Sendable {
    let journal: Journal
    let keys: KeyRing
    let bodies: BodyBudget
    let intake: Intake
    let reveals: RevealDesk
    private let state: Mutex<Counting>
    private let telemetry: Telemetry
    private let clock: UnixClock
    private let calendars: [String: PeriodCalendar]
    private let onFailure: @Sendable (any Error) -> Void

    /// What came of a batch.
    enum Verdict {
        /// Answer this once the journal has come so far.
        case counted(BatchAnswer, Telemetry.BatchOutcome, JournalPosition)
        case optedOut(BatchAnswer)
        case overloaded
        /// The journal does not have it and never will.
        case failed
    }

    init(
        intake: Intake,
        counting: Counting,
        keys: KeyRing,
        journal: Journal,
        reveals: RevealDesk,
        telemetry: Telemetry,
        bodies: BodyBudget,
        clock: UnixClock,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.intake = intake
        self.keys = keys
        self.journal = journal
        self.reveals = reveals
        self.telemetry = telemetry
        self.bodies = bodies
        self.clock = clock
        self.onFailure = onFailure
        var calendars: [String: PeriodCalendar] = [:]
        for layout in counting.space.layouts {
            calendars[layout.timeZone] = PeriodCalendar(timeZone: layout.timeZone)
        }
        self.calendars = calendars
        state = Mutex(counting)
    }

    var limits: IntakeLimits { intake.limits }

    /// Counts a body, or says why not.
    ///
    /// - Throws: ``IntakeError`` where the batch as a whole is refused; note it with ``refuse(_:)``.
    func accept(_ body: UnpackedBody, signals: Set<OptOutSignal>) throws(IntakeError) -> Verdict {
        let outcome = try body.read { bytes throws(IntakeError) in
            try intake.read(bytes, signals: signals, now: clock.now)
        }
        switch outcome {
        case .optedOut(let answer, let app):
            telemetry.answered(.optedOut, answer)
            state.withLock { $0.noteOptOut(of: answer.refused.count, app: app, now: clock.now) }
            return .optedOut(answer)
        case .batch(let incoming):
            guard journal.hasRoom else {
                telemetry.answered(.overloaded)
                return .overloaded
            }
            return try count(incoming)
        }
    }

    /// Lets a body arrive within the budget of all of them.
    ///
    /// - Parameter bytes: the most that it may take.
    /// - Throws: ``IntakeError/noMemory`` where the others leave no room.
    func withRoom<Value>(for bytes: Int, _ work: () async throws -> Value) async throws -> Value {
        guard bodies.exchange(0, for: bytes) else { throw IntakeError.noMemory }
        defer { _ = bodies.exchange(bytes, for: 0) }
        return try await work()
    }

    /// What a body would add, event by event; nothing is counted and nothing is kept.
    ///
    /// - Throws: ``IntakeError`` where the batch as a whole would be refused.
    func preview(_ body: UnpackedBody, signals: Set<OptOutSignal>) throws(IntakeError) -> PreviewAnswer {
        let now = clock.now
        let outcome = try body.read { bytes throws(IntakeError) in
            try intake.read(bytes, signals: signals, now: now, use: .preview)
        }
        switch outcome {
        case .optedOut(let answer, _):
            return PreviewAnswer(
                events: answer.refused.map { .init(index: $0.index, counted: [], refused: $0.reason) })
        case .batch(let incoming):
            let batch = incoming.bucketed
            var trial = state.withLock { $0.forPreview() }
            guard
                let events = trial.preview(batch, now: now, openPeriod: { self.openPeriod(of: $0, now: now) })
            else { throw .windowOutOfRange(current: batch.window.rotation.window(at: now).value) }
            return PreviewAnswer(
                events: events.enumerated().map { index, event in
                    .init(
                        index: index, counted: event.additions.map { tuple(of: $0, in: trial.space) },
                        refused: event.refused)
                })
        }
    }

    private func tuple(of addition: CountedBatch.Addition, in space: CellSpace) -> PreviewAnswer.Tuple {
        let layout = space.layouts[addition.metric]
        let calendar = calendars[layout.timeZone] ?? .utc
        let leaf = layout.buckets(of: addition.cell, in: layout.leaf)
        let kept = layout.dimensions.indices.filter { layout.leaf.keeps($0) }
        return PreviewAnswer.Tuple(
            metric: layout.metric.text,
            buckets: Dictionary(
                uniqueKeysWithValues: zip(kept, leaf).map { place, bucket in
                    let dimension = layout.dimensions[place]
                    let label = intake.vocabulary.name(of: bucket, in: dimension, app: layout.app)
                    return (dimension.name.text, label.text)
                }),
            period: calendar.label(of: calendar.period(layout.period, containing: addition.periodStart)),
            count: addition.count,
            sums: Dictionary(
                uniqueKeysWithValues: zip(layout.sums, addition.sums).map { ($0.name, Double($1) / $0.scale) }))
    }

    /// Notes a request that was refused as a whole.
    func refuse(_ error: IntakeError) { telemetry.refused(error) }

    /// Notes a request for which there was no room.
    func turnAway() { telemetry.answered(.overloaded) }

    private func count(_ incoming: IncomingBatch) throws(IntakeError) -> Verdict {
        let window = incoming.bucketed.window
        let key: WindowKey
        do {
            key = try keys.key(of: window)
        } catch JournalError.windowClosed {
            throw .windowOutOfRange(current: window.rotation.window(at: clock.now).value)
        } catch {
            // The window's key could not be written: nothing was counted.
            if error.isFailedSync { onFailure(error) }
            return .failed
        }
        let identifier = incoming.identifier.keyed(with: key)
        let outcome: Counting.Outcome
        do {
            outcome = try state.withLock { counting in
                // Read here, so that no window is closed between looking at the clock and counting.
                let now = clock.now
                let outcome = counting.count(incoming.bucketed, identifier: identifier, now: now) { layout in
                    self.openPeriod(of: layout, now: now)
                }
                // Counted in memory and not in the journal: only a replay would bring the two together again.
                if case .counted(let batch) = outcome { try journal.append(batch, key: key) }
                return outcome
            }
        } catch {
            // The process is about to end and will replay.
            onFailure(error)
            return .failed
        }
        switch outcome {
        case .counted(let batch):
            let answer = BatchAnswer(
                accepted: batch.answer.accepted, refused: batch.answer.refused,
                reveal: reveals.note(incoming.candidates, of: batch, key: key))
            return .counted(answer, .accepted, batch.position)
        case .repeated(let answer, let position): return .counted(answer, .duplicate, position)
        case .windowOver: throw .windowOutOfRange(current: window.rotation.window(at: clock.now).value)
        }
    }

    private func openPeriod(of layout: MetricLayout, now: Int64) -> Int64 {
        (calendars[layout.timeZone] ?? .utc).period(layout.period, containing: now).start
    }

    // MARK: For the flush

    var position: JournalPosition { state.withLock { $0.position } }
    var flushed: JournalPosition { state.withLock { $0.flushed } }
    var knownFlushed: JournalPosition? { state.withLock { $0.isResolved ? $0.flushed : nil } }

    func resolve(watermark: JournalPosition) { state.withLock { $0.resolve(watermark: watermark) } }

    func freeze() -> Flush? { state.withLock { $0.takePending() }?.flush() }

    func applied(_ flush: Flush, closed: Set<ClosedPeriod>) {
        state.withLock { $0.applied(flush, closed: closed) }
    }

    /// Closes and forgets windows that are over, with their keys and the segments that nothing needs any more.
    func tidy() throws {
        let now = clock.now
        reveals.closeWindows(now: now)
        let known = keys.windows
        // Added up while others count: nobody sends to these windows any more.
        let ended = state.withLock { $0.takeEnded(now: now) }.map { $0.tallied() }
        let settled: [WindowID]
        let flushed: JournalPosition
        do {
            (settled, flushed) = try state.withLock { counting in
                for window in ended {
                    let closing = counting.close(window) { self.openPeriod(of: $0, now: now) }
                    try journal.append(.closing(closing), key: keys.existingKey(of: closing.window))
                }
                return (counting.closeWindows(now: now, among: known), counting.flushed)
            }
        } catch {
            // Counted in memory and not in the journal: the process is about to end and will replay.
            onFailure(error)
            throw error
        }
        do {
            for window in settled { try keys.destroy(keyOf: window) }
            try journal.removeSegments(
                flushed: flushed, unsettled: known.filter { !settled.contains($0) }, now: now)
        } catch {
            if error.isFailedSync { onFailure(error) }
            throw error
        }
    }

    var gauges: Telemetry.Gauges {
        let journalBytes = journal.bytes
        return state.withLock { counting in
            Telemetry.Gauges(
                journalBytes: journalBytes,
                journalLag: counting.position.value - min(counting.position.value, counting.flushed.value),
                pendingCells: counting.pendingCells,
                openPairs: counting.openPairs,
                saturations: counting.saturations,
                bodyBytes: bodies.bytes)
        }
    }
}
