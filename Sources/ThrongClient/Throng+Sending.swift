internal import Foundation
internal import ThrongWire

extension Throng {
    struct Attempt: Sendable {
        var counted = 0
        var tested = 0
        var refused = 0
        var problem: FlushResult.Problem?
    }

    /// Sends everything that may be sent now, and waits for the answers.
    ///
    /// Purposes go one after another in random order, with a random pause between two batches, so that their times of
    /// arrival don't link them. Events that wait for their purpose's next window stay, and so do those that the daemon
    /// asked to hold back; the result says how many.
    public func flush() async -> FlushResult {
        drain()
        var result = FlushResult()
        if needsPlan, !isClosed { await refreshPlan() }
        await renewCredentials()
        var isFirst: Bool
        (result.problem, isFirst) = await sendWithdrawals()
        for purpose in (plan?.purposes ?? []).shuffled(using: &random).map(\.name) {
            while !isClosed, !Task.isCancelled {
                guard let ready = plan?.purpose(purpose), permissions.allows(ready), isReady(ready) else { break }
                if !isFirst {
                    await pause()
                    // The person may have changed their mind meanwhile.
                    guard let ready = plan?.purpose(purpose), permissions.allows(ready), isReady(ready) else { break }
                }
                isFirst = false
                let attempt = await attempt(purpose)
                result.counted += attempt.counted
                result.tested += attempt.tested
                result.refused += attempt.refused
                if let problem = attempt.problem {
                    result.problem = problem
                    if case .rejected = problem { continue }
                    break
                }
            }
        }
        await sendFirsts()
        drain()
        persist()
        result.withdrawing = memory.takingBack.waiting.count
        result.waiting = memory.waiting + memory.outstanding.values.reduce(0) { $0 + $1.count } + held.count
        if plan == nil || isUnconfirmed, let planProblem { result.problem = .noPlan(planProblem) }
        if result.problem == nil, let until = memory.patience.values.map(\.retryAfter).max() {
            let seconds = until - now
            if seconds > 0 { result.problem = .busy(seconds: seconds) }
        }
        schedule()
        return result
    }

    /// Sets the timer to when the next batch is due.
    func schedule() {
        guard options.sendsByItself, !isClosed else { return }
        let now = self.now
        for purpose in plan?.purposes ?? [] { due[purpose.name] = dueTime(of: purpose, now: now) }
        let first = min(
            due.values.min() ?? nextRefresh, memory.takingBack.nextDue ?? nextRefresh, nextCredential ?? nextRefresh,
            nextFirst ?? nextRefresh)
        let next = max(min(nextRefresh, first), now + 1)
        if let timer, timer.due <= next { return }
        timer?.task.cancel()
        let clock = clock
        let task = Task { [weak self] in
            do { try await clock.sleep(seconds: Double(next - now)) } catch { return }
            await self?.timerFired()
        }
        timer = (next, task)
    }

    /// Returns the time when the next batch of a purpose is due; nil if nothing waits.
    private func dueTime(of purpose: DevicePlan.Purpose, now: UnixSeconds) -> UnixSeconds? {
        let isUnanswered = memory.outstanding[purpose.name] != nil
        guard isUnanswered || !(memory.queues[purpose.name]?.isEmpty ?? true) else { return nil }
        if let patience = memory.patience[purpose.name], patience.notBefore > now { return patience.notBefore }
        if let known = due[purpose.name] { return known }
        if isUnanswered { return isSentElsewhere(purpose.name) ? now + 5 : now }
        // The next window has room if this one has none left.
        let opening = purpose.rotation.start(of: WindowNumber(purpose.rotation.window(at: now).value + 1))
        let wait = options.interval * Double.random(in: 0.5...1.5, using: &random)
        return (memory.hasBatch(purpose, now: now) ? now : opening) + Int64(wait)
    }

    private func timerFired() async {
        timer = nil
        guard !isClosed else { return }
        drain()
        if needsPlan, nextRefresh <= now { await refreshByItself() }
        await renewCredentials()
        let now = self.now
        let ready = due.filter { $0.value <= now }.keys.sorted()
        // One purpose at a time, in random order: those that were due together, as after hours offline, part again.
        if let next = ready.randomElement(using: &random) {
            for purpose in ready {
                let wait = options.interval * Double.random(in: 0.5...1.5, using: &random)
                due[purpose] = purpose == next ? nil : now + Int64(wait)
            }
            if let purpose = plan?.purpose(next), permissions.allows(purpose), isReady(purpose) {
                _ = await attempt(next)
            }
        }
        await sendDueWithdrawal()
        await sendDueFirst()
        if nextRefresh <= now { await refreshByItself() }
        persist()
        schedule()
    }

    /// Asks for a newer plan; soon again if it is the first one, or one that events wait for.
    private func refreshByItself() async {
        // Set before it is waited for, so that only one asks.
        nextRefresh = now + (needsPlan ? min(20 << Int64(min(planFailures, 5)), 900) : 900)
        if await refreshPlan() { nextRefresh = now + max(options.planAge, 900) }
    }

    /// Says whether a batch of a purpose may be sent now: one that waits, or one that can be made.
    private func isReady(_ purpose: DevicePlan.Purpose) -> Bool {
        let now = self.now
        guard !isUnconfirmed, !isSentElsewhere(purpose.name),
            (memory.patience[purpose.name]?.retryAfter ?? .epoch) <= now
        else { return false }
        return memory.outstanding[purpose.name] != nil || memory.hasBatch(purpose, now: now)
    }

    /// Makes one attempt for a purpose, or waits for the one that is under way.
    private func attempt(_ purpose: String) async -> Attempt {
        await attempt(purpose) { await $0.attemptAlone(purpose) }
    }

    /// Makes an attempt, or waits for the one of that name that is under way.
    func attempt(_ name: String, by make: @escaping @Sendable (isolated Throng) async -> Attempt) async -> Attempt {
        if let running = attempts[name] { return await running.value }
        let task = Task {
            // Taken out before anyone who waits goes on, or they would find it over and over again.
            defer { attempts[name] = nil }
            return await make(self)
        }
        attempts[name] = task
        return await task.value
    }

    private func attemptAlone(_ name: String) async -> Attempt {
        if await evaluateValues(of: name) {
            // The person may have changed their mind meanwhile.
            guard !isClosed, let ready = plan?.purpose(name), permissions.allows(ready), isReady(ready) else {
                return Attempt()
            }
        }
        let attested = await attestedIdentifier(of: name)
        // Looked at again: the person may have changed their mind meanwhile.
        guard let plan, let purpose = plan.purpose(name), permissions.allows(purpose) else { return Attempt() }
        guard !isSentElsewhere(name) else { return Attempt() }
        let now = self.now
        memory.forgetOld(now: now, ageLimit: options.ageLimit)
        if let old = memory.outstanding[name], old.isOver(at: purpose.rotation.window(at: now).value) {
            if old.mayHaveArrived { memory.giveUp(old, of: name, reason: .unanswered) } else { takeBack(old, of: name) }
            isSaved = false
        }
        let rules = DeviceMemory.BatchRules(
            ageLimit: options.ageLimit, batchLimit: options.batchLimit, queueLimit: options.queueLimit,
            consentVersion: purpose.needsConsent && purpose.consentVersion > 1 ? consents.version(of: name) : nil,
            key: options.key, isTest: options.isTest, attested: attested)
        guard
            var batch = memory.outstanding[name]
                ?? memory.makeBatch(purpose, plan: plan, now: now, rules: rules, revealed: &revealed, random: &random)
        else {
            persist()
            return Attempt()
        }
        let before = batch.mayHaveArrived
        batch.mayHaveArrived = true
        batch.lease = lease
        memory.outstanding[name] = batch
        if purpose.countsChildren { memory.use(batch, of: purpose) }
        isSaved = false
        // First on disk, then on the wire: a crash in between must not send the events a second time.
        guard persist(), log(batch, of: name, .unanswered) else {
            batch.mayHaveArrived = before
            batch.lease = nil
            memory.outstanding[name] = batch
            isSaved = false
            return Attempt(problem: .storage)
        }
        let generation = generation
        let answer = await send(batch, of: name, refusing: signals)
        guard generation == self.generation else { return Attempt() }
        if case .rejected(_, "window_out_of_range") = answer, !before, await travelsAgain(batch, of: name, answer) {
            return Attempt()
        }
        guard generation == self.generation else { return Attempt() }
        if case .rejected(_, "oblivious_only") = answer, await goesSealed(batch, of: name) { return Attempt() }
        guard generation == self.generation else { return Attempt() }
        if case .rejected(let status, "unproved") = answer, !before, goesUnproved(batch, of: purpose, status) {
            return Attempt()
        }
        let result = settle(batch, of: name, mayHaveArrived: before, answer)
        if case .taken(let answer) = answer, answer.refused.contains(where: { $0.reason == .consentOutdated }) {
            // The daemon has a newer plan, by which people are to be asked again.
            await refreshPlan()
        }
        await revealPending()
        return result
    }

    /// Asks the daemon what time it is, as a batch came in no window that is open. If the clock was wrong, its events
    /// go back to the queue, to travel in the right one; the batch itself was not counted, and never can be.
    private func travelsAgain(_ batch: Outstanding, of purpose: String, _ answer: DaemonAnswer<BatchAnswer>) async
        -> Bool
    {
        let before = memory.correction.seconds
        guard await refreshPlan(), isOurs(batch, of: purpose), case .rejected(let status, let error) = answer, let plan
        else { return false }
        let shift = memory.correction.seconds - before
        guard shift != 0 else { return false }
        let events = batch.events.map { $0.moved(by: shift, in: plan.calendar, now: now) }
        putBack(events, of: batch, of: purpose, status: status, error: error)
        return true
    }

    /// Asks for the plan by which a batch was to be sealed; its events go back, to travel under that.
    private func goesSealed(_ batch: Outstanding, of purpose: String) async -> Bool {
        guard !batch.isSealed, await refreshPlan(), plan?.purpose(purpose)?.isOblivious == true,
            isOurs(batch, of: purpose)
        else { return false }
        putBack(batch.events, of: batch, of: purpose, status: 403, error: "oblivious_only")
        return true
    }

    /// Says whether a batch still waits for its answer, and nobody else can have sent it.
    func isOurs(_ batch: Outstanding, of purpose: String) -> Bool {
        memory.outstanding[purpose]?.batch == batch.batch && isSentHereAlone(purpose)
    }

    /// Moves events of a batch that was rejected, and so not counted, back to the queue.
    func putBack(_ events: [QueuedEvent], of batch: Outstanding, of purpose: String, status: Int, error: String) {
        _ = log(batch, of: purpose, .rejected(status: status, error: error))
        memory.putBack(events, of: batch, of: purpose, queueLimit: options.queueLimit)
        persistChanges()
    }

    private func send(
        _ batch: Outstanding, of purpose: String, refusing signals: Set<OptOutSignal>
    ) async -> DaemonAnswer<BatchAnswer> {
        var headers: [String: String] = [:]
        if signals.contains(.globalPrivacyControl) { headers["Sec-GPC"] = "1" }
        if signals.contains(.doNotTrack) { headers["DNT"] = "1" }
        return await answer(
            to: .post(Data(batch.body.utf8), to: source.batches(of: batch), headers: headers), of: purpose,
            isSealed: batch.isSealed)
    }

    /// Sends a request of a purpose, and reads what the daemon says.
    func answer<Word: Decodable & Sendable>(
        to request: ClientRequest, of purpose: String, isSealed: Bool
    ) async -> DaemonAnswer<Word> {
        do throws(TransportFailure) {
            return DaemonAnswer(try await send(request, of: purpose, isSealed: isSealed), now: now)
        } catch { return DaemonAnswer(error) }
    }

    private func settle(
        _ sent: Outstanding, of purpose: String, mayHaveArrived: Bool, _ answer: DaemonAnswer<BatchAnswer>
    ) -> Attempt {
        // Withdrawn while it was under way: it left, so the log says so, and nothing of it is kept.
        let isKept = memory.outstanding[purpose]?.batch == sent.batch
        let isAlone = isSentHereAlone(purpose)
        let mayHaveArrived = mayHaveArrived || !isAlone
        isSaved = false
        defer { persist() }
        var batch = sent
        batch.lease = nil
        var result = Attempt()
        var wait: Int64 = 0
        switch answer {
        case .taken(let answer):
            memory.patience[purpose] = nil
            if isKept, let plan {
                batch.mayHaveArrived = mayHaveArrived
                memory.settle(batch, of: purpose, answer: answer)
                if let rotation = plan.purpose(purpose)?.rotation {
                    // The window's other batches need no proof.
                    if sent.proves { memory.proved[purpose] = RotationWindow(window: sent.window, rotation: rotation) }
                    memory.takingBack.forget(beyond: sent.window, of: purpose, rotation: rotation)
                }
                revealed.answer(answer.reveal ?? [], purpose: purpose, window: sent.window, in: plan, random: &random)
            }
            let refused = answer.refused.filter { sent.events.indices.contains($0.index) }
            result.refused = Set(refused.map(\.index)).reduce(0) { $0 + sent.events[$1].count }
            let (taken, isTest) = (sent.count - result.refused, answer.test != nil)
            (result.counted, result.tested) = isTest ? (0, taken) : (taken, 0)
            let reasons = Dictionary(refused.map { ($0.index, $0.reason.rawValue) }) { first, _ in first }
            _ = log(
                sent, of: purpose,
                isTest ? .tested(events: taken, refused: reasons) : .counted(events: taken, refused: reasons))
            return result
        case .rejected(let status, let error):
            batch.mayHaveArrived = mayHaveArrived
            memory.patience[purpose] = nil
            if isKept { memory.giveUp(batch, of: purpose, reason: .refused) }
            _ = log(sent, of: purpose, .rejected(status: status, error: error))
            result.problem = .rejected(status: status, error: error)
            return result
        case .busy(let seconds):
            batch.mayHaveArrived = mayHaveArrived
            wait = seconds
            result.problem = .busy(seconds: seconds)
        case .notSent:
            batch.mayHaveArrived = mayHaveArrived
            result.problem = .unreachable
        case .unanswered: result.problem = .unreachable
        }
        // Another process that is sending it by now says what becomes of it.
        guard isKept, isAlone else { return result }
        memory.outstanding[purpose] = batch
        memory.patience[purpose, default: Patience()].fail(at: now, retryAfter: wait, random: &random)
        // A batch that never left is not bound to its window: its events travel in the one that is open then.
        if case .notSent = answer, !mayHaveArrived { takeBack(batch, of: purpose) }
        return result
    }

    private func takeBack(_ batch: Outstanding, of purpose: String) {
        memory.dissolve(batch, of: purpose, queueLimit: options.queueLimit)
        forgetLog(batch.log)
    }

    func pause() async {
        guard options.gap > 0 else { return }
        // It fails if it is cancelled: whoever waits wants the result now.
        try? await clock.sleep(seconds: Double.random(in: 0...options.gap, using: &random))
    }
}
