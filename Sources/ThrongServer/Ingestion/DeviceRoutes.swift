internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongStore
internal import ThrongSystem

/// The routes by which a device says more than batches: `POST /v1/withdraw`, `/v1/reveals` and `/v1/firsts`.
struct DeviceRoutes {
    let ingestion: Ingestion

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/withdraw") { request, _ in await withdraw(request) }
        if ingestion.reveals.isNeeded { router.post("/v1/reveals") { request, _ in await reveal(request) } }
    }

    /// Adds the route that the daemon with the keys of credentials answers.
    func addFirsts(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/firsts") { request, _ in await first(request) }
    }

    // MARK: Withdrawals

    /// Answers a withdrawal. The answer is the same, and takes as long, whether the identifier was ever counted or not.
    private func withdraw(_ request: Request) async -> Response {
        await .answering(notedBy: ingestion) {
            let headers = RequestHeaders(request.headers)
            let isSealed = ingestion.neighbours.isSealed(headers)
            var (withdrawal, packed) = try await ingestion.reading(request, headers, upTo: Intake.withdrawalBytes) {
                bytes throws(IntakeError) in
                try ingestion.intake.readWithdrawal(bytes, now: ingestion.clock.now, isSealed: isSealed)
            }
            let owner = ingestion.neighbours.place(
                of: withdrawal.identifier.text, in: withdrawal.window, isOfKeyHolder: withdrawal.isOfKeyHolder)
            let answer = try await ingestion.neighbours.answer(of: owner, to: headers) { [packed] in
                .init(path: "/v1/withdraw", headers: headers, isSealed: isSealed, body: packed)
            }
            if let answer { return answer }
            if case .own(let epoch) = owner { withdrawal = withdrawal.taken(over: epoch) }
            let (receipt, position) = try ingestion.withdraw(withdrawal)
            do { try await ingestion.journal.acknowledgeable(position) } catch is JournalError {
                // It is noted, and will be on disk once there is space: the client's next try gets the answer then.
                throw Unavailable.overloaded
            }
            return .json(.accepted, "{\"receipt\":\"\(receipt)\"}")
        }
    }

    // MARK: Firsts

    /// Answers once PostgreSQL has the first for good. The answer is the same if it came before.
    private func first(_ request: Request) async -> Response {
        await .answering(notedBy: ingestion) {
            let headers = RequestHeaders(request.headers)
            let isSealed = ingestion.neighbours.isSealed(headers)
            let (first, _) = try await ingestion.reading(request, headers, upTo: Intake.firstBytes) {
                bytes throws(IntakeError) in
                try ingestion.intake.readFirst(
                    bytes, signals: headers.signals, now: ingestion.clock.now, isSealed: isSealed)
            }
            guard let first else {
                return .problem(Problem(.forbidden, "opted_out", "The purpose honours the request's opt-out signal."))
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

    // MARK: Values behind hashes

    /// Takes the value behind a hash, once the daemon has asked for it.
    private func reveal(_ request: Request) async -> Response {
        await .answering {
            let headers = RequestHeaders(request.headers)
            let isSealed = ingestion.neighbours.isSealed(headers)
            let (reveal, packed) = try await ingestion.reading(request, headers, upTo: Intake.revealBytes) {
                bytes throws(IntakeError) in
                try ingestion.intake.readReveal(
                    bytes, signals: headers.signals, bearer: headers.bearer, now: ingestion.clock.now,
                    isSealed: isSealed)
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
            do { return response(try await ingestion.reveals.learn(reveal)) } catch let error as UnfitValue {
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
        ingestion.telemetry.revealed(outcome)
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

/// Hands requests on to the daemon that has the keys of credentials and of sealed requests, if that is another one.
struct KeyHolderMiddleware: RouterMiddleware {
    let ingestion: Ingestion

    /// The longest body for these routes. Unit: bytes.
    private static let bodyBytes = 1 << 20

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        let headers = RequestHeaders(request.headers)
        let holder = ingestion.neighbours.keyHolder(at: ingestion.clock.now)
        if case .own = holder { return try await next(request, context) }
        return await .answering {
            let answer = try await ingestion.neighbours.answer(of: holder, to: headers) {
                let body = try await ingestion.bodies.collect(request.body, upTo: Self.bodyBytes) {
                    Array($0.readableBytesView)
                }
                return .init(
                    method: request.method == .post ? .post : .get, path: request.uri.string, headers: headers,
                    isSealed: headers.isSealed, body: body)
            }
            return answer ?? .problem(.misdirected)
        }
    }
}

extension Neighbours {
    /// Hands a request on, unless a daemon did so already, and returns the other daemon's answer; nil if this daemon is the owner.
    func answer(
        of owner: Membership.Owner, to headers: RequestHeaders, _ request: () async throws -> HandedOn
    ) async throws -> Response? {
        switch owner {
        case .own: nil
        case .undecided: throw Unavailable.changing
        case .other where admits(headers.member): .problem(.misdirected)
        case .other(let member): .relayed(try await hand(try await request(), to: member))
        }
    }
}

extension Response {
    static func relayed(_ answer: ReceivedAnswer) -> Response {
        var headers: HTTPFields = [:]
        for name in [
            "content-type", "cache-control", "retry-after", "x-content-type-options", GatewayIdentity.signatureHeader,
        ] { if let value = answer.header(name.lowercased()), let name = HTTPField.Name(name) { headers[name] = value } }
        return Response(.init(code: answer.status), ByteBuffer(bytes: answer.body), headers)
    }

    /// Answers a request, also where it is refused, can't be handed on, or did not arrive whole.
    static func answering(notedBy ingestion: Ingestion? = nil, _ work: () async throws -> Response) async -> Response {
        do { return try await work() } catch let error as Unavailable {
            return .problem(error.problem)
        } catch let error as IntakeError {
            ingestion?.refuse(error)
            return .refusal(error)
        } catch {
            // The body did not arrive whole.
            return .refusal(.notJSON)
        }
    }
}

/// `GET /v1/credentials/{app}`: the keys of credentials, and the attesters. `POST /v1/credentials` gives one.
struct CredentialRoutes {
    let ingestion: Ingestion
    let issuer: CredentialIssuer

    /// A month's key is published three days before it holds. Unit: seconds.
    private static let cacheSeconds = 600

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.get("/v1/credentials/:app") { _, context in try terms(of: context.parameters.get("app") ?? "") }
        router.post("/v1/credentials") { request, _ in await answer(to: request) }
    }

    /// The same bytes for everybody: by a key of its own a client could be told from others.
    private func terms(of name: String) throws -> Response {
        guard let app = ingestion.intake.app(named: name) else { return .refusal(.unknownApp) }
        guard let terms = issuer.terms(of: app) else { return .problem(Problem(.noCredentials)) }
        var response = Response.json(.ok, try terms.stableJSON)
        response.headers[.cacheControl] = "public, max-age=\(Self.cacheSeconds)"
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    private func answer(to request: Request) async -> Response {
        await .answering {
            let (asked, _) = try await ingestion.reading(
                request, RequestHeaders(request.headers), upTo: Intake.credentialBytes
            ) { bytes throws(IntakeError) in try ingestion.intake.readCredential(bytes) }
            let question = CredentialQuestion(
                app: asked.app, epoch: asked.epoch, request: asked.request, attester: asked.attester,
                evidence: Evidence(asked.evidence))
            do throws(CredentialRefusal) {
                let answer = try await issuer.answer(question)
                ingestion.telemetry.credentialWasGiven()
                return .json(.ok, "{\"response\":\"\(Base64URL.text(of: answer))\"}").unkept
            } catch {
                ingestion.telemetry.credentialWasRefused(error)
                return .problem(Problem(error))
            }
        }
    }
}

extension Problem {
    /// Says why a device gets no credential. The status is chosen here and nowhere else.
    init(_ refusal: CredentialRefusal) {
        var (pointer, retrySeconds): (String?, Int?)
        let status: HTTPResponse.Status
        switch refusal {
        case .noCredentials: status = .notFound
        case .wrongEpoch: status = .unprocessableContent
        case .unknownAttester: (status, pointer) = (.unprocessableContent, "/attestation/by")
        case .malformed(let place, _): (status, pointer) = (.badRequest, place)
        case .unproved: status = .badRequest
        case .notAttested: status = .forbidden
        case .tooMany(_, let seconds): (status, retrySeconds) = (.tooManyRequests, Int(seconds))
        case .busy: status = .serviceUnavailable
        }
        self.init(status, refusal.code, pointer: pointer, retrySeconds: retrySeconds, refusal.message)
    }
}

/// The route `POST /v1/preview`: shows what would be counted of a batch. Nothing is counted, kept or logged.
struct PreviewRoutes {
    let ingestion: Ingestion

    func add(to router: some RouterMethods<BasicRequestContext>) {
        router.post("/v1/preview") { request, _ in
            await Response.answering {
                let headers = RequestHeaders(request.headers)
                guard let isGzip = headers.isGzip else { throw IntakeError.unknownEncoding }
                let most = ingestion.limits.bodyBytes
                return .json(
                    .ok,
                    try await ingestion.bodies.collect(request.body, upTo: most) { packed in
                        try await ingestion.previewInTurn(packed, isGzip: isGzip, signals: headers.signals) {
                            try $0.stableJSON
                        }
                    })
            }
        }
    }
}

extension Ingestion {
    /// Makes a preview and works on it in its turn: one at a time, off the threads that answer others.
    func previewInTurn<Value: Sendable>(
        _ packed: ByteBuffer, isGzip: Bool, signals: Set<OptOutSignal>,
        _ work: @escaping @Sendable (PreviewAnswer) throws -> Value
    ) async throws -> Value {
        let result = await trials.run { [self] in
            Result {
                try work(preview(UnpackedBody(packed, isGzip: isGzip, limit: limits.bodyBytes), signals: signals))
            }
        }
        guard let result else { throw IntakeError.noMemory }
        return try result.get()
    }

    /// Reads the body of a request that is no batch; also returns it as it came, for a caller that may hand it on.
    func reading<Value>(
        _ request: Request, _ headers: RequestHeaders, upTo limit: Int,
        _ read: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value
    ) async throws -> (Value, packed: [UInt8]) {
        guard let isGzip = headers.isGzip else { throw IntakeError.unknownEncoding }
        return try await bodies.collect(request.body, upTo: limit) { packed in
            let body = try UnpackedBody(packed, isGzip: isGzip, limit: limit)
            return (try body.read(read), Array(packed.readableBytesView))
        }
    }

    /// Returns what a body would add, event by event; nothing is counted and nothing is kept.
    func preview(_ body: UnpackedBody, signals: Set<OptOutSignal>) throws(IntakeError) -> PreviewAnswer {
        let now = clock.now
        let outcome = try body.read { bytes throws(IntakeError) in
            try intake.read(bytes, signals: signals, now: now, use: .preview)
        }
        switch outcome {
        case .optedOut(let answer, _, _), .consentOutdated(let answer, _), .keptApart(let answer):
            return PreviewAnswer(events: answer.refused.map { .init(index: $0.index, counted: [], refused: $0.reason) })
        case .batch(let incoming):
            let batch = incoming.bucketed
            try checkSize(of: batch)
            var trial = state.withLock { $0.forPreview() }
            guard let events = trial.preview(batch, now: now) else {
                throw .windowOutOfRange(current: batch.window.rotation.window(at: now).value)
            }
            let refused = events.enumerated().compactMap { index, event in
                event.refused.map { BatchAnswer.Refusal(index: index, reason: $0) }
            }
            var explained = incoming.explained(refused)[...]
            return PreviewAnswer(
                events: events.enumerated().map { index, event in
                    .init(
                        index: index, counted: event.additions.map { tuple(of: $0, in: trial.space) },
                        refused: event.refused, detail: event.refused == nil ? nil : explained.removeFirst().detail)
                })
        }
    }

    private func tuple(of addition: CountedBatch.Addition, in space: CellSpace) -> PreviewAnswer.Tuple {
        let layout = space.layouts[addition.metric]
        let leaf = layout.buckets(of: addition.cell, in: layout.leaf)
        let kept = layout.dimensions.indices.filter { layout.leaf.keeps($0) }
        return PreviewAnswer.Tuple(
            metric: layout.metric.text,
            buckets: Dictionary(
                uniqueKeysWithValues: zip(kept, leaf).map { place, bucket in
                    let dimension = layout.dimensions[place]
                    let label = intake.vocabulary.name(of: bucket, in: dimension, app: layout.app)
                    return (dimension.name.text, label.text)
                }), period: space.label(ofPeriod: addition.periodStart, of: addition.metric), count: addition.count,
            sums: Dictionary(
                uniqueKeysWithValues: zip(layout.sums, addition.sums).map { ($0.name, Double($1) / $0.scale) }))
    }
}
