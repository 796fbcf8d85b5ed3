internal import Foundation
internal import ThrongWire

// Each first goes by itself, so that nobody links cells.
extension Throng {
    /// Proves what is due, one after another with random pauses.
    func sendFirsts() async {
        var isFirst = true
        for next in memory.pendingFirsts.filter({ $0.due <= now }).shuffled(using: &random) {
            guard !isClosed, !Task.isCancelled else { break }
            if !isFirst { await pause() }
            isFirst = false
            // The next one would wait as long if this one gets no answer.
            guard await prove(next) else { break }
        }
    }

    /// Proves one that is due; others that are due with it wait for a time of their own.
    func sendDueFirst() async {
        let now = now
        let ready = memory.pendingFirsts.filter { $0.due <= now }
        guard let next = ready.randomElement(using: &random) else { return }
        for other in ready where other.mark != next.mark {
            put(off: other, by: Int64(options.interval * .random(in: 0.5...1.5, using: &random)))
        }
        _ = await prove(next)
    }

    /// The time when the next one is due; nil if there is none, or nothing to prove it with.
    var nextFirst: UnixSeconds? { options.identifiers == nil ? nil : memory.pendingFirsts.map(\.due).min() }

    /// - Returns: false if there was no answer.
    private func prove(_ first: PendingFirst) async -> Bool {
        // No purpose has such a name.
        await attempt("first \(first.mark.key)") { await $0.proveAlone(first) }.problem == nil
    }

    private func proveAlone(_ first: PendingFirst) async -> Attempt {
        func published() -> PublicPlan.Metric? {
            guard let purpose = plan?.purpose(first.purpose), permissions.allows(purpose) else { return nil }
            return purpose.events.values.lazy.flatMap(\.metrics).first { $0.name == first.metric }?.proved?.published
        }
        guard let identifiers = options.identifiers, let calendar = plan?.calendar, let metric = published() else {
            // A newer plan asks for it no longer, or nobody may say it now: it must not be due all the time.
            wait(with: first)
            return Attempt()
        }
        let period = calendar.period(first.kind, containing: first.start)
        let cell = first.cell.map { (DimensionName($0), BucketLabel($1)) }
        let proof = await identifiers.first(
            in: Dictionary(cell) { known, _ in known }, of: metric, period: period, calendar: calendar)
        // Looked at again: the person may have changed their mind meanwhile.
        guard published() != nil, memory.pendingFirsts.contains(where: { $0.mark == first.mark }) else {
            return Attempt()
        }
        guard let proof, let body = try? JSONEncoder().encode(proof),  // It can always be written.
            let url = URL(string: source.root + "/v1/firsts")
        else {
            // The credential of its month may come yet.
            wait(with: first)
            return Attempt()
        }
        do throws(TransportFailure) {
            let response = try await send(.post(body, to: url), of: first.purpose, isSealed: first.isSealed)
            switch DaemonAnswer<BatchAnswer>(response, now: now) {
            case _ where response.status == 202, .rejected:
                forget(first)
                return Attempt()
            case .busy(let seconds):
                put(off: first, by: max(seconds, .random(in: 60...600, using: &random)))
                return Attempt()
            case .taken, .notSent, .unanswered: break
            }
        } catch {
            // It may be there: it counts once.
        }
        put(off: first, by: .random(in: 60...600, using: &random))
        return Attempt(problem: .unreachable)
    }

    /// Looks at a first again later, or forgets it: long after the period nobody takes it.
    private func wait(with first: PendingFirst) {
        first.mark.until < now ? forget(first) : put(off: first, by: Self.longWait)
    }

    /// The time between two looks whether it can be proved. Unit: seconds.
    private static let longWait: Int64 = 3600

    private func forget(_ first: PendingFirst) {
        memory.pendingFirsts.removeAll { $0.mark == first.mark }
        persistChanges()
    }

    private func put(off first: PendingFirst, by seconds: Int64) {
        guard let place = memory.pendingFirsts.firstIndex(where: { $0.mark == first.mark }) else { return }
        memory.pendingFirsts[place].due = now + seconds
        isSaved = false
    }
}

// Credentials and proofs of purposes whose floors count proved devices.
extension Throng {
    /// Lets credentials be asked for, where a purpose that the person allows needs them.
    func renewCredentials() async {
        guard let identifiers = options.identifiers, !isClosed, let due = nextCredential, due <= now else { return }
        let purposes = purposesToProve
        // Set before it is waited for, so that only one asks.
        nextRenewal = now + Self.renewalPause
        do {
            let isSealed = purposes.contains(where: \.isOblivious)
            try await identifiers.renew(by: CredentialWay(throng: self, isSealed: isSealed))
            nextRenewal = max(UnixSeconds(await identifiers.nextAsking), now + Self.shortestPause)
        } catch { options.notice?(.noCredential("\(error)")) }
    }

    /// The time when credentials are asked for; nil while nothing that is allowed needs any.
    var nextCredential: UnixSeconds? { purposesToProve.isEmpty ? nil : nextRenewal ?? now }

    private var purposesToProve: [DevicePlan.Purpose] {
        guard options.identifiers != nil else { return [] }
        return plan?.purposes.filter { $0.needsProof && permissions.allows($0) } ?? []
    }

    /// The least time between two requests, whatever the source says. Unit: seconds.
    private static let shortestPause: Int64 = 60
    /// The time after which it is tried again after a failure. Unit: seconds.
    private static let renewalPause: Int64 = 600

    /// Returns the attested identifier of a purpose's open window; nil if it needs or has none.
    func attestedIdentifier(of name: String) async -> (place: RotationWindow, identifier: AttestedIdentifier)? {
        guard let identifiers = options.identifiers, let purpose = plan?.purpose(name), purpose.needsProof,
            memory.outstanding[name] == nil
        else { return nil }
        let place = RotationWindow(window: purpose.rotation.window(at: now).value, rotation: purpose.rotation)
        guard memory.takingBack.mayAttest(name, at: place),
            let identifier = await identifiers.identifier(
                of: name, window: place.window, rotationSeconds: place.rotation.seconds),
            memory.takingBack.mayAttest(name, at: place)
        else { return nil }
        return (place, identifier)
    }

    /// Gives up proving anything in a window of which the daemon did not take a proof: events go back to the queue, to
    /// travel under an identifier of the device's own. Nothing of them was counted.
    func goesUnproved(_ batch: Outstanding, of purpose: DevicePlan.Purpose, _ status: Int) -> Bool {
        guard batch.proves, isOurs(batch, of: purpose.name) else { return false }
        memory.takingBack.spend(RotationWindow(window: batch.window, rotation: purpose.rotation), of: purpose.name)
        putBack(batch.events, of: batch, of: purpose.name, status: status, error: "unproved")
        options.notice?(.noCredential("the daemon did not take the proof."))
        return true
    }

    /// Asks the daemon for something that has to do with credentials.
    fileprivate func ask(
        _ path: String, _ body: [UInt8]?, isSealed: Bool
    ) async throws(TransportFailure) -> ClientResponse {
        guard let url = URL(string: source.root + path) else { throw .notSent }
        let request =
            body.map { ClientRequest.post(Data($0), to: url) }
            ?? ClientRequest(method: "GET", url: url, headers: [:], body: Data(), answerLimit: PlanSource.longestAnswer)
        return isSealed ? try await sendSealed(request) : try await transport.send(request)
    }
}

/// The way in which credentials are asked for: that of the batches that they are for.
private struct CredentialWay: CredentialTransport {
    let throng: Throng
    let isSealed: Bool

    func send(path: String, body: [UInt8]?) async throws -> (status: Int, body: [UInt8]) {
        let response = try await throng.ask(path, body, isSealed: isSealed)
        return (response.status, Array(response.body))
    }
}

extension Throng {
    /// Keeps the values behind tokens as long as they wait, and forgets the others.
    func hideValues(of records: [Inbox.Record]) {
        guard let plan, !plan.revealedFields.isEmpty else { return }
        let waiting = memory.queues.values.joined() + memory.outstanding.values.flatMap(\.events)
        revealed.forget(but: waiting, in: plan, now: now)
        revealed.remember(context, in: plan)
        for record in records { revealed.remember(record.fields, in: plan) }
    }

    /// A record as it may be written down.
    func hidden(_ record: Inbox.Record, in plan: DevicePlan) -> Inbox.Record {
        Inbox.Record(
            event: record.event, fields: revealed.hidden(record.fields, in: plan), unixSeconds: record.unixSeconds)
    }

    /// Says the values that the daemon asked for and that this device is to say: without an identifier, and each a while
    /// after the batch that they were in, so that nothing but their time could link the two.
    func revealPending() async {
        while let reveal = revealed.pending.popLast() {
            let generation = generation
            await pause()
            // The person may have changed their mind meanwhile.
            guard generation == self.generation, let purpose = plan?.purpose(reveal.purpose.text),
                permissions.allows(purpose)
            else { continue }
            // The next one would wait as long if this one gets no answer.
            var keyed = reveal
            keyed.key = options.key
            guard await send(keyed) else { return }
        }
    }

    /// - Returns: whether there was an answer.
    private func send(_ reveal: Reveal) async -> Bool {
        let place = memory.log.upperBound
        var sent: SentBatch
        do {
            sent = entry(
                BatchID(high: random.next(), low: random.next()).description, of: reveal.purpose.text, at: now,
                body: try reveal.stableJSON)
        } catch {
            // Names and a text can always be written.
            return true
        }
        // First in the log, then on the wire: nothing leaves that nobody can look at.
        memory.log = memory.log.lowerBound..<place + 1
        isSaved = false
        guard persist(), log(sent, at: place) else { return false }
        let response: ClientResponse
        do throws(TransportFailure) {
            response = try await send(.post(Data(sent.body.utf8), to: source.reveals), of: reveal.purpose.text)
        } catch {
            // Others will be asked, too.
            return false
        }
        sent.outcome =
            response.status == 202 ? .counted(events: 0, refused: [:]) : .rejected(status: response.status, error: "")
        _ = log(sent, at: place)
        return true
    }

    // A value is hashed with the output of the evaluator that the plan names, or it stays here: whatever the evaluator
    // answers, nothing of the value ever leaves in another way.

    /// The time for which the evaluator is left alone after no answer, or one that does not hold. Unit: seconds.
    private static let rest: Int64 = 300

    /// Asks the plan's evaluator for values that wait for a purpose, each once as long as this process knows it. A
    /// value without an answer is left out of the batch that is about to be made: its event counts as other.
    ///
    /// - Returns: whether anything was waited for.
    func evaluateValues(of name: String) async -> Bool {
        guard let blinding = options.blinding, !(transport is MemorySink), memory.outstanding[name] == nil,
            let plan, let purpose = plan.purpose(name), let evaluator = plan.evaluator
        else { return false }
        guard nextEvaluation <= now || nextEvaluation > now + Self.rest else { return false }
        var values = revealed.unevaluated(memory.queues[name] ?? [], of: purpose, in: plan)
        guard !values.isEmpty else { return false }
        while !values.isEmpty {
            let part = Array(values.prefix(Evaluator.sizes.max() ?? 1))
            values.removeFirst(part.count)
            let generation = generation
            let outputs = await outputs(of: part, by: evaluator, blinding)
            guard generation == self.generation else { return true }
            guard let outputs else {
                nextEvaluation = now + Self.rest
                return true
            }
            revealed.keep(outputs, of: part)
        }
        return true
    }

    /// - Returns: nil if there is no answer, or one that is not what the plan's key makes of the request.
    private func outputs(
        of values: [RevealedValues.EvaluatedValue], by evaluator: Evaluator, _ blinding: any ValueBlinding
    ) async -> [EvaluatedOutput]? {
        guard let url = URL(string: evaluator.url.text + "/v1/evaluations"), let app = plan?.published.app else {
            return nil
        }
        do {
            let blinded = try blinding.blind(values.map { $0.input(app: app) }, for: evaluator.key)
            let response = try await transport.send(
                ClientRequest(
                    method: "POST", url: url, headers: ["Content-Type": "application/octet-stream"],
                    body: Data(blinded.request), answerLimit: PlanSource.longestEvaluation))
            guard response.status == 200 else { return nil }
            let outputs = try blinded.outputs(of: Array(response.body))
            return outputs.count == values.count ? outputs : nil
        } catch {
            // It is asked again after a rest; until then its values stay here.
            return nil
        }
    }
}
