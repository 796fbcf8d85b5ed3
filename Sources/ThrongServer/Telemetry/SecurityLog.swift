internal import Foundation
internal import Hummingbird
package import Logging
internal import ServiceLifecycle
internal import Synchronization
internal import ThrongJournal
internal import ThrongSchedule
internal import ThrongSystem
internal import ThrongWire

/// Tells the operator of possible attacks: the kind of refusal, and roughly how often. It never tells who it was, their
/// address, the exact time, or any word of theirs.
///
/// A kind is told within a minute and then once in ten minutes at most, however often it comes.
final class SecurityLog: Sendable {
    enum Refusal: String, CaseIterable, Sendable {
        case signIn = "sign-ins by no good token"
        case signInPace = "sign-ins that came too fast"
        case foreignForm = "forms of other sites"
        case foreignOrigin = "requests of pages that are not listed"
        /// A request that is no HTTP, or has no clear host or end: it may be meant to look different to two readers.
        case malformed = "malformed requests"
        case place = "connections closed for others"
        case untaken = "connections that could not be taken"
        case room = "requests without room"
        /// A TLS handshake that failed. Often neither side is at fault: another authority, a scanner.
        case handshake = "handshakes of TLS"
        case proxyHeader = "connections of proxies without a header"
        case unreadableClient = "requests of proxies that do not say where clients are"
        case networkQuota = "batches of networks that bring too much at once"
    }

    private struct Tally {
        var count = 0
        var told: ContinuousClock.Instant?
    }

    private let logger: Logger
    private let tallies = Mutex<[Refusal: Tally]>([:])

    static let silence = Duration.seconds(600)

    init(_ logger: Logger) { self.logger = logger }

    func note(_ refusal: Refusal) { tallies.withLock { $0[refusal, default: Tally()].count += 1 } }

    /// Writes a line for each kind with new refusals, unless one was written lately; the last time, for each.
    func tell(at now: ContinuousClock.Instant = .now, isLast: Bool = false) {
        let due = tallies.withLock { tallies in
            Refusal.allCases.compactMap { refusal -> (Refusal, Int)? in
                guard let tally = tallies[refusal], tally.count > 0,
                    isLast || tally.told.map({ now - $0 >= Self.silence }) ?? true
                else { return nil }
                tallies[refusal] = Tally(count: 0, told: now)
                return (refusal, tally.count)
            }
        }
        for (refusal, count) in due {
            logger.warning(
                "refused at the door", metadata: ["what": "\(refusal.rawValue)", "times": "\(Self.band(count))"])
        }
    }

    static func band(_ count: Int) -> String {
        switch count {
        case ..<10: "under 10"
        case ..<100: "10 to 99"
        case ..<1000: "100 to 999"
        default: "1000 or more"
        }
    }
}

/// Logs refusals at the door once a minute, and the rest of them when the daemon stops; of events once an hour.
struct SecurityLogService: Service {
    let log: SecurityLog
    let telemetry: Telemetry
    let logger: Logger

    func run() async throws {
        // A line does not tell when exactly something came.
        try await PeriodicTask(.securityLog, every: .seconds(60), on: telemetry.rounds) {
            log.tell()
            telemetry.tellRefusals(logger)
        }.run()
        log.tell(isLast: true)
    }
}

/// The events of the hour under way that changed no counter, by reason, and one example of each: for one line of the log
/// an hour where they are many, and for the operator's page.
///
/// An example has names of the plan and shapes, and nothing that a client sent.
struct RefusedHour {
    private let began: ContinuousClock.Instant
    private var accepted = 0
    private var refused: [RefusalReason: Int] = [:]
    private var examples: [RefusalReason: String] = [:]
    private let former: [RefusalReason: String]

    init(began: ContinuousClock.Instant = .now, former: [RefusalReason: String] = [:]) {
        (self.began, self.former) = (began, former)
    }

    mutating func add(_ answer: BatchAnswer) {
        accepted += answer.accepted
        for refusal in answer.refused {
            refused[refusal.reason, default: 0] += 1
            guard examples[refusal.reason] == nil, let detail = refusal.detail else { continue }
            examples[refusal.reason] = Self.example(detail)
        }
    }

    /// The latest example of a reason; nil where the reason says all.
    func example(of reason: RefusalReason) -> String? { examples[reason] ?? former[reason] }

    /// Begins the next hour where this one is over; returns what is to be said of it.
    mutating func end(at now: ContinuousClock.Instant) -> Logger.Metadata? {
        guard now - began >= .seconds(3600) else { return nil }
        defer { self = RefusedHour(began: now, former: former.merging(examples) { $1 }) }
        let faults = refused.filter { !$0.key.isWish }
        guard Self.areMany(faults, beside: accepted), let most = faults.max(by: { $0.value < $1.value }) else {
            return nil
        }
        let sum = faults.values.reduce(0, +)
        var facts: Logger.Metadata = ["percent": "\(100 * sum / (sum + accepted))", "most": "\(most.key.rawValue)"]
        if let example = examples[most.key] { facts["example"] = "\(example)" }
        return facts
    }

    /// Returns true if of a hundred events or more every twentieth was refused, but for wishes: clients and the plan differ.
    static func areMany(_ refused: [RefusalReason: Int], beside accepted: Int) -> Bool {
        let faults = refused.filter { !$0.key.isWish }.values.reduce(0, +)
        return faults + accepted >= 100 && faults * 20 > faults + accepted
    }

    /// `price: text with a comma`, `a name like channel`, `at: not an RFC 3339 time`.
    private static func example(_ detail: RefusalDetail) -> String {
        let last = detail.pointer.split(separator: "/").last.map { Int($0) == nil ? String($0) : "event" }
        let place = detail.field ?? detail.nearest.map { "a name like \($0)" } ?? last ?? "batch"
        let shape = detail.found ?? detail.expected.map { "not \($0)" }
        return place + (shape.map { ": \($0)" } ?? "")
    }
}

extension RefusalReason {
    /// True if a person wants it so: then nothing is at fault.
    fileprivate var isWish: Bool { self == .optedOut || self == .consentOutdated }
}

/// Writes the log as JSON, one object per line: `time` (UTC), `level`, `label`, `message`, and `error` and `metadata`
/// if there are any.
///
/// A line is one write. Control characters in texts of others are escaped, so that none makes a line.
package struct JSONLog: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: takes a line with its end.
    package init(label: String, write: @escaping @Sendable ([UInt8]) -> Void) {
        (self.label, self.write) = (label, write)
    }

    package init(label: String) {
        self.init(label: label) { line in
            // A line that nobody reads any more is lost, as it is with text.
            _ = line.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        let line = Line(
            time: Date.now.formatted(.iso8601), level: event.level.rawValue, label: label, message: "\(event.message)",
            error: event.error.map { "\($0)" }, metadata: all.isEmpty ? nil : all.mapValues(Value.init))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Text, and arrays and dictionaries of it, can always be encoded.
        guard let text = try? encoder.encode(line) else { return }
        write(Array(text) + [UInt8(ascii: "\n")])
    }

    private struct Line: Encodable {
        let time, level, label, message: String
        let error: String?
        let metadata: [String: Value]?
    }

    private struct Value: Encodable {
        let value: Logger.MetadataValue

        init(_ value: Logger.MetadataValue) { self.value = value }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .string(let text): try container.encode(text)
            case .stringConvertible(let described): try container.encode(described.description)
            case .array(let values): try container.encode(values.map(Value.init))
            case .dictionary(let values): try container.encode(values.mapValues(Value.init))
            }
        }
    }
}

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
