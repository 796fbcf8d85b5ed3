internal import Foundation
package import Logging
internal import Synchronization

/// Brings spans to where they go, in batches, beside everything else. What is not taken is dropped and counted: there
/// is no second try, since traces are worth no memory that counting may need.
package final class TraceExporter: Sendable {
    private let place: TraceOptions.Place
    private let queue: SpanQueue
    private let connection: HTTPConnection
    private let logger: Logger
    /// True if the last batch was not taken, which is said once.
    private let isFailing = Mutex(false)

    /// The most spans of a batch, and the longest time that a collector may take for one.
    private static let (batch, patience) = (512, Duration.seconds(2))

    package init(to place: TraceOptions.Place, from queue: SpanQueue, logger: Logger) {
        self.place = place
        self.queue = queue
        self.logger = logger
        var rules = ConnectionRules()
        rules.connectLimit = Self.patience
        connection = HTTPConnection(rules)
    }

    package func round() async {
        // No more than were there: those that come meanwhile have the next round.
        for _ in 0..<(SpanQueue.most / Self.batch) {
            let spans = queue.take(Self.batch)
            guard !spans.isEmpty else { return }
            do {
                try await send(TraceDocument(spans).bytes())
                queue.note(spans.count, areExported: true)
                if turns(failing: false) { logger.notice("traces are taken again") }
            } catch {
                queue.note(spans.count, areExported: false)
                if turns(failing: true) {
                    logger.warning("traces are not taken and are dropped", metadata: ["error": "\(error)"])
                }
                return
            }
        }
    }

    /// Notes whether batches are taken; true where that has changed.
    private func turns(failing: Bool) -> Bool {
        isFailing.withLock { isFailing in
            defer { isFailing = failing }
            return isFailing != failing
        }
    }

    private func send(_ document: [UInt8]) async throws {
        switch place {
        case .collector(let collector):
            let request = OutgoingRequest(
                .post, collector.url, headers: [("Content-Type", "application/json")], body: document)
            let answer = try await connection.answer(to: request, within: Self.patience, bodyLimit: 1 << 16)
            guard answer.status == 200 else { throw TraceFault.refused(status: answer.status) }
        case .file(let path):
            try Self.append(document + [UInt8(ascii: "\n")], to: path)
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
