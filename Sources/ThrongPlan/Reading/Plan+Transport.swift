internal import ThrongWire

extension Plan {
    /// Finds a relay through which nothing goes, and an evaluator of nothing.
    @ListBuilder<String> var appProblems: [String] {
        if app.relay != nil, relayed.isEmpty {
            "'relay' is there and no purpose goes through it; delete it, or write 'transport: oblivious' in a purpose"
        }
        if app.evaluator != nil, !dimensions.contains(where: \.isRevealed) {
            "'evaluator' is there and no dimension is revealed, so that there is nothing to evaluate; delete it, or "
                + "let a dimension have 'revealed: {most: 100}'"
        }
    }

    @ListBuilder<String> func transportProblems(_ purpose: Purpose) -> [String] {
        if app.relay == nil, purpose.transport == .oblivious {
            "'transport' is oblivious and the app names no relay to go through; add 'relay: https://HOST' to the app, "
                + "or write 'transport: direct'"
        }
    }

    func evaluatorAdvice() -> [PlanProblem] {
        guard app.evaluator != nil else { return [] }
        return dimensions.filter(\.isRevealed).map { dimension in
            places.advice(
                on: .dimension, dimension.name,
                "takes evaluated hashes alone, which apps with the Swift SDK and its ValueBlinder make; web pages and "
                    + "other clients can't, and what they count there is 'other'")
        }
    }

    // MARK: In words

    /// The names of purposes that go through the relay, in the plan's order.
    private var relayed: String { purposes.filter { $0.transport == .oblivious }.map(\.name.text).listed }

    /// A text about the effect of the relay; nil if the app has none.
    var transportText: String? {
        guard let relay = app.relay else { return nil }
        return "The client seals what it sends for \(relayed) (RFC 9458) and sends it through the relay \(relay.host); "
            + "the daemon refuses what comes directly. So nobody here learns an address, as long as the relay belongs "
            + "to somebody else and its records are not put together with the daemon's."
    }

    var hidingText: String {
        guard let evaluator = app.evaluator else { return "The hash hides a value from whoever does not guess it." }
        return "The client has each value evaluated by \(evaluator.url.host), which learns nothing of it (RFC 9497), "
            + "before it hashes it: without asking there nobody can try out guesses, as long as the evaluator belongs "
            + "to somebody else. Plain hashes are looked at no further."
    }
}
