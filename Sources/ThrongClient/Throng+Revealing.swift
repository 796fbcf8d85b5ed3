internal import Foundation
internal import ThrongWire

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
}

// A value is hashed with the output of the evaluator that the plan names, or it stays here: whatever the evaluator
// answers, nothing of the value ever leaves in another way.
extension Throng {
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
