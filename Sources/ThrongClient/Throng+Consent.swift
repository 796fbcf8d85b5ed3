internal import Foundation
public import ThrongWire

extension Throng {
    /// The plan's purposes as a consent screen needs them, in the plan's order. Empty until there is a plan: see
    /// ``loadPlan()``.
    public var purposes: [PurposeInfo] {
        guard let plan else { return [] }
        return plan.purposes.map { purpose in
            let published = plan.published.purposes.first { $0.name.text == purpose.name }
            let signals = permissions.signals
            return PurposeInfo(
                id: purpose.name, explanation: explanation(of: purpose),
                language: spokenExplanation(of: purpose, in: plan).language, needsConsent: purpose.needsConsent,
                needsParent: purpose.needsParent(signals), consent: consents.holding(for: purpose),
                consentVersion: purpose.consentVersion, refusedBy: purpose.refusedBy.intersection(signals),
                isAllowed: permissions.allows(purpose),
                rotationSeconds: purpose.hasIdentifiers ? purpose.rotation.seconds : 0,
                retentionSeconds: published?.retentionSeconds ?? 0,
                questions: plan.published.metrics.filter { $0.purpose.text == purpose.name }.map {
                    question(of: $0).text
                })
        }
    }

    /// Returns the person's answer about a purpose: ``Consent/notDetermined`` if they agreed to an earlier version of
    /// it than the plan's, and have to be asked again.
    public func consent(for purpose: String) -> Consent {
        plan?.purpose(purpose).map(consents.holding(for:)) ?? consents[purpose]
    }

    /// The permissions that hold now.
    var permissions: Permissions {
        Permissions(consents: consents, signals: isGrownUp ? signals : signals.union([.ageSignal]))
    }

    /// Takes the person's answer about a purpose. If the purpose may then count, events are counted from now on.
    /// Otherwise what waits for it and what the device noted for it is dropped at once, and the daemon is asked to take
    /// back what was sent in windows that are open.
    ///
    /// A refusal holds at once, and if the disk is full it is kept by removing what was agreed to: after the next start
    /// all purposes count as refused. Anything else holds once it is on disk.
    ///
    /// - Parameters:
    ///   - consent: what the person says.
    ///   - purpose: the purpose's name in the plan.
    ///   - version: the version of it that the person was asked about, as ``PurposeInfo/consentVersion`` says; unless
    ///     given, the plan's at this moment, or 1 if there is no plan yet. If the plan has a later one, the person is
    ///     to be asked again.
    /// - Throws: ``ThrongError/storage(_:)`` if the answer would be forgotten when the app ends. A refusal holds until
    ///   then; anything else does not hold at all.
    public func setConsent(_ consent: Consent, for purpose: String, version: Int? = nil) throws(ThrongError) {
        drain()
        guard !isShut else { throw ThrongError.storage("This Throng was closed.") }
        let version = version ?? plan?.purpose(purpose)?.consentVersion ?? 1
        guard consent.isRefusal else { return try loosen(consent, for: purpose, version: version) }
        consents.take(consent, for: purpose, version: version)
        isConsentSaved = false
        for place in held.indices { held[place].permissions.consents.take(consent, for: purpose, version: version) }
        dropRefused()
        guard !isConsentSaved else { return }
        do { try storage.remove(ConsentDocument.name) } catch {
            throw .storage(
                "The refusal holds, but can't be kept: nothing can be written or removed. Ask again after a start.")
        }
    }

    /// Writes an answer to disk before it is in force. Nothing may be left that waits from before a refusal.
    private func loosen(_ consent: Consent, for purpose: String, version: Int) throws(ThrongError) {
        var wanted = consents
        wanted.take(consent, for: purpose, version: version)
        guard wanted != consents || !isConsentSaved else { return }
        do {
            guard persist() else { throw ThrongError.storage("") }
            try ConsentDocument.write(wanted, to: storage, for: source.address)
        } catch {
            withdraw(wanted)
            throw .storage("What the person said could not be written, so it does not hold; the disk may be full.")
        }
        consents = wanted
        isConsentSaved = true
        dropRefused()
    }

    /// Makes sure that an answer that does not hold is not on disk, if writing it failed late.
    private func withdraw(_ wanted: Consents) {
        guard ConsentDocument.read(from: storage, for: source.address)?.consents == wanted else { return }
        isConsentSaved = false
        keepConsents()
        guard !isConsentSaved else { return }
        // If that fails it is tried again with the next event.
        try? storage.remove(ConsentDocument.name)
    }

    /// Writes down the person's answers, if that did not work so far.
    func keepConsents() {
        guard !isConsentSaved else { return }
        do {
            try ConsentDocument.write(consents, to: storage, for: source.address)
            isConsentSaved = true
        } catch {
            // The status says so; it is tried again with the next event, and until then its document is missing.
            isConsentSaved = false
        }
    }

    /// Takes the opt-out signals that are set now, such as Global Privacy Control; purposes that the plan lets them
    /// refuse drop what waits, and the daemon is asked to take back what was sent, as when consent is withdrawn.
    public func setSignals(_ signals: Set<OptOutSignal>) {
        drain()
        for place in held.indices { held[place].permissions.signals.formUnion(signals) }
        self.signals = signals
        isSaved = false
        dropRefused()
    }

    /// Takes whether the person is known to be grown up, which is true of nobody at the start.
    ///
    /// Until then purposes that the plan keeps from children (`refused_by: [age_signal]`) count nothing, and for some a
    /// parent has to agree: see ``PurposeInfo/needsParent``. When it is not true any more, what waits for such purposes
    /// is dropped, and what was sent in windows that are open is taken back.
    ///
    /// It is not kept: an app says it at each start, as its own age screen, its accounts or the system's age signal
    /// say. If the app knows it by then, it says so by ``ThrongOptions/isGrownUp``.
    public func setGrownUp(_ isGrownUp: Bool) {
        drain()
        if !isGrownUp { for place in held.indices { held[place].permissions.signals.insert(.ageSignal) } }
        self.isGrownUp = isGrownUp
        isChild = !isGrownUp
        isSaved = false
        dropRefused()
    }

    /// The purpose's explanation in the person's language.
    func explanation(of purpose: DevicePlan.Purpose) -> String {
        let words = plan.map { spokenExplanation(of: purpose, in: $0).text } ?? purpose.explanation
        return options.localize("throng.purpose.\(purpose.name)", words)
    }

    func spokenExplanation(of purpose: DevicePlan.Purpose, in plan: DevicePlan) -> SpokenText {
        plan.published.spoken("purposes.\(purpose.name).explanation", purpose.explanation, for: languages)
    }

    /// Returns a metric's question, in the person's language.
    func question(of metric: PublicPlan.Metric) -> SpokenText {
        plan?.published.spoken("metrics.\(metric.name).question", metric.question, for: languages)
            ?? SpokenText(metric.question)
    }

    /// The languages that the person reads, best first.
    var languages: [LanguageTag] {
        // Systems that name files by them write de_AT.UTF-8.
        options.languages.compactMap { name in
            LanguageTag(name.replacing("_", with: "-").prefix { $0 != "." && $0 != "@" })
        }
    }

    /// Drops what waits for purposes that may not count now.
    @discardableResult func dropRefused() -> Bool {
        guard let plan else { return persist() }
        takeBackRefused(in: plan)
        let permissions = permissions
        let allowed = Set(plan.purposes.filter(permissions.allows).map(\.name))
        // Also those that a newer plan no longer has, once it is known to be newer.
        let known = Set(plan.purposes.map(\.name)).union(isUnconfirmed ? [] : memory.purposes)
        for name in known.subtracting(allowed) {
            // The batch may be dropped because a start does not know the person's age: a later withdrawal takes it
            // back, too.
            if let purpose = plan.purpose(name) { memory.useOutstanding(of: purpose) }
            memory.withdraw(name, answered: plan.purpose(name)?.answered.map(\.name) ?? [])
            due[name] = nil
        }
        return persistChanges()
    }

    // Withdrawals go whatever the person allows: they say that the person does not allow it any more.

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
