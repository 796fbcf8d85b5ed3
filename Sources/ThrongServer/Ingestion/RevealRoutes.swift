internal import HTTPTypes
internal import Hummingbird
internal import ThrongIngest
internal import ThrongWire

/// The route `POST /v1/reveals`: takes the value behind a hash, once the daemon has asked for it.
struct RevealRoutes {
    let ingestion: Ingestion
    let telemetry: Telemetry
    let clock: UnixClock

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/reveals") { request, _ in await answer(to: request) }
    }

    private func answer(to request: Request) async -> Response {
        await .answering {
            let headers = RequestHeaders(request.headers)
            let isSealed = ingestion.neighbours.isSealed(headers)
            let (reveal, packed) = try await ingestion.reading(request, headers, upTo: Intake.revealBytes) {
                bytes throws(IntakeError) in
                try ingestion.intake.readReveal(
                    bytes, signals: headers.signals, bearer: headers.bearer, now: clock.now, isSealed: isSealed)
            }
            guard let reveal else { return response(.optedOut) }
            let neighbours = ingestion.neighbours
            if let slot = Self.slot(of: request), !neighbours.admits(headers.member),
                let answer = try await neighbours.answer(
                    of: neighbours.place(of: slot, in: reveal.window), to: headers,
                    { .init(path: "/v1/reveals", headers: headers, isSealed: isSealed, body: packed) })
            {
                return answer
            }
            do {
                return response(try await ingestion.reveals.learn(reveal))
            } catch let error as UnfitValue {
                return response(.unfit, message: "\(error).")
            }
        }
    }

    /// Returns the slot of the identifier whose batch was answered with the question: its daemon knows the question.
    private static func slot(of request: Request) -> Slot? {
        request.uri.queryParameters["slot"].flatMap { Int($0) }.flatMap { Slot($0) }
    }

    /// Returns the response to a revealed value. The status is chosen here and nowhere else. A client can't tell
    /// whether a value has a label already, gets one or finds no room.
    private func response(_ outcome: RevealOutcome, message: String = "") -> Response {
        telemetry.revealed(outcome)
        func refusal(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Response {
            .problem(Problem(status, code, message))
        }
        switch outcome {
        case .learned, .full: return .json(.accepted, "{}")
        case .notAsked: return refusal(.notFound, "not_asked", "Nobody was asked for this value in this window.")
        case .unfit: return refusal(.unprocessableContent, "unfit_value", message)
        case .optedOut: return refusal(.forbidden, "opted_out", "The purpose honours the request's opt-out signal.")
        case .unavailable: return .problem(.busy("The value can't be taken now."))
        }
    }
}
