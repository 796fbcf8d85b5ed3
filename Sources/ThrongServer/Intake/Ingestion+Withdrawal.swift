internal import Synchronization
internal import ThrongCounting
internal import ThrongIntake
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongWire

extension Ingestion {
    /// What came of a withdrawal.
    enum WithdrawalVerdict {
        /// Answer once the journal has come so far.
        case noted(receipt: String, JournalPosition)
        case overloaded
        case full(retrySeconds: Int)
        case failed
    }

    /// Notes that somebody wants to be taken out of a window.
    ///
    /// - Throws: ``IntakeError`` where that window is over.
    func withdraw(_ incoming: IncomingWithdrawal) throws(IntakeError) -> WithdrawalVerdict {
        let window = incoming.window
        func over() -> IntakeError { .windowOutOfRange(current: window.rotation.window(at: clock.now).value) }
        let key: WindowKey
        do {
            // Also where nobody was counted yet: what is done does not tell.
            key = try keys.key(of: window)
        } catch JournalError.windowClosed {
            throw over()
        } catch {
            if error.isFailedSync { onFailure(error) }
            return .failed
        }
        let identifier = incoming.identifier.keyed(with: key)
        let outcome: Counting.RequestOutcome?
        do {
            outcome = try state.withLock { counting in
                guard journal.hasRoom else { return nil }
                let outcome = counting.requestRemoval(of: identifier, from: window, now: clock.now)
                if case .noted(let request) = outcome { try journal.append(.removalRequest(request), key: key) }
                return outcome
            }
        } catch {
            onFailure(error)
            return .failed
        }
        reveals.forget(identifier, in: window)
        let receipt = key.receipt(of: identifier)
        switch outcome {
        case nil: return .overloaded
        case .noted(let request): return .noted(receipt: receipt, request.position)
        case .repeated(let position): return .noted(receipt: receipt, position)
        case .windowOver: throw over()
        case .full: return .full(retrySeconds: retrySeconds)
        }
    }

    /// Those who asked to be taken out of one window, and what the journal has of them.
    struct Found: Sendable {
        let window: WindowID
        /// The last of the requests.
        let last: JournalPosition
        /// Each one's batches before its request.
        var batches: [KeyedIdentifier: [CountedBatch]]
    }

    /// What the journal has of those who are to be taken out of a window, once PostgreSQL has all that came of them; nil where
    /// there is nobody. Reads the journal: not for a thread of the shared pool.
    ///
    /// - Throws: ``JournalError`` where the journal can't be read.
    func findDue() throws(JournalError) -> Found? {
        let (due, space) = state.withLock { ($0.dueRemovals(), $0.space) }
        guard let (window, identifiers) = due else { return nil }
        let last = identifiers.values.max() ?? .start
        var found = Found(window: window, last: last, batches: identifiers.mapValues { _ in [] })
        try reader().batches(of: window, through: last, space: space) { batch in
            if let asked = identifiers[batch.identifier], batch.position < asked {
                found.batches[batch.identifier]?.append(batch)
            }
        }
        return found
    }

    /// The sums that one of them may lead, from here on watched; and how much of the journal it takes to find out who leads
    /// without them.
    func watchSums(of found: Found) -> (places: Set<Counting.SumPlace>, through: JournalPosition) {
        state.withLock { ($0.watchSums(of: found.batches, in: found.window), $0.position) }
    }

    /// Who leads sums without them. Reads the journal: not for a thread of the shared pool.
    ///
    /// - Throws: ``JournalError`` where the journal can't be read.
    func leaders(
        of places: Set<Counting.SumPlace>, without found: Found, through last: JournalPosition
    ) throws(JournalError) -> [Counting.SumPlace: SumLeaders] {
        guard !places.isEmpty else { return [:] }
        let (space, gone) = state.withLock { ($0.space, $0.removed(from: found.window)) }
        return try space.leaders(of: places) { add throws(JournalError) in
            try reader().batches(of: found.window, through: last, space: space) { batch in
                if found.batches[batch.identifier] == nil, !gone.contains(batch.identifier) { add(batch) }
            }
        }
    }

    /// Takes them away; false where another process is taking this one's place, which will.
    func remove(_ found: Found, leaders: [Counting.SumPlace: SumLeaders]) throws -> Bool {
        do {
            let key = try keys.existingKey(of: found.window)
            return try state.withLock { counting in
                // As where a batch is counted: who takes this one's place has to learn of it.
                guard journal.isOpen else { return false }
                let records = counting.remove(
                    found.batches, from: found.window, leaders: leaders, largest: journal.mostRemoved)
                for record in records { try journal.append(.removal(record), key: key) }
                return true
            }
        } catch {
            // Taken away in memory and not in the journal: the process is about to end and will replay.
            onFailure(error)
            throw error
        }
    }

    private func reader() throws(JournalError) -> JournalReader { try journal.reader(keys: keys) }
}
