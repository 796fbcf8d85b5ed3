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
            var (withdrawal, packed) = try await ingestion.reading(request, headers, upTo: Intake.withdrawalBytes) {
                bytes throws(IntakeError) in
                try ingestion.intake.readWithdrawal(bytes, now: clock.now, isSealed: isSealed)
            }
            let owner = ingestion.neighbours.place(
                of: withdrawal.identifier.text, in: withdrawal.window, isOfKeyHolder: withdrawal.isOfKeyHolder)
            let answer = try await ingestion.neighbours.answer(of: owner, to: headers) { [packed] in
                .init(path: "/v1/withdraw", headers: headers, isSealed: isSealed, body: packed)
            }
            if let answer { return answer }
            if case .own(let epoch) = owner { withdrawal = withdrawal.taken(over: epoch) }
            let (receipt, position) = try ingestion.withdraw(withdrawal)
            do {
                try await ingestion.journal.acknowledgeable(position)
            } catch is JournalError {
                // It is noted, and will be on disk once there is space: the client's next try gets the answer then.
                throw Unavailable.overloaded
            }
            return .json(.accepted, "{\"receipt\":\"\(receipt)\"}")
        }
    }
}
