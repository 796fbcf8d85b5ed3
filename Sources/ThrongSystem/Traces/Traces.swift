/// The daemon's account of what it does, as spans of OpenTelemetry; says nothing where nobody listens.
///
/// Names and facts are closed lists of types, so that nothing else can be told. No context of a client's is ever taken
/// over: a `traceparent` would be an identifier that the client chose. No request of ours carries one either.
package struct Traces: Sendable {
    private let queue: SpanQueue?
    private let percent: Int
    private let sampler = Sampler()

    package static let off = Traces(nil, percent: 0)

    package init(_ queue: SpanQueue?, percent: Int) {
        self.queue = queue
        self.percent = percent
    }

    package var isOn: Bool { queue != nil }

    /// Begins a span that its holder ends; nil where nobody listens, or this one is not among those that are followed.
    package func begin(_ name: SpanName) -> OpenSpan? {
        guard let queue, !name.isSampled || sampler.draws(percent: percent) else { return nil }
        return OpenSpan(name, into: queue)
    }

    /// Does something as a span, which fails where it throws.
    package func span<Value>(
        _ name: SpanName, isolation: isolated (any Actor)? = #isolation, _ work: (OpenSpan?) async throws -> Value
    ) async rethrows -> Value {
        guard let span = begin(name) else { return try await work(nil) }
        do {
            let value = try await work(span)
            span.end()
            return value
        } catch {
            // The reason is in the log. An error's text may hold more than a span may say.
            span.end(failed: true)
            throw error
        }
    }
}
