internal import Glibc
internal import Synchronization

/// The daemon's account of what it does, as spans of OpenTelemetry; says nothing where nobody listens.
///
/// Names and facts are closed lists of types, so that nothing else can be told. No context of a client's is ever taken
/// over: a `traceparent` would be an identifier that the client chose. No request of ours carries one either.
package struct Traces: Sendable {
    private let queue: SpanQueue?
    private let percent: Int
    private let sampler = Sampler()

    package static let off = Traces(nil, percent: 0)

    package init(_ queue: SpanQueue?, percent: Int) { (self.queue, self.percent) = (queue, percent) }

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

/// A span that has begun. Its ids are drawn by chance; nothing of a client's is taken over.
package final class OpenSpan: Sendable {
    private let name: SpanName
    private let began = FinishedSpan.now
    private let queue: SpanQueue
    /// The facts so far; nil once it is over.
    private let facts = Mutex<[SpanFact: FinishedSpan.Value]?>([:])

    /// Longer texts are none of a plan's names.
    private static let longestText = 256

    init(_ name: SpanName, into queue: SpanQueue) { (self.name, self.queue) = (name, queue) }

    package func say(_ fact: SpanFact, _ value: Int) { set(fact, .number(Int64(value))) }

    /// Says a text of it, which the program or a plan has; one that is too long is left out.
    package func say(_ fact: SpanFact, _ value: String) {
        if value.utf8.count <= Self.longestText { set(fact, .text(value)) }
    }

    private func set(_ fact: SpanFact, _ value: FinishedSpan.Value) {
        facts.withLock { facts -> Void in facts?[fact] = value }
    }

    /// Ends it and hands it on; nothing where it is over.
    package func end(failed: Bool = false) {
        let last = facts.withLock { facts in
            defer { facts = nil }
            return facts
        }
        guard let last else { return }
        queue.add(
            FinishedSpan(name: name, began: began, ended: max(began, FinishedSpan.now), facts: last, isFailed: failed))
    }
}

/// A span that is over: names and facts of the closed lists, and nothing else.
package struct FinishedSpan: Sendable {
    enum Value: Sendable, Hashable {
        case number(Int64)
        case text(String)
    }

    let name: SpanName
    let trace: (UInt64, UInt64) = (.random(in: 1 ... .max), .random(in: 1 ... .max))
    let span = UInt64.random(in: 1 ... .max)
    /// Unit: nanoseconds since 1970.
    let began: UInt64
    let ended: UInt64
    let facts: [SpanFact: Value]
    let isFailed: Bool

    /// Unit: nanoseconds since 1970.
    fileprivate static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(time.tv_sec, 0)) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The names of spans: a closed list. A span that is called otherwise is never exported.
package enum SpanName: String, Sendable, CaseIterable {
    /// A client's request, from its head to its answer.
    case request
    /// A commit of what waited for the disk, written and synced.
    case journalCommit = "journal commit"
    /// A flush of what was counted, into PostgreSQL.
    case flush
    /// The numbers of one metric and period, decided and published.
    case release
    /// A report, made.
    case report
    /// A try to bring a report to where it goes.
    case delivery

    /// True if there are so many of them that only some are followed.
    package var isSampled: Bool { self == .request || self == .journalCommit }

    /// The kind, as OTLP numbers it: of a server, of a client, or internal.
    var kind: Int { self == .request ? 2 : self == .delivery ? 3 : 1 }
}

/// The facts that are told of spans: a closed list of names, and the kind of value that each may have. Anything else is
/// never exported.
///
/// None of them says who asked, from where, or what was in a request. Texts come from the program and the plan only.
package enum SpanFact: String, Sendable, CaseIterable {
    /// The template, without what stands in its parameters. A text.
    case route = "http.route"
    /// GET, POST and the like; `_OTHER` for what no route takes. A text.
    case method = "http.request.method"
    /// A number.
    case status = "http.response.status_code"
    /// The size of the request's body, as it came. Unit: bytes.
    case bytes = "http.request.body.size"
    /// Records that shared a commit. A number.
    case records = "throng.records"
    /// Counters that were touched. A number.
    case cells = "throng.cells"
    /// Tries, this one counted. A number.
    case attempts = "throng.attempts"
    /// The app that a plan is of. A text.
    case app = "throng.app"
    /// Its metric. A text.
    case metric = "throng.metric"
    /// A period by its label, such as 2026-11-20. A text.
    case period = "throng.period"
    /// A report by its name. A text.
    case report = "throng.report"
}
