internal import HTTPTypes
internal import Hummingbird
internal import ThrongJournal
internal import ThrongSystem

/// The middleware and routes behind a middleware.
typealias NextResponder = (Request, BasicRequestContext) async throws -> Response

extension Traces {
    /// Begins the span of a client's request; a method that no route takes is not repeated.
    func begin(request route: String?, method: String) -> OpenSpan? {
        guard let span = begin(.request) else { return nil }
        if let route { span.say(.route, route) }
        span.say(.method, Self.methods.contains(method) ? method : "_OTHER")
        return span
    }

    private static let methods: Set = ["GET", "HEAD", "POST", "OPTIONS"]
}

/// Traces some of the requests that go to the router: the route's template, the method, the status and the size, and
/// nothing else that a client chose.
struct TracedRequests: RouterMiddleware {
    let traces: Traces

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        guard let span = traces.begin(request: nil, method: request.method.rawValue) else {
            return try await next(request, context)
        }
        if let length = request.headers[.contentLength].flatMap({ Int($0) }) { span.say(.bytes, length) }
        let result: Result<Response, any Error>
        do { result = .success(try await next(request, context)) } catch { result = .failure(error) }
        // A path that no route has may be any text of a client.
        if let route = context.endpointPath { span.say(.route, route) }
        let status =
            switch result {
            case .success(let response): response.status.code
            case .failure(let error): (error as? any HTTPResponseError)?.status.code ?? 500
            }
        span.say(.status, status)
        span.end(failed: status >= 500)
        return try result.get()
    }
}

/// The source and the target of a daemon's spans, kept across reloads.
struct Tracing: Sendable {
    let traces: Traces
    /// The queue of spans; nil if there are none.
    let queue: SpanQueue?
    let exporter: TraceExporter?

    init(_ options: TraceOptions) {
        guard let place = options.place else {
            (traces, queue, exporter) = (.off, nil, nil)
            return
        }
        let queue = SpanQueue()
        self.queue = queue
        exporter = TraceExporter(to: place, from: queue)
        traces = Traces(queue, percent: options.percent)
    }

    /// Returns the options of a journal, some of whose commits are traced.
    func following(_ options: Journal.Options) -> Journal.Options {
        guard traces.isOn else { return options }
        var options = options
        options.onCommit = { [traces] records in
            guard let span = traces.begin(.journalCommit) else { return nil }
            span.say(.records, records)
            return { span.end() }
        }
        return options
    }
}
