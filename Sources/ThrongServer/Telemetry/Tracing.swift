internal import Logging
internal import ThrongJournal
internal import ThrongTraces

/// Where a daemon's spans come from and go to, from one reload to the next.
struct Tracing: Sendable {
    let traces: Traces
    /// Nil where there are no spans.
    let queue: SpanQueue?
    let exporter: TraceExporter?

    init(_ options: TraceOptions, logger: Logger) {
        guard let place = options.place else {
            (traces, queue, exporter) = (.off, nil, nil)
            return
        }
        let queue = SpanQueue()
        self.queue = queue
        exporter = TraceExporter(to: place, from: queue, logger: logger)
        traces = Traces(SpanTracer(queue), percent: options.percent)
    }

    /// The same journal, some of whose commits are followed.
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
