internal import Crypto
internal import ThrongWire

extension PlanReader {
    mutating func evaluator(in app: PlanBody<PlanKeys.App>) -> Evaluator? {
        guard let node = app[.evaluator] else { return nil }
        guard let body: PlanBody<PlanKeys.Evaluator> = body(of: node, app.subject(.evaluator), at: node.place) else {
            return nil
        }
        let url = address(.url, in: body)
        guard let key = evaluatorKey(in: body), let url else { return nil }
        return Evaluator(url: url, key: key)
    }

    private mutating func evaluatorKey(in body: PlanBody<PlanKeys.Evaluator>) -> EvaluatorKey? {
        guard let node = body[.key], let text = text(.key, in: body) else { return nil }
        if let key = EvaluatorKey(text: text.utf8) {
            do {
                _ = try P256.Signing.PublicKey(compressedRepresentation: key.bytes)
                return key
            } catch {
                // 33 bytes that are no point: said below.
            }
        }
        return problems.refuse(
            node.place,
            """
            \(body.subject(.key)) is no evaluator's public key; a compressed point of P-256 in base64url is allowed, 44 \
            characters: what 'throng evaluator --public-key' prints where the evaluator runs
            """)
    }
}

extension Plan {
    func evaluatorProblems() -> [PlanProblem] {
        guard app.evaluator != nil, !dimensions.contains(where: \.isRevealed) else { return [] }
        return [
            PlanProblem(
                file: places.file, line: nil, column: nil,
                message: """
                    app: 'evaluator' is there and no dimension is revealed, so that there is nothing to evaluate; delete it, \
                    or let a dimension have 'revealed: {most: 100}'
                    """)
        ]
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
