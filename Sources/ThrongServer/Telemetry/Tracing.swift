internal import Logging
internal import ThrongJournal
internal import ThrongSystem

/// The source and the target of a daemon's spans, kept across reloads.
struct Tracing: Sendable {
    let traces: Traces
    /// The queue of spans; nil if there are none.
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
