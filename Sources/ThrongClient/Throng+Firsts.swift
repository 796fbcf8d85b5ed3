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
        guard let proof,
            let body = try? JSONEncoder().encode(proof),  // It can always be written.
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
