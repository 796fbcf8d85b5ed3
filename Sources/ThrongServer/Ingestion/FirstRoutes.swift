internal import HTTPTypes
internal import Hummingbird
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongStore
internal import ThrongWire

/// `POST /v1/firsts`: a device proves once that it is in a cell in a period, by a credential that tells nobody apart.
struct FirstRoutes {
    let ingestion: Ingestion
    let clock: UnixClock

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/firsts") { request, _ in await answer(to: request) }
    }

    /// Answers once PostgreSQL has the first for good. The answer is the same if it came before.
    private func answer(to request: Request) async -> Response {
        await .answering(notedBy: ingestion) {
            let headers = RequestHeaders(request.headers)
            let isSealed = ingestion.neighbours.isSealed(headers)
            let (first, _) = try await ingestion.reading(request, headers, upTo: Intake.firstBytes) {
                bytes throws(IntakeError) in
                try ingestion.intake.readFirst(bytes, signals: headers.signals, now: clock.now, isSealed: isSealed)
            }
            guard let first else {
                return .problem(
                    Problem(.forbidden, "opted_out", "The purpose honours the request's opt-out signal."))
            }
            guard let store = ingestion.firsts else { throw IntakeError.noFirsts }
            let proofs = ingestion.proofs
            guard let tag = await ingestion.proving.run({ proofs?.tag(of: first) }) else { throw Unavailable.crowded }
            guard let tag else { throw IntakeError.unprovedFirst }
            do {
                try await store.keep(
                    ProvedFirstRow(
                        layout: first.layout, kind: first.period.kind, start: first.period.start, margin: first.margin,
                        cell: first.cell, tag: tag))
            } catch is PostgresError {
                return .problem(.busy("The first can't be kept now; send it again."))
            } catch is StoreError {
                // PostgreSQL has nothing of the metric yet: the first events of a new layout are still on their way.
                return .problem(.busy("The first can't be kept yet; send it again."))
            }
            return .json(.accepted, "{}")
        }
    }
}
