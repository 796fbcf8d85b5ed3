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
    private let intake: Intake
    private let state: Mutex<Counting>
    private let telemetry: Telemetry
    private let clock: UnixClock
    private let calendars: [String: PeriodCalendar]
    private let onFailure: @Sendable (any Error) -> Void

    /// What came of a request.
    enum Verdict {
        case answer(BatchAnswer)
        case refused(IntakeError)
        case overloaded
        /// The journal does not have it and never will.
        case failed
    }

    init(
        intake: Intake,
        counting: Counting,
        keys: KeyRing,
        journal: Journal,
        telemetry: Telemetry,
        clock: UnixClock,
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        self.intake = intake
        self.keys = keys
        self.journal = journal
        self.telemetry = telemetry
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
    /// - Parameter then: called once: here, or on the journal's thread once what was counted is on disk. Must not block.
    func accept(
        _ body: UnpackedBody, signals: Set<OptOutSignal>, then: @escaping @Sendable (Verdict) -> Void
    ) {
        telemetry.received()
        let outcome: IntakeOutcome
        do throws(IntakeError) {
            outcome = try body.read { bytes throws(IntakeError) in
                try intake.read(bytes, signals: signals, now: clock.now)
            }
        } catch {
            telemetry.refused(error)
            return then(.refused(error))
        }
        switch outcome {
        case .optedOut(let answer):
            telemetry.answered(.optedOut, answer)
            then(.answer(answer))
        case .batch(let incoming):
            guard journal.hasRoom else {
                telemetry.answered(.overloaded)
                return then(.overloaded)
            }
            count(incoming, then: then)
        }
    }

    /// Notes a request whose body never came to be read: too large, or packed in a way that can't be unpacked.
    func refuse(_ error: IntakeError) {
        telemetry.received()
        telemetry.refused(error)
    }

    private func count(_ incoming: IncomingBatch, then: @escaping @Sendable (Verdict) -> Void) {
        let window = incoming.bucketed.window
        let identifier: KeyedIdentifier
        do {
            identifier = incoming.identifier.keyed(with: try keys.key(of: window))
        } catch {
            // The window's key could not be written: nothing was counted.
            return then(.failed)
        }
        let outcome: Counting.Outcome
        do {
            let now = clock.now
            outcome = try state.withLock { counting in
                let outcome = counting.count(incoming.bucketed, identifier: identifier, now: now) { layout in
                    self.openPeriod(of: layout, now: now)
                }
                // Counted in memory and not in the journal: only a replay would bring the two together again.
                if case .counted(let batch) = outcome { try journal.append(batch) }
                return outcome
            }
        } catch {
            // The process is about to end and will replay.
            onFailure(error)
            return then(.failed)
        }
        switch outcome {
        case .counted(let batch):
            answer(batch.answer, once: batch.position, .accepted, then)
        case .repeated(let answer, let position):
            self.answer(answer, once: position, .duplicate, then)
        case .windowOver:
            let error = IntakeError.windowOutOfRange(current: window.rotation.window(at: clock.now).value)
            telemetry.refused(error)
            then(.refused(error))
        }
    }

    private func answer(
        _ answer: BatchAnswer, once position: JournalPosition, _ outcome: Telemetry.BatchOutcome,
        _ then: @escaping @Sendable (Verdict) -> Void
    ) {
        journal.durable(position) { [telemetry] result in
            guard case .success = result else { return then(.failed) }
            telemetry.answered(outcome, answer)
            then(.answer(answer))
        }
    }

    private func openPeriod(of layout: MetricLayout, now: Int64) -> Int64 {
        (calendars[layout.timeZone] ?? .utc).period(layout.period, containing: now).start
    }

    // MARK: For the flush

    func resolve(watermark: JournalPosition) { state.withLock { $0.resolve(watermark: watermark) } }

    func freeze() -> Flush? { state.withLock { $0.takePending() }?.flush() }

    func applied(_ flush: Flush, closed: Set<ClosedPeriod>) {
        state.withLock { $0.applied(flush, closed: closed) }
    }

    /// Forgets windows that are over, with their keys and the segments that nothing needs any more.
    func tidy() throws {
        let now = clock.now
        let known = keys.windows
        let (settled, flushed) = state.withLock { ($0.closeWindows(now: now, among: known), $0.flushed) }
        for window in settled { try keys.destroy(keyOf: window) }
        try journal.removeSegments(
            flushed: flushed, unsettled: known.filter { !settled.contains($0) }, now: now)
    }

    var gauges: Telemetry.Gauges {
        let journalBytes = journal.bytes
        return state.withLock { counting in
            Telemetry.Gauges(
                journalBytes: journalBytes,
                journalLag: counting.position.value - min(counting.position.value, counting.flushed.value),
                pendingCells: counting.pendingCells,
                openPairs: counting.openPairs,
                saturations: counting.saturations)
        }
    }
}
