internal import NIOCore
internal import ThrongIngest
internal import ThrongSystem
internal import ThrongWire

extension BatchHandler {
    /// Opens a sealed request, or hands it on to the daemon that has the keys.
    func openHere(_ body: ByteBuffer, _ headers: RequestHeaders, by gateway: ObliviousGateway, for ingestion: Ingestion)
    {
        let neighbours = ingestion.neighbours
        switch neighbours.keyHolder(at: ingestion.clock.now) {
        case .own: open(body, by: gateway, for: ingestion)
        case .undecided: answer(IntakeAnswer(.changing))
        case .other where neighbours.admits(headers.member): answer(IntakeAnswer(.misdirected))
        case .other(let member):
            handOn(
                .init(
                    path: "/v1/ohttp", contentType: SealedRequest.mediaType, headers: headers,
                    isSealed: false, body: Array(body.readableBytesView)), to: member, by: neighbours)
        }
    }

    /// Hands a whole request on to the daemon that counts it, and passes its answer on.
    func handOn(_ request: Neighbours.HandedOn, to member: Member, by neighbours: Neighbours) {
        guard let loop = context?.eventLoop else { return }
        Task { [self] in
            let answer: IntakeAnswer
            do throws(Unavailable) {
                answer = IntakeAnswer(relayed: try await neighbours.hand(request, to: member))
            } catch {
                answer = IntakeAnswer(error)
            }
            loop.execute { self.answer(answer) }
        }
    }
}
