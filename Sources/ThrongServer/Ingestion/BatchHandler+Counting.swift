internal import NIOCore
internal import ThrongIngest

extension BatchHandler {
    /// - Parameter network: the client's network; nil if it is not known.
    func count(
        _ packed: ByteBuffer, _ headers: RequestHeaders, from network: ClientNetwork?, at ingestion: Ingestion
    ) {
        let isFromMember = ingestion.neighbours.admits(headers.member)
        let network = isFromMember ? headers.member?.network : network
        if network?.isUnreadable == true { ingestion.telemetry.clientWasUnreadable() }
        let isSealed = sealed != nil || isFromMember && headers.member?.isSealed == true
        let isGzip = headers.isGzip == true
        let turns: SlowBatches
        do throws(IntakeError) {
            if let body = try UnpackedBody.small(packed, isGzip: isGzip) {
                // Nearly all batches go this way, and nothing is captured on it.
                let outcome = try ingestion.acceptQuickly(
                    body, signals: headers.signals, bearer: headers.bearer, from: network, isSealed: isSealed)
                switch outcome {
                case .elsewhere(let member):
                    return handOn(
                        packed, headers, from: network, isSealed: isSealed, isFromMember: isFromMember, to: member,
                        by: ingestion.neighbours)
                case .later(let other): turns = other
                default: return give(.success(outcome))
                }
            } else {
                turns = ingestion.odd
            }
        } catch {
            return give(.failure(error))
        }
        guard let loop = context?.eventLoop,
            turns.add(
                bytes: packed.readableBytes,
                { [self] in
                    let outcome = Result { () throws(IntakeError) in
                        let body = try UnpackedBody(packed, isGzip: isGzip, limit: ingestion.limits.bodyBytes)
                        return try ingestion.accept(
                            body, signals: headers.signals, bearer: headers.bearer, from: network, isSealed: isSealed)
                    }
                    loop.execute {
                        guard case .success(.elsewhere(let member)) = outcome else { return self.give(outcome) }
                        self.handOn(
                            packed, headers, from: network, isSealed: isSealed, isFromMember: isFromMember,
                            to: member, by: ingestion.neighbours)
                    }
                })
        else {
            return turnAway(ingestion)
        }
    }

    /// Hands a batch on to the daemon that counts it, unless a daemon did so already.
    private func handOn(
        _ packed: ByteBuffer, _ headers: RequestHeaders, from network: ClientNetwork?, isSealed: Bool,
        isFromMember: Bool, to member: Member, by neighbours: Neighbours
    ) {
        guard !isFromMember else { return answer(IntakeAnswer(.misdirected)) }
        handOn(
            .init(
                path: "/v1/batches", headers: headers, network: network, isSealed: isSealed,
                body: Array(packed.readableBytesView)), to: member, by: neighbours)
    }

    func give(_ outcome: Result<BatchOutcome, IntakeError>) {
        switch outcome {
        case .success(.counted(let answer, let outcome, let position)):
            if let queue { self.answer(answer, outcome, once: position, through: queue) }
        case .success(.unwanted(let answer)): self.answer(IntakeAnswer(answer))
        case .success(.unavailable(let reason)): answer(IntakeAnswer(reason))
        case .success(.later): answer(IntakeAnswer(.crowded))
        case .success(.elsewhere): answer(IntakeAnswer(.misdirected))
        case .failure(let error):
            ingestion?.refuse(error)
            if case .networkQuota = error { security.note(.networkQuota) }
            answer(IntakeAnswer(refusal: error))
        }
    }
}
