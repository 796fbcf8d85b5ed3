public import Foundation
internal import Synchronization
public import ThrongWire

#if canImport(CZlib)
    internal import CZlib
#endif

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// HTTP by the system's `URLSession`, with packed bodies, which leaves nothing behind and says nothing about the device.
///
/// No cookies, no cache, no redirects, and the same `User-Agent` and `Accept-Language` on every device. Each request has a
/// session and so a connection of its own: batches of two purposes on one connection would be known to be of one device.
public struct URLSessionTransport: ClientTransport {
    private let timeout: Double

    /// - Parameter timeout: how long an answer may take, to its last byte. Unit: seconds.
    public init(timeout: Double = 30) { self.timeout = timeout.isFinite ? min(max(timeout, 1), 600) : 30 }

    /// Sends a request on a connection of its own.
    public func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.httpShouldHandleCookies = false
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        message.setValue("Throng", forHTTPHeaderField: "User-Agent")
        message.setValue("*", forHTTPHeaderField: "Accept-Language")
        if let packed = RequestGzip.packed(request.body) {
            message.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
            message.httpBody = packed
        } else if !request.body.isEmpty {
            message.httpBody = request.body
        }
        let exchange = Exchange(limit: request.answerLimit)
        // The session's delegate, not the task's: on Linux the latter is not asked.
        let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: message)
        // The session's own limit begins anew with each byte on Linux.
        let timeout = timeout
        let alarm = Task {
            do { try await Task.sleep(for: .seconds(timeout), clock: .continuous) } catch { return }
            exchange.end(.failure(.unanswered))
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.begin(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// One request under way.
    private final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
        private struct State {
            var continuation: CheckedContinuation<Result<ClientResponse, TransportFailure>, Never>?
            var body = Data()
        }

        private let limit: Int
        private let state = Mutex(State())

        init(limit: Int) { self.limit = limit }

        func begin(_ continuation: CheckedContinuation<Result<ClientResponse, TransportFailure>, Never>) {
            state.withLock { $0.continuation = continuation }
        }

        /// Gives the result to whoever waits; what comes later is none.
        func end(_ result: Result<ClientResponse, TransportFailure>) {
            let continuation = state.withLock { state in
                defer { state.continuation = nil }
                return state.continuation
            }
            continuation?.resume(returning: result)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let isTooLarge = state.withLock { state in
                state.body.append(data)
                return state.body.count > limit
            }
            if isTooLarge { dataTask.cancel() }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            // A captive portal redirects; events are for the daemon alone.
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard error == nil, let response = task.response as? HTTPURLResponse else {
                return end(.failure(Self.failure(error)))
            }
            var headers: [String: String] = [:]
            for (name, value) in response.allHeaderFields {
                if let name = name as? String, let value = value as? String { headers[name] = value }
            }
            let body = state.withLock { $0.body }
            end(.success(ClientResponse(status: response.statusCode, headers: headers, body: body)))
        }

        private static func failure(_ error: (any Error)?) -> TransportFailure {
            switch (error as? URLError)?.code {
            case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .badURL,
                .unsupportedURL, .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot:
                .notSent
            default: .unanswered
            }
        }
    }
}

/// Packs request bodies (RFC 1952).
enum RequestGzip {
    /// The packed bytes; nil if they are not shorter, or this platform has no zlib.
    static func packed(_ data: Data) -> Data? {
        #if canImport(CZlib)
            var stream = z_stream()
            // 15 + 16: the largest window, with a gzip header.
            guard
                deflateInit2_(
                    &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                    Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { return nil }
            defer { deflateEnd(&stream) }
            var input = [UInt8](data)
            var output = [UInt8](repeating: 0, count: data.count)
            let count: Int? = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    stream.next_in = input.baseAddress
                    stream.avail_in = UInt32(truncatingIfNeeded: input.count)
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(truncatingIfNeeded: output.count)
                    return deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : nil
                }
            }
            return count.map { Data(output.prefix($0)) }
        #else
            return nil
        #endif
    }
}

/// The way in which a ``Throng`` reaches its daemon.
public protocol ClientTransport: Sendable {
    /// Sends a request and waits for its answer.
    ///
    /// - Throws: ``TransportFailure``, which says whether the daemon may have got the request all the same.
    func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse
}

/// One HTTP request.
public struct ClientRequest: Sendable {
    /// GET or POST.
    public let method: String
    /// The address.
    public let url: URL
    /// The header fields, by name.
    public let headers: [String: String]
    /// The body; empty for GET.
    public let body: Data
    /// The most of an answer that is read. Unit: bytes.
    public let answerLimit: Int
}

/// The answer to a request.
public struct ClientResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The header fields, by name in lower case.
    public let headers: [String: String]
    /// The body, unpacked.
    public let body: Data

    /// Creates an answer with a status, header fields by name in any case, and an unpacked body.
    public init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = .init(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.body = body
    }
}

/// The reason why there is no answer.
public enum TransportFailure: Error, Sendable, Hashable {
    /// The request surely never got to a daemon: there was no connection.
    case notSent
    /// The request may have arrived: the connection broke, or time ran out.
    case unanswered
}

/// A daemon that counts everything and keeps it, for an app's own tests.
public final class MemorySink: ClientTransport {
    private let taken = Mutex<[Batch]>([])
    private let withdrawn = Mutex<[WithdrawRequest]>([])

    /// Starts empty.
    public init() {}

    /// Every batch that was sent, in order.
    public var batches: [Batch] { taken.withLock { $0 } }

    /// Every event that was sent, in order, with the context's fields among its own.
    public var events: [Batch.Event] { batches.flatMap(\.wholeEvents) }

    /// Every request to take something back, in order; the batches stay.
    public var withdrawals: [WithdrawRequest] { withdrawn.withLock { $0 } }

    /// Takes a batch and says that all of it was counted, or a withdrawal and says that it holds.
    public func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        do {
            if request.url.lastPathComponent == "withdraw" {
                let request = try JSONDecoder().decode(WithdrawRequest.self, from: request.body)
                withdrawn.withLock { $0.append(request) }
                return ClientResponse(status: 202, body: Data(#"{"receipt":""}"#.utf8))
            }
            let batch = try JSONDecoder().decode(Batch.self, from: request.body)
            taken.withLock { $0.append(batch) }
            let answer = BatchAnswer(accepted: batch.events.count, refused: [])
            return ClientResponse(status: 202, body: try JSONEncoder().encode(answer))
        } catch { return ClientResponse(status: 400, body: Data(#"{"error":"wrong_shape"}"#.utf8)) }
    }
}

extension Batch {
    /// The events, with the context's fields among their own.
    var wholeEvents: [Event] {
        events.map { event in
            var whole = event
            let fields = context.merging(event.fields ?? [:]) { _, own in own }
            whole.fields = fields.isEmpty ? nil : fields
            return whole
        }
    }
}

/// Writes each notice to the standard error once, in debug builds.
final class NoticePrinter: Sendable {
    /// The notices that were printed already: reasons by event, not numbers.
    private let said = Mutex<Set<ThrongNotice>>([])
    /// An app that makes up names must not fill the memory.
    private static let most = 1000

    static let shared = NoticePrinter()

    func say(_ notice: ThrongNotice) {
        var kind = notice
        if case .dropped(let event, let reason, _) = notice {
            // The plan wants these two.
            guard reason != .notSampled, reason != .contributionBound else { return }
            kind = .dropped(event: event, reason: reason, count: 0)
        }
        let isNew = said.withLock { $0.count < Self.most && $0.insert(kind).inserted }
        guard isNew else { return }
        let line = Array("Throng: \(notice)\n".utf8)
        // Nobody reads it where nothing can be written.
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
