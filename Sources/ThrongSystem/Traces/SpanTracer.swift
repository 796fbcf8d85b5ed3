internal import Instrumentation
internal import Synchronization
package import Tracing

/// Makes spans and puts those that are over into a queue.
package struct SpanTracer: Tracer {
    private let queue: SpanQueue

    /// Spans go into this queue.
    package init(_ queue: SpanQueue) { self.queue = queue }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context[SpanIdentity.Key.self]
        let identity = SpanIdentity(trace: parent?.trace ?? (.random(in: 1 ... .max), .random(in: 1 ... .max)))
        context[SpanIdentity.Key.self] = identity
        return RecordedSpan(
            operationName, identity, parent: parent?.span, kind: kind, context: context,
            began: instant().nanosecondsSinceEpoch, queue: queue)
    }

    package func activeSpan(identifiedBy context: InstrumentationContext) -> RecordedSpan? { nil }
    @available(*, deprecated)
    package func forceFlush() {}

    /// Takes nothing over: what came with a request would be an identifier that somebody else chose.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}
    /// Hands nothing on.
    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}
}

/// The ids of a span and its trace, drawn by chance.
struct SpanIdentity: Sendable {
    enum Key: InstrumentationContextKey { typealias Value = SpanIdentity }

    let trace: (UInt64, UInt64)
    let span: UInt64

    init(trace: (UInt64, UInt64)) {
        self.trace = trace
        span = .random(in: 1 ... .max)
    }
}

/// A span that is recorded until it ends.
package final class RecordedSpan: Tracing.Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var isFailed = false
        var isOver = false
    }

    package let context: InstrumentationContext
    private let identity: SpanIdentity
    private let parent: UInt64?
    private let kind: SpanKind
    private let began: UInt64
    private let queue: SpanQueue
    private let state: Mutex<State>

    init(
        _ name: String, _ identity: SpanIdentity, parent: UInt64?, kind: SpanKind, context: InstrumentationContext,
        began: UInt64, queue: SpanQueue
    ) {
        self.identity = identity
        self.parent = parent
        self.kind = kind
        self.context = context
        self.began = began
        self.queue = queue
        state = Mutex(State(name: name))
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    package var isRecording: Bool { state.withLock { !$0.isOver } }

    /// The code only: a message may hold anything.
    package func setStatus(_ status: SpanStatus) { state.withLock { $0.isFailed = status.code == .error } }
    /// Records that there was an error, and nothing of its text.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) { state.withLock { $0.isFailed = true } }
    /// Nothing: events would be free text.
    package func addEvent(_ event: SpanEvent) {}
    /// Nothing: a link would name another's trace.
    package func addLink(_ link: SpanLink) {}

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = instant().nanosecondsSinceEpoch
        let last: State? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state
        }
        guard let last else { return }
        queue.add(
            FinishedSpan(
                name: last.name, trace: identity.trace, span: identity.span, parent: parent, kind: kind, began: began,
                ended: max(began, ended), attributes: last.attributes, isFailed: last.isFailed))
    }
}
