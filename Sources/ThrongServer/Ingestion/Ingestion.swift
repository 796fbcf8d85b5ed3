internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore

/// Takes batches through the first half of the way: read, bucket, count, journal. Each is answered once it is on disk.
final class Ingestion: Sendable {
    let journal: Journal
    let keys: KeyRing
    let bodies: BodyBudget
    let slow: SlowBatches
    /// The thread for proofs, each a millisecond: a client that sends false ones delays nobody who sends none.
    let proving: SlowBatches
    /// Checks proofs of identifiers; nil if no plan asks for any.
    let proofs: ProofCheck?
    /// Keeps firsts that devices prove; nil if no plan asks for any.
    let firsts: FirstStore?
    let trials: SlowBatches
    let intake: Intake
    let reveals: VocabularyLearner
    let quotas: NetworkQuotas
    let neighbours: Neighbours
    let state: Mutex<Counting>
    /// The position up to which the checkpoint that it started from relies on PostgreSQL.
    let restored: JournalPosition
    /// The number of batches in kept flushes that PostgreSQL has yet to get again.
    let toMakeAgain = Atomic<UInt64>(0)
    private let believed: BelievedTime
    let telemetry: Telemetry
    let clock: UnixClock
    private let trustedClock: MachineClock
    private let onFullWindows: @Sendable (_ areFull: Bool) -> Void
    private let saidFull = Atomic<Bool>(false)
    let onFailure: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - onFullWindows: called when memory for open windows has filled up, and when there is room again.
    ///   - onFailure: called when a count could not be journalled: end the process.
    init(
        intake: Intake, counting: Counting, keys: KeyRing, journal: Journal, believed: BelievedTime,
        reveals: VocabularyLearner, proofs: ProofCheck? = nil, firsts: FirstStore? = nil, telemetry: Telemetry,
        bodies: BodyBudget, quotas: NetworkTallies.Limits = .init(), neighbours: Neighbours, clock: UnixClock,
        trustedClock: MachineClock, restored: JournalPosition = .start,
        onFullWindows: @escaping @Sendable (_ areFull: Bool) -> Void = { _ in },
        onFailure: @escaping @Sendable (any Error) -> Void
    ) {
        (self.intake, self.keys, self.journal, self.believed, self.reveals) = (intake, keys, journal, believed, reveals)
        (self.telemetry, self.bodies, self.neighbours) = (telemetry, bodies, neighbours)
        (self.proofs, self.firsts) = (proofs, firsts)
        self.quotas = NetworkQuotas(quotas)
        slow = SlowBatches(bodies: bodies)
        proving = SlowBatches(bodies: bodies, label: "throng-proofs", most: 1024)
        trials = SlowBatches(bodies: bodies, label: "throng-previews", most: 32)
        (self.clock, self.trustedClock, self.restored) = (clock, trustedClock, restored)
        (self.onFullWindows, self.onFailure) = (onFullWindows, onFailure)
        state = Mutex(counting)
    }

    var limits: IntakeLimits { intake.limits }

    /// Counts a body, or returns the reason why not; note a refusal of the whole batch with ``refuse(_:)``.
    func accept(
        _ body: UnpackedBody, signals: Set<OptOutSignal>, bearer: String? = nil, from network: ClientNetwork? = nil,
        isSealed: Bool = false
    ) throws(IntakeError) -> BatchOutcome {
        let outcome = try body.read { bytes throws(IntakeError) in
            try intake.read(bytes, signals: signals, bearer: bearer, now: clock.now, isSealed: isSealed)
        }
        return try accept(outcome, from: network)
    }

    /// Counts a body on an event loop, unless the batch takes long to read or has a proof.
    func acceptQuickly(
        _ body: UnpackedBody, signals: Set<OptOutSignal>, bearer: String? = nil, from network: ClientNetwork? = nil,
        isSealed: Bool
    ) throws(IntakeError) -> BatchOutcome {
        let outcome = try body.read { bytes throws(IntakeError) in
            try intake.readQuickly(bytes, signals: signals, bearer: bearer, now: clock.now, isSealed: isSealed)
        }
        guard let outcome else { return .later(slow) }
        if case .batch(let incoming) = outcome, incoming.proof != nil { return .later(proving) }
        return try accept(outcome, from: network)
    }

    private func accept(_ outcome: IntakeOutcome, from network: ClientNetwork?) throws(IntakeError) -> BatchOutcome {
        switch outcome {
        case .optedOut(let answer, let app, var sender):
            if let known = sender {
                switch neighbours.place(of: known.identifier.text, in: known.window, isOfKeyHolder: known.isOfKeyHolder)
                {
                case .own(let epoch): sender = known.taken(over: epoch)
                case .other(let member): return .elsewhere(member)
                case .undecided: return .unavailable(.changing)
                }
            }
            return forget(sender, answer: answer, app: app)
        case .consentOutdated(let answer, let app):
            state.withLock { $0.noteUnwanted(answer.refused.count, .consentOutdated, app: app, now: clock.now) }
            telemetry.answered(.consentOutdated, answer)
            return .unwanted(answer)
        case .keptApart(let answer):
            telemetry.answered(.test)
            return .unwanted(answer)
        case .batch(let incoming):
            let window = incoming.bucketed.window
            switch neighbours.place(of: incoming.slotText, in: window, isOfKeyHolder: incoming.isOfKeyHolder) {
            case .own(nil): return try take(incoming, from: network)
            case .own(let epoch): return try take(incoming.taken(over: epoch), from: network)
            case .other(let member): return .elsewhere(member)
            case .undecided: return .unavailable(.changing)
            }
        }
    }

    func take(_ incoming: IncomingBatch, from network: ClientNetwork? = nil) throws(IntakeError) -> BatchOutcome {
        try checkSize(of: incoming.bucketed)
        guard journal.hasRoom else { return turnedAway() }
        return try count(incoming, from: network)
    }

    func refuse(_ error: IntakeError) { telemetry.refused(error) }

    func turnAway() { telemetry.answered(.overloaded) }

    private func turnedAway(_ reason: Unavailable = .overloaded) -> BatchOutcome {
        turnAway()
        return .unavailable(reason)
    }

    /// Refuses a batch that the journal would not take, before anything is counted.
    func checkSize(of batch: BucketedBatch) throws(IntakeError) {
        if let size = journal.excessiveSize(of: batch) {
            throw .recordTooLarge(bytes: size, limit: journal.recordLimit)
        }
    }

    /// Notes a batch that came with an opt-out signal. Its sender's earlier events in the window's funnels and
    /// frequencies do not count when the window closes.
    private func forget(_ sender: IncomingWithdrawal?, answer: BatchAnswer, app: AppName) -> BatchOutcome {
        var forgotten: JournalPosition?
        do {
            if let sender {
                let key = try keys.existingKey(of: sender.window)
                let identifier = sender.identifier.keyed(with: key)
                let isTaken = try state.withLock { counting in
                    // The process that takes this one's place has to learn of it, as of a batch.
                    guard journal.hasRoom else { return false }
                    if let record = counting.withdraw(identifier, from: sender.window, now: clock.now) {
                        try journal.append(.withdrawal(record), key: key)
                        forgotten = record.position
                    }
                    return true
                }
                guard isTaken else { return turnedAway() }
            }
        } catch JournalError.windowClosed {
            // A window without a key knows nobody.
            forgotten = nil
        } catch {
            // The withdrawal is in memory and not in the journal: the process is about to end and will replay.
            onFailure(error)
            return .unavailable(.failed)
        }
        state.withLock { $0.noteUnwanted(answer.refused.count, app: app, now: clock.now) }
        guard let forgotten else {
            telemetry.answered(.optedOut, answer)
            return .unwanted(answer)
        }
        return .counted(answer, .optedOut, forgotten)
    }

    private func count(_ incoming: IncomingBatch, from network: ClientNetwork?) throws(IntakeError) -> BatchOutcome {
        let window = incoming.bucketed.window
        let key: WindowKey
        do { key = try keys.key(of: window) } catch JournalError.windowClosed {
            throw .windowOutOfRange(current: window.rotation.window(at: clock.now).value)
        } catch {
            // The window's key could not be written: nothing was counted.
            if error.isFailedSync { onFailure(error) }
            return .unavailable(.failed)
        }
        let identifier = incoming.identifier.keyed(with: key)
        if let proof = incoming.proof, proofs?.holds(proof, in: window.asOpened) != true { throw .unproved }
        let liftsFloors = try note(incoming, identifier, key: key, from: network)
        let outcome: Counting.Outcome?
        do {
            outcome = try state.withLock { counting in
                // The journal is checked under the lock: once it is closed, all counts are in the next freeze.
                guard journal.isOpen else { return nil }
                // The clock is read under the lock, so that no window is closed between the look at it and the count.
                let outcome = counting.count(
                    incoming.bucketed, identifier: identifier, hasProof: incoming.proof != nil,
                    liftsFloors: liftsFloors, now: clock.now)
                // A count in memory that is not in the journal could be mended only by a replay.
                if case .counted(let batch) = outcome { try journal.append(batch, key: key) }
                return outcome
            }
        } catch {
            // The process is about to end and will replay.
            onFailure(error)
            return .unavailable(.failed)
        }
        switch outcome {
        case .counted(let batch):
            let answer = BatchAnswer(
                accepted: batch.answer.accepted, refused: incoming.explained(batch.answer.refused),
                reveal: reveals.note(incoming.candidates, of: batch, key: key, liftsFloors: liftsFloors))
            return .counted(answer, .accepted, batch.position)
        case .repeated(let answer, let position):
            let explained = BatchAnswer(
                accepted: answer.accepted, refused: incoming.explained(answer.refused), unlisted: answer.unlisted)
            return .counted(explained, .duplicate, position)
        case .full:
            sayWhetherFull()
            return turnedAway(.full(retrySeconds: retrySeconds))
        case .withdrawn:
            let batch = incoming.bucketed
            let answer = BatchAnswer(
                accepted: 0, refused: batch.events.indices.map { .init(index: $0, reason: .optedOut) })
            state.withLock { $0.noteUnwanted(batch.events.count, app: batch.window.app, now: clock.now) }
            telemetry.answered(.optedOut, answer)
            return .unwanted(answer)
        case nil: return turnedAway()
        case .windowOver: throw .windowOutOfRange(current: window.rotation.window(at: clock.now).value)
        }
    }

    /// The time until there may be room in memory again. Unit: seconds.
    var retrySeconds: Int {
        let end = state.withLock { $0.nextEnd } ?? .epoch
        return Int(min(max(end - clock.now, 5), Self.longestRetry))
    }

    /// The longest time after which a client is told to come again once a window is over. Unit: seconds.
    private static let longestRetry: Int64 = 300

    var areWindowsFull: Bool { state.withLock { $0.isFull } }

    private func sayWhetherFull() {
        let areFull = areWindowsFull
        if saidFull.exchange(areFull, ordering: .relaxed) != areFull { onFullWindows(areFull) }
    }

    // MARK: For the flush

    var position: JournalPosition { state.withLock { $0.position } }
    var flushed: JournalPosition { state.withLock { $0.flushed } }
    var knownFlushed: JournalPosition? { state.withLock { $0.isResolved ? $0.flushed : nil } }

    func resolve(watermark: JournalPosition) { state.withLock { $0.resolve(watermark: watermark) } }

    /// The ends of the first and the last window whose closing has yet to reach PostgreSQL; nil if there is none.
    var owed: ClosedRange<UnixSeconds>? { state.withLock { $0.owed } }

    func freeze() -> Flush? { state.withLock { $0.takePending() }?.flush() }

    func applied(_ flush: Flush, closed: Set<ClosedPeriod>) { state.withLock { $0.applied(flush, closed: closed) } }

    /// Closes and forgets windows that are over, with their keys and the segments that nothing needs any more; does
    /// nothing while the time of day is not believed.
    func tidy() throws {
        guard trustedClock.doubt == nil else { return }
        let now = clock.now
        reveals.forgetWindows(overBy: now)
        noteNetworks(overBy: now)
        let known = keys.windows
        // The sums are made while others count: nobody sends to these windows any more.
        let ended = state.withLock { $0.takeEnded(now: now) }.map { $0.tallied() }
        let settled: [WindowID]
        let flushed: JournalPosition
        do {
            (settled, flushed) = try state.withLock { counting in
                for window in ended {
                    for closing in counting.close(window, now: now) {
                        try journal.append(.closing(closing), key: keys.existingKey(of: closing.window))
                    }
                }
                return (counting.closeWindows(now: now, among: known), counting.flushed)
            }
        } catch {
            // The closing is in memory and not in the journal: the process is about to end and will replay.
            onFailure(error)
            throw error
        }
        sayWhetherFull()
        do {
            try keys.destroy(keysOf: settled)
            try journal.removeSegments(flushed: flushed, unsettled: known.filter { !settled.contains($0) }, now: now)
            // A time that PostgreSQL has not confirmed may be years ahead.
            if trustedClock.isConfirmed { try believed.raise(to: now) }
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
                journalLag: counting.position.value - min(counting.position.value, counting.flushed.value)
                    + toMakeAgain.load(ordering: .relaxed), pendingCells: counting.pendingCells,
                openPairs: counting.openPairs, saturations: counting.saturations, bodyBytes: bodies.bytes,
                windowBytes: counting.windowBytes, refusalBytes: counting.refusalBytes)
        }
    }

    /// Notes a batch of a network.
    ///
    /// - Parameter network: the client's network; nil if it is not known: nothing is bounded then.
    /// - Returns: true if the batch's identifier lifts floors.
    func note(
        _ incoming: IncomingBatch, _ identifier: KeyedIdentifier, key: WindowKey, from network: ClientNetwork?
    ) throws(IntakeError) -> Bool {
        // Backends send for many from one place, and are known otherwise.
        guard let network, !incoming.isBackend else { return !incoming.isBot }
        let window = incoming.bucketed.window
        let verdict = quotas.note(
            identifier, from: network, in: window, key: key,
            events: incoming.bucketed.events.count, lifting: incoming.floorPerNetwork, now: clock.now)
        switch verdict {
        case .admitted(let liftsFloors): return liftsFloors && !incoming.isBot
        case .refused(let retrySeconds):
            // A batch that was counted gets its answer again, or its client would send the events in another one.
            if state.withLock({ $0.hasCounted(incoming.bucketed) }) { return true }
            let next = window.rotation.start(of: WindowNumber(window.number.value + 1))
            throw .networkQuota(retrySeconds: Int(min(max(min(next - clock.now, retrySeconds), 5), 86_400)))
        }
    }

    /// Forgets networks of windows that are over; notes the share of the largest ones, if that isolates nobody.
    func noteNetworks(overBy now: UnixSeconds) {
        for ended in quotas.takeEnded(overBy: now) {
            guard let threshold = intake.largestThreshold(of: ended.window.app),
                let share = NetworkShare(ended.largest, of: ended.all, threshold: threshold)
            else { continue }
            state.withLock { $0.note(share, of: ended.window) }
        }
    }
}

/// The outcome of a batch that was read and not refused.
enum BatchOutcome {
    /// It is counted; send the answer once the journal has reached the position.
    case counted(BatchAnswer, Telemetry.BatchKind, JournalPosition)
    /// Nothing of it is counted, as its sender or the plan wants.
    case unwanted(BatchAnswer)
    case elsewhere(Member)
    /// Nothing has happened yet: it has to wait for its turn here.
    case later(SlowBatches)
    case unavailable(Unavailable)
}

/// Bounds the batches of one network, so that nobody can pose as a crowd from one place.
///
/// A network is known by its prefix keyed with the window's key, in memory only. It goes nowhere else.
final class NetworkQuotas: Sendable {
    private let tallies: Mutex<NetworkTallies>

    init(_ limits: NetworkTallies.Limits) { tallies = Mutex(NetworkTallies(limits: limits)) }

    /// Notes a batch that is about to be counted.
    ///
    /// - Parameter lifting: the number of identifiers of one network that lift floors; nil for all.
    func note(
        _ identifier: KeyedIdentifier, from network: ClientNetwork, in window: WindowID, key: WindowKey, events: Int,
        lifting: Int? = nil, now: UnixSeconds
    ) -> NetworkTallies.Verdict {
        func source(_ network: ClientNetwork) -> NetworkTallies.Source {
            .init(network: network.prefix.keyed(with: key), place: network.place)
        }
        // If networks are told apart for floors, a client of an unknown network lifts none.
        let lifting = network.isUnreadable ? lifting.map { _ in 0 } : lifting
        let (from, claims) = (source(network), network.claims.map { source($0) })
        return tallies.withLock {
            $0.note(identifier, from: from, claiming: claims, in: window, events: events, lifting: lifting, now: now)
        }
    }

    /// Forgets windows of which no batch is accepted any more; returns the amounts of their largest networks.
    func takeEnded(overBy now: UnixSeconds) -> [NetworkTallies.Ended] { tallies.withLock { $0.takeEnded(overBy: now) } }
}
