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
                body: try reveal.sentText)
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
            response = try await send(
                .post(Data(sent.body.utf8), to: source.reveals), of: reveal.purpose.text)
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
