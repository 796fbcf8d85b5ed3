internal import NIOCore
internal import ThrongIntake

extension BatchHandler {
    /// - Parameter network: nil where nobody knows where the client is.
    func count(
        _ packed: ByteBuffer, _ headers: RequestHeaders, from network: ClientNetwork?, at ingestion: Ingestion
    ) {
        let (signals, bearer) = (headers.signals, headers.bearer)
        let isFromMember = ingestion.neighbours.admits(headers.member)
        let network = isFromMember ? headers.member?.network : network
        if network?.isUnreadable == true { ingestion.telemetry.clientWasUnreadable() }
        let isSealed = sealed != nil || isFromMember && headers.member?.isSealed == true
        let isGzip = headers.isGzip == true
        let settle: @Sendable (Result<Ingestion.Verdict, IntakeError>) -> Void = { [self] verdict in
            guard case .success(.elsewhere(let member)) = verdict else { return give(verdict) }
            guard !isFromMember else { return answer(IntakeAnswer(.misdirected)) }
            handOn(
                .init(
                    path: "/v1/batches", headers: headers, network: network, isSealed: isSealed,
                    body: Array(packed.readableBytesView)), to: member, by: ingestion.neighbours)
        }
        var turns = ingestion.odd
        do throws(IntakeError) {
            if let body = try UnpackedBody.small(packed, isGzip: isGzip) {
                switch try ingestion.acceptQuickly(
                    body, signals: signals, bearer: bearer, from: network, isSealed: isSealed)
                {
                case .verdict(let verdict): return settle(.success(verdict))
                case .later(let other): turns = other
                }
            }
        } catch {
            return settle(.failure(error))
        }
        guard let loop = context?.eventLoop,
            turns.add(
                bytes: packed.readableBytes,
                {
                    let verdict = Result { () throws(IntakeError) in
                        let body = try UnpackedBody(packed, isGzip: isGzip, limit: ingestion.limits.bodyBytes)
                        return try ingestion.accept(
                            body, signals: signals, bearer: bearer, from: network, isSealed: isSealed)
                    }
                    loop.execute { settle(verdict) }
                })
        else {
            return turnAway(ingestion)
        }
    }

    func give(_ verdict: Result<Ingestion.Verdict, IntakeError>) {
        switch verdict {
        case .success(.counted(let answer, let outcome, let position)):
            if let queue { self.answer(answer, outcome, once: position, through: queue) }
        case .success(.unwanted(let answer)): self.answer(IntakeAnswer(answer))
        case .success(.overloaded): answer(.overloaded)
        case .success(.full(let retrySeconds)): answer(.full(retrySeconds: retrySeconds))
        case .success(.failed): answer(.failed)
        case .success(.elsewhere): answer(IntakeAnswer(.misdirected))
        case .success(.changing): answer(IntakeAnswer(.changing))
        case .failure(let error):
            ingestion?.refuse(error)
            if case .networkQuota = error { security.note(.networkQuota) }
            answer(IntakeAnswer(refusal: error))
        }
    }
}
