package import Tracing

/// The daemon's account of what it does, as spans of swift-distributed-tracing; says nothing where nobody listens.
///
/// Any `Tracer` may be behind it. No context of a client's is ever taken over: a `traceparent` would be an identifier
/// that the client chose. So nothing here extracts one, and no request of ours carries one.
package struct Traces: Sendable {
    private let tracer: (any Tracer)?
    private let percent: Int
    private let sampler = Sampler()

    /// Nobody listens.
    package static let off = Traces(nil, percent: 0)

    /// - Parameters:
    ///   - tracer: who listens; nil makes no spans.
    ///   - percent: of how many requests and commits of the journal spans are made.
    package init(_ tracer: (any Tracer)?, percent: Int) {
        self.tracer = tracer
        self.percent = percent
    }

    /// True if anybody listens.
    package var isOn: Bool { tracer != nil }

    /// Begins a span that its holder ends; nil where nobody listens, or this one is not among those that are followed.
    ///
    /// - Complexity: one comparison where nobody listens.
    package func begin(_ name: SpanName) -> OpenSpan? {
        guard let tracer, !name.isSampled || sampler.draws(percent: percent) else { return nil }
        let kind: SpanKind =
            switch name {
            case .request: .server
            case .delivery: .client
            case .journalCommit, .flush, .release, .report: .internal
            }
        return OpenSpan(tracer.started(name.rawValue, ofKind: kind))
    }

    /// Does something as a span, which fails where it throws.
    ///
    /// - Parameter work: gets the span; nil where there is none.
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

extension Tracer {
    fileprivate func started(_ name: String, ofKind kind: SpanKind) -> any Tracing.Span {
        startSpan(name, context: .topLevel, ofKind: kind)
    }
}

/// A span that has begun.
package struct OpenSpan: Sendable {
    private let span: any Tracing.Span

    init(_ span: any Tracing.Span) { self.span = span }

    /// Says a number of it.
    package func say(_ fact: SpanFact, _ value: Int) { set(fact, .int64(Int64(value))) }
    /// Says a text of it, which the program or a plan has.
    package func say(_ fact: SpanFact, _ value: String) { set(fact, .string(value)) }

    private func set(_ fact: SpanFact, _ value: SpanAttribute) {
        var attributes = span.attributes
        attributes[fact.rawValue] = value
        span.attributes = attributes
    }

    /// It is over.
    package func end(failed: Bool = false) {
        if failed { span.setStatus(SpanStatus(code: .error)) }
        span.end()
    }
}
