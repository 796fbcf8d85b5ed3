internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan

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

extension Response {
    /// Answers a request, also where it is refused, can't be handed on, or did not arrive whole.
    static func answering(notedBy ingestion: Ingestion? = nil, _ work: () async throws -> Response) async -> Response {
        do {
            return try await work()
        } catch let error as Unavailable {
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
