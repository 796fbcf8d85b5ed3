internal import NIOCore
internal import ThrongIntake

extension BatchHandler {
    /// - Parameter network: nil where nobody knows where the client is.
    func count(
        _ packed: ByteBuffer, _ headers: RequestHeaders, from network: NetworkPrefix?, at ingestion: Ingestion
    ) {
        let (signals, bearer) = (headers.signals, headers.bearer)
        let (isGzip, isSealed) = (headers.isGzip == true, sealed != nil)
        var turns = ingestion.odd
        do throws(IntakeError) {
            if let body = try UnpackedBody.small(packed, isGzip: isGzip) {
                switch try ingestion.acceptQuickly(
                    body, signals: signals, bearer: bearer, from: network, isSealed: isSealed)
                {
                case .verdict(let verdict): return give(.success(verdict))
                case .later(let other): turns = other
                }
            }
        } catch {
            return give(.failure(error))
        }
        guard let loop = context?.eventLoop,
            turns.add(
                bytes: packed.readableBytes,
                { [self] in
                    let verdict = Result { () throws(IntakeError) in
                        let body = try UnpackedBody(packed, isGzip: isGzip, limit: ingestion.limits.bodyBytes)
                        return try ingestion.accept(
                            body, signals: signals, bearer: bearer, from: network, isSealed: isSealed)
                    }
                    loop.execute { self.give(verdict) }
                })
        else {
            return turnAway(ingestion)
        }
    }

    func give(_ verdict: Result<Ingestion.Verdict, IntakeError>) {
        switch verdict {
        case .success(.counted(let answer, let outcome, let position)):
            queue?.add(answer, outcome, once: position, to: self)
        case .success(.unwanted(let answer)): self.answer(IntakeAnswer(answer))
        case .success(.overloaded): answer(.overloaded)
        case .success(.full(let retrySeconds)): answer(.full(retrySeconds: retrySeconds))
        case .success(.failed): answer(.failed)
        case .failure(let error):
            ingestion?.refuse(error)
            answer(IntakeAnswer(refusal: error))
        }
    }
}
