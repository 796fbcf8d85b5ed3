internal import ThrongWire

extension Plan {
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
