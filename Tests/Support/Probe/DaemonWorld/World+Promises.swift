import ThrongSystem

@testable import ThrongJournal
@testable import ThrongServer

extension World {
    /// What must be true at any time.
    func checkNow() { if let found = oracle.checkUpper(database.state) { violation = violation ?? found } }

    /// All faults cease: what must come of it comes within so many turns.
    func settle() {
        trace.say("all faults cease")
        database.loss = nil
        database.latency = .zero
        stutter = nil
        database.set(.up)
        disk.capacity = 64 << 20
        disk.failingSync = nil
        disk.dying = nil
        clock.set(error: 0)
        let isThere = eventually(turns: 60, { daemon.isRunning && !isContested && former == nil }) { startIfDead() }
        guard !isGivenUp else { return }
        guard isThere else { return fail(.neverStarts, "the daemon does not start although nothing is wrong any more") }
        /// Unit: batches.
        func lag() -> UInt64? { daemon.ingestion?.gauges.journalLag }
        let isDelivered = eventually(turns: 200, { daemon.isRunning && lag() == 0 }) { startIfDead() }
        guard isDelivered else { return fail(.neverArrives, "\(lag() ?? 0) batches wait") }
        checkReadiness()
        // Windows end, and what is counted then arrives.
        for _ in 0..<16 { turn(.seconds(900)) }
        for _ in 0..<8 { turn(.seconds(40)) }
        violation = violation ?? oracle.checkFinal(database.state)
        daemon.end()
        executor.drain()
    }

    /// Who says that it is ready answers.
    private func checkReadiness() {
        let before = oracle.acknowledged
        let isReady = eventually(turns: 5, { daemon.ingestion?.journal.hasRoom == true }) {}
        guard isReady else { return fail(.readiness, "not ready although nothing is wrong any more") }
        var chance = SeededGenerator(seed: 5)
        // Windows that a wrong clock took for over stay over.
        let isAnswered = eventually(turns: 20, length: .seconds(400), { oracle.acknowledged > before }) {
            post(&chance)
        }
        if !isAnswered { fail(.readiness, "ready, and nothing is acknowledged") }
    }

    private func turn(_ length: Duration) {
        pass(length)
        daemon.write()
        daemon.flush()
        daemon.schedule()
        attend()
        noteState()
    }

    private func eventually(turns: Int, length: Duration = .seconds(2), _ isSo: () -> Bool, _ work: () -> Void) -> Bool
    {
        for _ in 0..<turns {
            if violation != nil { return true }
            if isSo() || isGivenUp { return true }
            work()
            turn(length)
        }
        return isSo()
    }
}
