internal import Foundation
internal import ThrongWire

// Withdrawals go whatever the person allows: they say that the person does not allow it any more.
extension Throng {
    /// Notes what the daemon is to take back, of purposes that the person does not allow.
    func takeBackRefused(in plan: DevicePlan) {
        // An age that nobody knows yet, as at each start, is no opt-out.
        let said = Permissions(consents: consents, signals: isChild ? signals.union([.ageSignal]) : signals)
        for purpose in plan.purposes where !said.allowed(purpose) { takeBack(purpose.name) }
    }

    /// Notes that the daemon is to take back what was sent for a purpose.
    func takeBack(_ name: String) {
        memory.takeBack(name, plan?.purpose(name), of: source.app, now: now, wait: options.interval, random: &random)
        due[name] = nil
    }

    /// Sends what may be sent, one after another with random pauses, because the app asks.
    ///
    /// - Returns: what kept some of them, if anything did, and whether nothing was sent.
    func sendWithdrawals() async -> (problem: FlushResult.Problem?, isNothing: Bool) {
        var problem: FlushResult.Problem?
        var isFirst = true
        for next in memory.takingBack.ready(at: now, isAsked: true).shuffled(using: &random) {
            guard !isClosed, !Task.isCancelled else { break }
            if !isFirst { await pause() }
            isFirst = false
            problem = await attemptWithdrawal(next.id).problem ?? problem
            // The next one would wait as long if this one gets no answer.
            if problem == .unreachable { break }
        }
        return (problem, isFirst)
    }

    /// Sends one that is due; others that are due with it wait for a time of their own.
    func sendDueWithdrawal() async {
        let now = now
        let ready = memory.takingBack.ready(at: now, isAsked: false)
        guard let next = ready.randomElement(using: &random) else { return }
        for other in ready where other.id != next.id {
            memory.takingBack[other.id]?.due = now + Int64(options.interval * .random(in: 0.5...1.5, using: &random))
        }
        isSaved = false
        _ = await attemptWithdrawal(next.id)
    }

    private func attemptWithdrawal(_ id: String) async -> Attempt {
        // No purpose has such a name.
        await attempt("withdrawal \(id)") { await $0.withdraw(id) }
    }

    private func withdraw(_ id: String) async -> Attempt {
        // The clock may be wrong: the daemon says what time it is, and what is over goes.
        if memory.takingBack[id]?.place.isOver(at: now) == true { await refreshPlan() }
        guard var withdrawal = memory.takingBack[id] else { return Attempt() }
        guard !withdrawal.place.isOver(at: now) else { return hold(id, .unreachable, retryAfter: 0) }
        var entry = entry(id, of: withdrawal.purpose, at: now, body: withdrawal.body)
        if withdrawal.log == nil {
            withdrawal.log = memory.log.upperBound
            memory.log = memory.log.lowerBound..<memory.log.upperBound + 1
            memory.takingBack[id] = withdrawal
            // A full disk keeps it from being looked at, and from nothing else.
            persistChanges()
            if let place = withdrawal.log { _ = log(entry, at: place) }
        }
        let generation = generation
        let answer: DaemonAnswer<WithdrawalReceipt> = await answer(
            to: .post(Data(withdrawal.body.utf8), to: source.withdrawals), of: withdrawal.purpose,
            isSealed: withdrawal.isSealed)
        switch answer {
        case .taken: entry.outcome = .counted(events: 0, refused: [:])
        case .rejected(let status, let error): entry.outcome = .rejected(status: status, error: error)
        case .busy, .notSent, .unanswered: break
        }
        // A log that was forgotten meanwhile stays so.
        if generation == self.generation, entry.outcome != .unanswered, let place = withdrawal.log {
            _ = log(entry, at: place)
        }
        switch answer {
        case .taken, .rejected(_, "window_out_of_range"):
            memory.takingBack[id] = nil
            // Events that wait may go in this window now.
            due[withdrawal.purpose] = nil
            persistChanges()
            return Attempt()
        case .rejected(let status, let error):
            memory.takingBack[id]?.isRefused = true
            persistChanges()
            return Attempt(problem: .rejected(status: status, error: error))
        case .busy(let seconds): return hold(id, .busy(seconds: seconds), retryAfter: seconds)
        case .notSent, .unanswered: return hold(id, .unreachable, retryAfter: 0)
        }
    }

    /// Notes that it has to be tried again.
    private func hold(_ id: String, _ problem: FlushResult.Problem, retryAfter seconds: Int64) -> Attempt {
        let now = now
        memory.takingBack[id]?.patience.fail(at: now, retryAfter: seconds, random: &random)
        persistChanges()
        return Attempt(problem: problem)
    }
}
