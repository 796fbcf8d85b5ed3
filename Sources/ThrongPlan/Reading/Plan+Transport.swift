internal import ThrongWire

extension Plan {
    var relayProblem: String? {
        guard app.relay != nil, !purposes.contains(where: { $0.transport == .oblivious }) else { return nil }
        return """
            'relay' is there and no purpose goes through it; delete it, or write 'transport: oblivious' in a purpose
            """
    }

    func transportProblem(_ purpose: Purpose) -> String? {
        guard app.relay == nil, purpose.transport == .oblivious else { return nil }
        return """
            'transport' is oblivious and the app names no relay to go through; add 'relay: \
            https://HOST' to the app, or write 'transport: direct'
            """
    }

    /// The names of purposes that go through the relay, in the plan's order.
    private var relayed: String {
        purposes.filter { $0.transport == .oblivious }.map(\.name.text).joined(separator: ", ")
    }

    // MARK: In words

    /// A text about the effect of the relay; nil if the app has none.
    var transportText: String? {
        guard let relay = app.relay else { return nil }
        return """
            The client seals what it sends for \(relayed) (RFC 9458) and sends it through the relay \(relay.host); the daemon \
            refuses what comes directly. So nobody here learns an address, as long as the relay belongs to somebody else and its \
            records are not put together with the daemon's.
            """
    }

    var relayPoints: [String] {
        app.relay.map {
            [
                """
                Who runs the relay \($0.host), which sees addresses and times, and by which contract. It has to be somebody who is \
                not told what the daemon learns.
                """
            ]
        } ?? []
    }

    var evaluatorProblem: String? {
        guard app.evaluator != nil, !dimensions.contains(where: \.isRevealed) else { return nil }
        return """
            'evaluator' is there and no dimension is revealed, so that there is nothing to evaluate; delete it, \
            or let a dimension have 'revealed: {most: 100}'
            """
    }

    func evaluatorAdvice() -> [PlanProblem] {
        guard app.evaluator != nil else { return [] }
        return dimensions.filter(\.isRevealed).map { dimension in
            places.advice(
                on: .dimension, dimension.name,
                """
                takes evaluated hashes alone, which apps with the Swift SDK and its ValueBlinder \
                make; web pages and other clients can't, and what they count there is 'other'
                """)
        }
    }

    // MARK: In words

    var hidingText: String {
        guard let evaluator = app.evaluator else { return "The hash hides a value from whoever does not guess it." }
        return """
            The client has each value evaluated by \(evaluator.url.host), which learns nothing of it (RFC 9497), before it \
            hashes it: without asking there nobody can try out guesses, as long as the evaluator belongs to somebody else. \
            Plain hashes are looked at no further.
            """
    }

    /// The open points about an evaluator that no plan settles.
    var evaluatorPoints: [String] {
        app.evaluator.map {
            [
                """
                Who runs the evaluator \($0.url.host), which sees addresses, times and how many values are new to a device, \
                and by which contract. It has to be somebody who is not told what the daemon learns, and who gives its key to nobody.
                """
            ]
        } ?? []
    }
}
