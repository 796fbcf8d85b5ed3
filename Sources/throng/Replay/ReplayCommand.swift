import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongPlan
import ThrongSystem

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Posts recorded batches or events to a daemon.",
        usage: "throng replay --to <url> <file> [<options>]",
        discussion: """
            FILE has one JSON object a line. A line with "events" is a batch and is sent as it is. Any other line is an \
            event: {"event":"home","at":"2026-11-21T10:02:11Z","device":"a","fields":{},"context":{}}. Events need \
            --app and --purpose; those that follow each other with the same device become one batch under one random \
            identifier, which is the device's for this run.

            A batch that gets 503 is sent again after the time that the server names, one that gets no answer after a \
            growing pause; both under the same batch id, so that each counts once. It ends with 2 where something was refused.

            EXAMPLE
              throng replay --to http://127.0.0.1:8080 --app shop --purpose product events.ndjson
            """)

    @Option(name: .customLong("to"), help: ArgumentHelp("The daemon.", valueName: "url")) var server: String
    @Option(help: ArgumentHelp("The app of the events.", valueName: "name")) var app: String?
    @Option(help: ArgumentHelp("The purpose of the events.", valueName: "name")) var purpose: String?
    @Option(help: "How many batches may be under way at once.") var connections: Int = 8
    @Option(help: "Seconds after which an unanswered batch ends the run.") var patience: Int = 60
    @Flag(help: "Sends batches in the window that is open now, whatever window they were recorded in.") var now = false
    @Flag(help: "Prints the count as JSON.") var json = false
    @Argument(help: ArgumentHelp("NDJSON; - is standard input.", valueName: "file")) var file: String

    func validate() throws {
        guard connections >= 1, connections <= 1024 else { throw ValidationError("--connections takes 1 to 1024.") }
        guard patience >= 1 else { throw ValidationError("--patience takes at least 1 second.") }
    }

    func run() async throws {
        let sender = try BatchSender(to: server, patience: .seconds(patience), connections: connections)
        let windows = TermsLookup(server: server)
        let recording = Recording(app: app, purpose: purpose, reopens: now, windows: windows)
        let parcels = try await recording.parcels(from: lines())
        let progress = ProgressBar("replay", total: parcels.reduce(0) { $0 + $1.events }, unit: "events")
        let tally = try await sender.send(parcels, progress: progress)
        progress.finish()
        if json {
            try Terminal.json(tally)
        } else {
            var rows = [
                ("sent", "\(Terminal.grouped(tally.sent)) events in \(Terminal.grouped(tally.batches)) batches"),
                ("accepted", Terminal.grouped(tally.accepted)), ("refused", Terminal.grouped(tally.refused)),
                ("retried", "\(Terminal.grouped(tally.retried)) times"),
            ]
            for (prefix, found) in [("  ", tally.refusals), ("  whole batches: ", tally.refusedBatches)] {
                rows += found.sorted { $0.key < $1.key }.map { (prefix + $0.key, Terminal.grouped($0.value)) }
            }
            Terminal.data(Terminal.table(rows))
        }
        if tally.refused > 0 { throw ExitCode(2) }
    }

    private func lines() throws -> [Substring] {
        let bytes: Data
        if file == "-" {
            bytes = FileHandle.standardInput.readDataToEndOfFile()
        } else if let contents = FileManager.default.contents(atPath: file) {
            bytes = contents
        } else {
            throw CommandFailure("\(file): there is no such file, or it can't be read.")
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    }
}

/// Turns the lines of a recording into batches.
struct Recording {
    let app: String?
    let purpose: String?
    /// True if recorded batches move to the window that is open now.
    let reopens: Bool
    let windows: TermsLookup

    private static let eventsPerBatch = 100

    private struct Line: Decodable { let events: [Batch.Event]? }

    func parcels(from lines: [Substring]) async throws -> [BatchSender.Parcel] {
        let decoder = JSONDecoder()
        var parcels: [BatchSender.Parcel] = []
        var open: Batch?
        var openDevice: String?
        var identifiers: [String: String] = [:]
        func close() throws {
            if let batch = open { parcels.append(try Self.parcel(batch)) }
            open = nil
        }
        for (place, line) in lines.enumerated() {
            let bytes = Data(line.utf8)
            do {
                if let events = try decoder.decode(Line.self, from: bytes).events {
                    try close()
                    parcels.append(try await parcel(line, bytes, events: events.count, decoder))
                    continue
                }
                let event = try decoder.decode(RecordedEvent.self, from: bytes)
                guard let app, let purpose else {
                    throw CommandFailure("line \(place + 1) is an event: say --app and --purpose.")
                }
                let device = event.device ?? "-"
                let context = event.context ?? [:]
                if open == nil || openDevice != device || open?.context != context
                    || open?.events.count == Self.eventsPerBatch
                {
                    try close()
                    let identifier = identifiers[device] ?? BatchID.random().description
                    identifiers[device] = identifier
                    let terms = try await windows.terms(of: purpose, in: app)
                    open = Batch(
                        app: app, purpose: purpose, window: terms.openWindow,
                        id: terms.identifier == .absent ? nil : identifier, context: context, events: [])
                    openDevice = device
                }
                open?.events.append(
                    Batch.Event(event: event.event, at: event.at, fields: event.fields, count: event.count))
            } catch let error as DecodingError {
                throw CommandFailure("line \(place + 1) is neither a batch nor an event: \(Self.words(for: error))")
            }
        }
        try close()
        return parcels
    }

    private func parcel(
        _ line: Substring, _ bytes: Data, events: Int, _ decoder: JSONDecoder
    ) async throws -> BatchSender.Parcel {
        guard reopens else { return BatchSender.Parcel(body: String(line), events: events) }
        var batch = try decoder.decode(Batch.self, from: bytes)
        batch.window = try await windows.terms(of: batch.purpose, in: batch.app).openWindow
        return try Self.parcel(batch)
    }

    private static func parcel(_ batch: Batch) throws -> BatchSender.Parcel {
        BatchSender.Parcel(
            body: String(decoding: try JSONEncoder().encode(batch), as: UTF8.self), events: batch.events.count)
    }

    private static func words(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "it has no \"\(key.stringValue)\"."
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(context.codingPath.map(\.stringValue).joined(separator: "/")) has another type."
        default: "it is no JSON object."
        }
    }
}

/// Asks a daemon for the terms of a purpose: they are part of the public plan.
actor TermsLookup {
    private let server: String
    private var known: [String: PublicPlan.Purpose] = [:]

    init(server: String) { self.server = server.hasSuffix("/") ? String(server.dropLast()) : server }

    func terms(of purpose: String, in app: String) async throws -> PublicPlan.Purpose {
        let key = "\(app)/\(purpose)"
        if let found = known[key] { return found }
        let name = app.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? app
        let answer = try await HTTPConnection().answer(
            to: OutgoingRequest(.get, "\(server)/v1/plan/\(name)"), within: .seconds(30), bodyLimit: 16 << 20)
        guard answer.status == 200 else { throw CommandFailure("\(server) has no plan for the app '\(app)'.") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let plan = try decoder.decode(PublicPlan.self, from: Data(answer.body))
        guard let found = plan.purposes.first(where: { $0.name.text == purpose }) else {
            throw CommandFailure("The plan of '\(app)' has no purpose '\(purpose)'.")
        }
        known[key] = found
        return found
    }
}

extension PublicPlan.Purpose {
    fileprivate var openWindow: Int64 { Rotation(seconds: rotationSeconds).window(at: UnixClock.system.now).value }
}

/// Posts batches to a daemon until each was answered for good.
///
/// A batch that got no answer, or 503, is sent again under the same batch id, so that it counts once.
struct BatchSender: Sendable {
    let endpoint: String
    /// The time for which a batch is tried before the sender gives up.
    let patience: Duration
    let connections: Int
    /// Certificates in PEM that vouch for the server, beside the system's.
    private let authorities: String?
    var headers = [(name: "content-type", value: "application/json")]

    struct Tally: Encodable, Sendable {
        var batches = 0
        var sent = 0
        var accepted = 0
        var refused = 0
        var retried = 0
        var refusals: [String: Int] = [:]
        var refusedBatches: [String: Int] = [:]

        fileprivate mutating func add(_ other: Tally) {
            batches += other.batches
            sent += other.sent
            accepted += other.accepted
            refused += other.refused
            retried += other.retried
            refusals.merge(other.refusals, uniquingKeysWith: +)
            refusedBatches.merge(other.refusedBatches, uniquingKeysWith: +)
        }
    }

    typealias Parcel = Crowd.Parcel

    private struct ServerRefusal: Decodable { let error: String }

    init(to base: String, patience: Duration = .seconds(60), connections: Int = 8, authorities: String? = nil) throws {
        guard let url = URL(string: base), url.scheme == "http" || url.scheme == "https", url.host != nil else {
            throw CommandFailure("'\(AddressText.shown(base))' is no address of a server; write http://127.0.0.1:8080.")
        }
        endpoint = (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/v1/batches"
        (self.patience, self.connections, self.authorities) = (patience, connections, authorities)
    }

    /// Sends every parcel; the order between parcels is not kept.
    func send(_ parcels: [Parcel], progress: ProgressBar) async throws -> Tally {
        try await withThrowingTaskGroup(of: Tally.self) { group in
            for worker in 0..<min(connections, parcels.count) {
                group.addTask {
                    var rules = ConnectionRules()
                    rules.authorities = authorities
                    let connection = HTTPConnection(rules)
                    var tally = Tally()
                    for place in stride(from: worker, to: parcels.count, by: connections) {
                        try await send(parcels[place], over: connection, tally: &tally)
                        progress.advance(by: parcels[place].events)
                    }
                    return tally
                }
            }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
    }

    private func send(_ parcel: Parcel, over connection: HTTPConnection, tally: inout Tally) async throws {
        tally.batches += 1
        tally.sent += parcel.events
        let deadline = ContinuousClock.now + patience
        var pause = Duration.milliseconds(100)
        let request = OutgoingRequest(.post, endpoint, headers: headers, body: Array(parcel.body.utf8))
        while true {
            var retryAfter: Duration?
            do {
                let answer = try await connection.answer(to: request, within: .seconds(30), bodyLimit: 1 << 20)
                switch answer.status {
                case 202: return try note(JSONDecoder().decode(BatchAnswer.self, from: Data(answer.body)), &tally)
                case 503: retryAfter = answer.header("retry-after").flatMap { Int($0) }.map { .seconds($0) }
                default:
                    tally.refused += parcel.events
                    tally.refusedBatches[Self.word(for: answer), default: 0] += 1
                    return
                }
            } catch let error as DecodingError {
                throw CommandFailure("\(endpoint) answered 202 with something that is no answer to a batch: \(error)")
            } catch {
                // No answer: the batch may or may not have been counted; the same id again tells the server.
                guard ContinuousClock.now < deadline else {
                    throw CommandFailure(
                        "\(endpoint) did not answer for \(patience): \(error). Start it, then run this again.")
                }
            }
            guard ContinuousClock.now < deadline else {
                throw CommandFailure("\(endpoint) was overloaded for \(patience). Wait for PostgreSQL to catch up.")
            }
            tally.retried += 1
            try await Task.sleep(for: min(retryAfter ?? pause, patience))
            pause = min(pause * 2, .seconds(5))
        }
    }

    /// The server's word for a refusal, or the bare status where something else than a daemon answered.
    private static func word(for answer: ReceivedAnswer) -> String {
        (try? JSONDecoder().decode(ServerRefusal.self, from: Data(answer.body)))?.error ?? "http_\(answer.status)"
    }

    private func note(_ answer: BatchAnswer, _ tally: inout Tally) {
        tally.accepted += answer.accepted
        tally.refused += answer.refused.count
        for refusal in answer.refused { tally.refusals[refusal.reason.rawValue, default: 0] += 1 }
    }
}
