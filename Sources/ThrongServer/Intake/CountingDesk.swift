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
    /// - Throws: ``JournalError`` where the journal failed: the batch is not acknowledged.
    func accept(_ body: UnpackedBody, signals: Set<OptOutSignal>) async throws -> Verdict {
        telemetry.received()
        let outcome: IntakeOutcome
        do throws(IntakeError) {
            outcome = try body.read { bytes throws(IntakeError) in
                try intake.read(bytes, signals: signals, now: clock.now)
            }
        } catch {
            telemetry.refused(error)
            return .refused(error)
        }
        switch outcome {
        case .optedOut(let answer):
            telemetry.answered(.optedOut, answer)
            return .answer(answer)
        case .batch(let incoming):
            guard journal.hasRoom else {
                telemetry.answered(.overloaded)
                return .overloaded
            }
            return try await count(incoming)
        }
    }

    /// Notes a request whose body never came to be read: too large, or packed in a way that can't be unpacked.
    func refuse(_ error: IntakeError) {
        telemetry.received()
        telemetry.refused(error)
    }

    private func count(_ incoming: IncomingBatch) async throws -> Verdict {
        let window = incoming.bucketed.window
        let identifier = incoming.identifier.keyed(with: try keys.key(of: window))
        let now = clock.now
        let outcome = try state.withLock { counting in
            let outcome = counting.count(incoming.bucketed, identifier: identifier, now: now) { layout in
                self.openPeriod(of: layout, now: now)
            }
            if case .counted(let batch) = outcome {
                do {
                    try journal.append(batch)
                } catch {
                    // Counted in memory and not in the journal: only a replay brings the two together again.
                    onFailure(error)
                    throw error
                }
            }
            return outcome
        }
        switch outcome {
        case .counted(let batch):
            try await journal.durable(batch.position)
            telemetry.answered(.accepted, batch.answer)
            return .answer(batch.answer)
        case .repeated(let answer, let position):
            try await journal.durable(position)
            telemetry.answered(.duplicate, answer)
            return .answer(answer)
        case .windowOver:
            let error = IntakeError.windowOutOfRange(current: window.rotation.window(at: now).value)
            telemetry.refused(error)
            return .refused(error)
        }
    }

    private func openPeriod(of layout: MetricLayout, now: Int64) -> Int64 {
        (calendars[layout.timeZone] ?? .utc).period(layout.period, containing: now).start
    }

    // MARK: For the flush

    func resolve(watermark: JournalPosition) { state.withLock { $0.resolve(watermark: watermark) } }

    func freeze() -> Flush? { state.withLock { $0.freeze() } }

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
