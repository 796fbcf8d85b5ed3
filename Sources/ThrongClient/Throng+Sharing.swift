internal import Foundation
internal import ThrongWire

// Each step of the actor is a turn if an app and its extension share a directory: it begins with what the others wrote
// and ends with everything written. A request that waits for its answer holds nobody up; its batch has a lease instead.
extension Throng: TurnTaking {
    nonisolated func beginTurn() { assumeIsolated { $0.takeTurn() } }

    nonisolated func endTurn() { assumeIsolated { $0.giveTurn() } }

    private func takeTurn() {
        guard storage.isShared, !isShut else { return }
        do {
            let isChanged = try storage.beginTurn()
            isInTurn = true
            if isChanged { takeOver() }
        } catch {
            // Nothing is read or written in this step, and what is recorded stays in the inbox; the status says so.
            isSaved = false
        }
    }

    private func giveTurn() {
        guard isInTurn else { return }
        persist()
        isInTurn = false
        storage.endTurn()
    }

    /// Goes on from what another process wrote.
    private func takeOver() {
        let isPlanNew = takePlan()
        // A refusal that is not on disk yet is not undone by what is.
        if isConsentSaved, let found = ConsentDocument.read(from: storage, for: source.address) {
            consents = found.consents
        }
        do {
            guard let data = try storage.read(AppStorage.memoryName) else { return isSaved = false }
            let found = try JSONDecoder().decode(DeviceMemory.self, from: data)
            if !memory.isSameDevice(as: found) {
                // The other one has forgotten everything: what is under way does not come back.
                generation += 1
                revealed = RevealedValues(evaluator: options.evaluatorKey)
                due = [:]
            }
            memory.takeOver(found)
            isSaved = true
        } catch {
            // Damaged meanwhile: what this process knows takes its place.
            isSaved = false
        }
        if isPlanNew { takeHeld() }
    }

    /// Follows the plan that another process follows.
    ///
    /// - Returns: whether it is another one than before.
    private func takePlan() -> Bool {
        do {
            guard let data = try storage.read(Self.planName) else { return false }
            let found = try JSONDecoder().decode(StoredPlan.self, from: data)
            guard found.address == source.address else { return false }
            let isConfirmed = found.unixSeconds > .epoch
            guard found.document != stored.document || plan == nil else {
                stored = found
                if isConfirmed { isUnconfirmed = false }
                return false
            }
            plan = try source.read(found.document)
            isUnconfirmed = !isConfirmed && !stored.document.isEmpty
            stored = found
            return true
        } catch {
            // The daemon has it.
            return false
        }
    }

    /// A lease on a batch that is about to be sent; nil if nobody else is there.
    var lease: Outstanding.Lease? {
        storage.isShared ? Outstanding.Lease(holder: process, from: Self.now(of: clock)) : nil
    }

    /// Says whether another process is sending a purpose's batch.
    func isSentElsewhere(_ purpose: String) -> Bool {
        guard storage.isShared, let lease = memory.outstanding[purpose]?.lease else { return false }
        return lease.holder != process && lease.holds(at: Self.now(of: clock))
    }

    /// Says whether nobody else can have sent a batch since this process began to.
    func isSentHereAlone(_ purpose: String) -> Bool {
        !storage.isShared || memory.outstanding[purpose]?.lease?.holder == process
    }
}
