internal import HTTPTypes
internal import Hummingbird
internal import ThrongIntake
internal import ThrongWire

/// `POST /v1/reveals`: what stands behind a hash, once the daemon has asked for it.
struct RevealRoutes {
    let ingestion: Ingestion
    let telemetry: Telemetry
    let clock: UnixClock

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/reveals") { request, _ in await answer(to: request) }
    }

    private func answer(to request: Request) async -> Response {
        do {
            let headers = RequestHeaders(request.headers)
            let reveal = try await ingestion.withBody(of: request, headers, upTo: Intake.revealBytes) { body in
                try body.read { bytes throws(IntakeError) in
                    try ingestion.intake.readReveal(
                        bytes, signals: headers.signals, bearer: headers.bearer, now: clock.now,
                        isSealed: headers.isSealed)
                }
            }
            guard let reveal else { return response(.optedOut) }
            return response(try await ingestion.reveals.learn(reveal))
        } catch let error as IntakeError {
            return .refusal(error)
        } catch let error as UnfitValue {
            return response(.unfit, message: "\(error).")
        } catch {
            // The body did not arrive whole.
            return .refusal(.notJSON)
        }
    }

    /// The status is chosen here and nowhere else. Whether a value has a label already, gets one or finds no room is all
    /// the same to a client.
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
