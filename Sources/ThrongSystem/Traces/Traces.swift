internal import Foundation
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

/// Brings spans to where they go, in batches, beside everything else. What is not taken is dropped and counted: there
/// is no second try, since traces are worth no memory that counting may need.
package final class TraceExporter: Sendable {
    private let place: TraceOptions.Place
    private let queue: SpanQueue
    private let connection: HTTPConnection
    /// True if the last batch was not taken.
    private let isRefused = Atomic(false)

    /// The most spans of a batch, and the longest time that a collector may take for one.
    private static let (batch, patience) = (512, Duration.seconds(2))

    package init(to place: TraceOptions.Place, from queue: SpanQueue) {
        (self.place, self.queue) = (place, queue)
        var rules = ConnectionRules()
        rules.connectLimit = Self.patience
        connection = HTTPConnection(rules)
    }

    /// Sends what waits; throws why a batch was not taken.
    ///
    /// - Returns: false where nothing waits after a batch that was not taken: the next may be taken, or not.
    @discardableResult package func round() async throws -> Bool {
        // No more than were there: those that come meanwhile have the next round.
        for _ in 0..<(SpanQueue.most / Self.batch) {
            let spans = queue.take(Self.batch)
            guard !spans.isEmpty else { return !isRefused.load(ordering: .relaxed) }
            do {
                try await send(TraceDocument.bytes(spans))
                queue.note(spans.count, areExported: true)
                isRefused.store(false, ordering: .relaxed)
            } catch {
                queue.note(spans.count, areExported: false)
                isRefused.store(true, ordering: .relaxed)
                throw error
            }
        }
        return true
    }

    private func send(_ document: [UInt8]) async throws {
        switch place {
        case .collector(let collector):
            let request = OutgoingRequest(
                .post, collector.url, headers: [("Content-Type", "application/json")], body: document)
            let answer = try await connection.answer(to: request, within: Self.patience, bodyLimit: 1 << 16)
            guard answer.status == 200 else { throw TraceFault.refused(status: answer.status) }
        case .file(let path): try Self.append(document + [UInt8(ascii: "\n")], to: path)
        }
    }

    private static func append(_ line: [UInt8], to path: String) throws(TraceFault) {
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unwritable(reason: String(cString: strerror(errno))) }
        defer { close(file) }
        let written = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written == line.count else { throw .unwritable(reason: String(cString: strerror(errno))) }
    }
}

/// The reason why spans are not where they go.
enum TraceFault: Error, CustomStringConvertible {
    case refused(status: Int)
    case unwritable(reason: String)

    var description: String {
        switch self {
        case .refused(let status): "the collector answered \(status); see that it takes OTLP over HTTP with JSON"
        case .unwritable(let reason): "the file can't be written: \(reason)"
        }
    }
}

/// Spans on their way out. Whoever adds one never waits: where the queue is full, it is dropped and counted.
package final class SpanQueue: Sendable {
    package struct Counts: Sendable, Hashable {
        package var exported = 0
        package var dropped = 0
        package var failed = 0
    }

    private struct State {
        var waiting: [FinishedSpan] = []
        var counts = Counts()
    }

    /// The most spans that wait: some 2 MB.
    package static let most = 4096

    private let state = Mutex(State())
    private let most: Int

    package init(most: Int = SpanQueue.most) { self.most = most }

    package var counts: Counts { state.withLock { $0.counts } }

    func add(_ span: FinishedSpan) {
        state.withLock { state in
            if state.waiting.count < most { state.waiting.append(span) } else { state.counts.dropped += 1 }
        }
    }

    func take(_ count: Int) -> [FinishedSpan] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    func note(_ count: Int, areExported: Bool) {
        state.withLock { state in
            if areExported { state.counts.exported += count } else { state.counts.failed += count }
        }
    }
}

/// The options for spans: where they go, and how many are made.
package struct TraceOptions: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// A collector on this machine, by OTLP over HTTP with JSON.
        case collector(Collector)
        /// A file, a document of OTLP's JSON a line. It is made with mode 0600 and only ever grows.
        case file(String)
    }

    /// The address of a collector, which is on this machine.
    package struct Collector: Sendable, Hashable {
        package let url: String

        /// Takes `http://127.0.0.1:4318/v1/traces`, the same with `localhost` or `[::1]`; nil for anything else.
        package init?(_ text: String) {
            guard
                let match = text.wholeMatch(
                    of: /http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):([0-9]{1,5})(\/[\x21-\x7E]*)?/),
                let port = Int(match.1), (1...65_535).contains(port)
            else { return nil }
            url = match.2 == nil ? text + "/v1/traces" : text
        }
    }

    /// Nil makes no spans at all.
    package var place: Place?
    /// The part of requests and of the journal's commits for which spans are made; for everything else they always are.
    /// Unit: percent.
    package var percent = 1

    package init() {}
}

/// Draws which of many are followed: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) from a start drawn by chance. A
/// draw takes no call of the kernel, as the system's generator would with every request.
final class Sampler: Sendable {
    private let state = Atomic<UInt64>(.random(in: .min ... .max))

    /// Decides by chance whether a span is followed.
    func draws(percent: Int) -> Bool {
        var drawn = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        drawn = (drawn ^ (drawn >> 30)) &* 0xBF58_476D_1CE4_E5B9
        drawn = (drawn ^ (drawn >> 27)) &* 0x94D0_49BB_1331_11EB
        drawn ^= drawn >> 31
        return Int(drawn % 100) < percent
    }
}

/// Spans as OTLP has them in JSON (opentelemetry-proto 1.x, `ExportTraceServiceRequest`): identifiers in hexadecimal,
/// 64-bit numbers as texts. No host, no process: whoever runs the collector knows them.
enum TraceDocument {
    static func bytes(_ spans: [FinishedSpan]) throws -> [UInt8] {
        let resource: [String: Any] = [
            "resource": ["attributes": [["key": "service.name", "value": ["stringValue": "throng"]]]],
            "scopeSpans": [["scope": ["name": "throng"], "spans": spans.map(object)] as [String: Any]],
        ]
        return Array(
            try JSONSerialization.data(
                withJSONObject: ["resourceSpans": [resource]], options: [.sortedKeys, .withoutEscapingSlashes]))
    }

    private static func object(_ span: FinishedSpan) -> [String: Any] {
        var object: [String: Any] = [
            "traceId": hexadecimal(span.trace.0) + hexadecimal(span.trace.1), "spanId": hexadecimal(span.span),
            "name": span.name.rawValue, "kind": span.name.kind, "startTimeUnixNano": "\(span.began)",
            "endTimeUnixNano": "\(span.ended)",
        ]
        object["attributes"] = span.facts.sorted { $0.key.rawValue < $1.key.rawValue }.map { fact, value in
            let (kind, text) =
                switch value {
                case .number(let number): ("intValue", "\(number)")
                case .text(let text): ("stringValue", text)
                }
            return ["key": fact.rawValue, "value": [kind: text]] as [String: Any]
        }
        if span.isFailed { object["status"] = ["code": 2] }
        return object
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
