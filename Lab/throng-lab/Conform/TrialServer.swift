internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ThrongIngest
internal import ThrongPlan

/// A ``TrialDaemon`` on a port of the loopback address.
enum TrialServer {
    /// Serves while the work is done.
    ///
    /// - Throws: what the work throws; ``ConformanceError/noServer``.
    static func serve<Value: Sendable>(
        _ daemon: TrialDaemon, _ work: @escaping @Sendable (_ port: Int) throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: Router(),
            // Not the application's responder, which has a Date of its own.
            server: HTTPServerBuilder { _ in
                HTTP1Channel(responder: { request, writer, _ in try await answer(request, writer, by: daemon) })
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "throng.conform") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                defer { port.finish() }
                try await application.run()
                return nil
            }
            group.addTask {
                guard let first = await ports.first(where: { _ in true }) else { throw ConformanceError.noServer }
                // The work waits for another process, which must hold up no thread that serves.
                return try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread { continuation.resume(with: Result { try work(first) }) }
                }
            }
            defer { group.cancelAll() }
            while let value = try await group.next() { if let value { return value } }
            throw ConformanceError.noServer
        }
    }

    private static func answer(
        _ request: Request, _ writer: consuming ResponseWriter, by daemon: TrialDaemon
    ) async throws {
        let body = unpacked(
            try await request.body.collect(upTo: longestBody), isPacked: request.headers[.contentEncoding] == "gzip"
        )
        var signals: Set<OptOutSignal> = []
        for (name, signal) in [("Sec-GPC", OptOutSignal.globalPrivacyControl), ("DNT", .doNotTrack)] {
            if let field = HTTPField.Name(name), request.headers[field] == "1" { signals.insert(signal) }
        }
        let answer = daemon.answer(
            request.method.rawValue, request.uri.path, body: body, signals: signals)
        var headers: HTTPFields = [.contentType: "application/json", .contentLength: "\(answer.body.utf8.count)"]
        for (name, value) in answer.headers {
            if let field = HTTPField.Name(name) { headers[field] = value }
        }
        let head = HTTPResponse(status: .init(code: answer.status), headerFields: headers)
        let text = ByteBuffer(string: answer.body)
        // The head of one that is cut says that there is more than comes: the connection ends in between.
        let whole = answer.isCut ? ResponseBody { _ in throw CancellationError() } : ResponseBody(byteBuffer: text)
        try await writer.write(response: head, body: whole)
    }

    /// Unit: bytes.
    private static let longestBody = 1 << 20

    /// Returns a body as it was before it was packed; nothing, which is no batch, if it can't be unpacked.
    private static func unpacked(_ body: ByteBuffer, isPacked: Bool) -> String {
        guard isPacked else { return String(buffer: body) }
        do throws(IntakeError) {
            let bytes = try Array(buffer: body).withUnsafeBufferPointer { packed throws(IntakeError) in
                try Gzip.unpacked(packed, limit: longestBody)
            }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            return ""
        }
    }
}
