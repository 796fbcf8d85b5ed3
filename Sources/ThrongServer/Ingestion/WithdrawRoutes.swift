internal import HTTPTypes
internal import Hummingbird
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongWire

/// The route `POST /v1/withdraw`: removes an identifier from a window that is open.
struct WithdrawRoutes {
    let ingestion: Ingestion
    let clock: UnixClock

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/withdraw") { request, _ in await answer(to: request) }
    }

    /// Answers a withdrawal. The answer is the same, and takes as long, whether the identifier was ever counted or not.
    private func answer(to request: Request) async -> Response {
        await .answering(notedBy: ingestion) {
            let headers = RequestHeaders(request.headers)
            let isSealed = ingestion.neighbours.isSealed(headers)
            var (withdrawal, packed) = try await ingestion.withBody(
                of: request, headers, upTo: Intake.withdrawalBytes
            ) { body in
                try body.read { bytes throws(IntakeError) in
                    try ingestion.intake.readWithdrawal(bytes, now: clock.now, isSealed: isSealed)
                }
            }
            let place = ingestion.neighbours.place(
                of: withdrawal.identifier.text, in: withdrawal.window, isOfKeyHolder: withdrawal.isOfKeyHolder)
            switch place {
            case .here(let epoch): withdrawal = withdrawal.taken(over: epoch)
            case .unknown: return .problem(.changing)
            case .elsewhere where ingestion.neighbours.admits(headers.member): return .problem(.misdirected)
            case .elsewhere(let member):
                return .relayed(
                    try await ingestion.neighbours.hand(
                        .init(path: "/v1/withdraw", headers: headers, isSealed: isSealed, body: packed), to: member))
            }
            switch try ingestion.withdraw(withdrawal) {
            case .noted(let receipt, let position):
                do {
                    try await ingestion.journal.acknowledgeable(position)
                } catch is JournalError {
                    // It is noted, and will be on disk once there is space: the client's next try gets the answer then.
                    return .answer(.overloaded)
                }
                return .json(.accepted, "{\"receipt\":\"\(receipt)\"}")
            case .overloaded: return .answer(.overloaded)
            case .full(let retrySeconds): return .answer(.full(retrySeconds: retrySeconds))
            case .failed: return .answer(.failed)
            }
        }
    }
}
