internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan

extension Ingestion {
    /// Notes that a device wants to be removed from a window; answer with the receipt once the journal has reached the position.
    ///
    /// - Throws: ``IntakeError`` if the window is over; ``Unavailable``.
    func withdraw(_ incoming: IncomingWithdrawal) throws -> (receipt: String, JournalPosition) {
        let window = incoming.window
        func over() -> IntakeError { .windowOutOfRange(current: window.rotation.window(at: clock.now).value) }
        let key: WindowKey
        do {
            // The key is made even if nobody was counted yet, so that the act does not tell.
            key = try keys.key(of: window)
        } catch JournalError.windowClosed { throw over() } catch {
            if error.isFailedSync { onFailure(error) }
            throw Unavailable.failed
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
            throw Unavailable.failed
        }
        reveals.forget(identifier, in: window)
        let receipt = key.receipt(of: identifier)
        switch outcome {
        case nil: throw Unavailable.overloaded
        case .noted(let request): return (receipt, request.position)
        case .repeated(let position): return (receipt, position)
        case .windowOver: throw over()
        case .full: throw Unavailable.full(retrySeconds: retrySeconds)
        }
    }

    /// The identifiers that are to be removed from one window, and their batches in the journal.
    struct Found: Sendable {
        let window: WindowID
        /// The last of the requests.
        let last: JournalPosition
        var batches: [KeyedIdentifier: [CountedBatch]]
    }

    /// Returns the batches of identifiers that are to be removed from a window, once PostgreSQL has all their counts;
    /// nil if there are none. It reads the journal: don't call it on a thread of the shared pool.
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

    /// Removes identifiers from a window; returns false if another process is taking this one's place and will do it.
    func remove(_ found: Found) throws -> Bool {
        do {
            let key = try keys.existingKey(of: found.window)
            return try state.withLock { counting in
                // The process that takes this one's place has to learn of it, as of a batch.
                guard journal.isOpen else { return false }
                let records = counting.remove(found.batches, from: found.window, largest: journal.mostRemoved)
                for record in records { try journal.append(.removal(record), key: key) }
                return true
            }
        } catch {
            // The removal is in memory and not in the journal: the process is about to end and will replay.
            onFailure(error)
            throw error
        }
    }

    private func reader() throws(JournalError) -> JournalReader { try journal.reader(keys: keys) }
}
