internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// A connection to servers over HTTP/1.1, by libcurl: one exchange at a time, on a thread of its own.
///
/// It connects with the first exchange, and closes when nobody holds it any more.
package final class HTTPConnection: Sendable {
    private let queue: ExchangeQueue

    package init(_ rules: ConnectionRules = ConnectionRules()) { queue = ExchangeQueue(rules) }

    deinit { queue.stop() }

    /// Sends a request and reads its whole answer, whatever its status.
    ///
    /// - Parameter limit: For everything, waiting for others' answers and connecting included.
    package func answer(
        to request: OutgoingRequest, within limit: Duration, bodyLimit: Int
    ) async throws(HTTPFault) -> ReceivedAnswer {
        try await exchange(Exchange(request, limit: limit, bodyLimit: bodyLimit))
    }

    /// Sends a request and returns the status as soon as the answer's head is there. The body is cut off, and the
    /// connection with it.
    package func status(of request: OutgoingRequest, within limit: Duration) async throws(HTTPFault) -> Int {
        try await exchange(Exchange(request, limit: limit, bodyLimit: nil)).status
    }

    private func exchange(_ exchange: Exchange) async throws(HTTPFault) -> ReceivedAnswer {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.wait(continuation)
                queue.add(exchange)
            }
        } onCancel: { [queue] in
            exchange.cancel()
            queue.wake()
        }
        return try outcome.get()
    }
}

/// Exchanges for one thread of its own, in order.
///
/// The thread ends after ``stop()``, once the exchanges before it are done. It holds the queue and never the queue's
/// owner, so that an owner's `deinit` can stop it.
final class ExchangeQueue: Sendable {
    private struct State {
        var exchanges: [Exchange] = []
        var isStopped = false
        /// The bell of the thread's handle, while the thread has one.
        var bell: UInt?
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    init(_ rules: ConnectionRules) { Thread.detachNewThread { [self] in work(rules) } }

    func add(_ exchange: Exchange) {
        state.withLock { $0.exchanges.append(exchange) }
        arrivals.signal()
    }

    /// Makes the thread look whether what it does was given up.
    func wake() { state.withLock { state in if let bell = state.bell { CurlHandle.wake(bell) } } }

    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    private func work(_ rules: ConnectionRules) {
        Thread.current.name = "throng-curl"
        CurlHandle.ignorePipes()
        let handle = CurlHandle(rules)
        state.withLock { $0.bell = handle?.bell }
        // The bell goes before the handle does.
        defer { state.withLock { $0.bell = nil } }
        while true {
            arrivals.wait()
            let next = state.withLock { $0.exchanges.isEmpty ? nil : $0.exchanges.removeFirst() }
            guard let next else {
                if state.withLock({ $0.isStopped }) { return withExtendedLifetime(handle) {} }
                continue
            }
            next.end(handle?.exchange(next) ?? .failure(.failed(code: 2, reason: "libcurl can't be started")))
        }
    }
}

/// The reason why an exchange came to no answer; never holds what a server said.
package enum HTTPFault: Error, Hashable, CustomStringConvertible {
    case address
    case header(name: String)
    case unresolved
    /// Nobody listens there; with the system's error number, 0 where it gave none.
    case notConnected(number: Int32)
    /// The server's certificate is not trusted; with OpenSSL's code, 0 where it is for another name.
    case certificate(verification: Int)
    case handshake
    case authorities(path: String)
    case brokenOff
    case late
    case longHead(limit: Int)
    case longBody(limit: Int)
    case cancelled
    case failed(code: Int, reason: String)

    package var description: String {
        switch self {
        case .address: "the address is no URL of a scheme that is allowed here"
        case .header(let name): "the header \(name) holds characters that no header may hold"
        case .unresolved: "the name has no address"
        case .notConnected(let number):
            number == 0
                ? "the server can't be reached" : "the server can't be reached (\(String(cString: strerror(number))))"
        case .certificate(let verification): "the server's certificate \(Self.verdict(verification))"
        case .handshake: "no TLS 1.2 or later with the server came about"
        case .authorities(let path): "\(path) can't be read, or is no file of certificates in PEM"
        case .brokenOff: "the connection broke off"
        case .late: "the time was over"
        case .longHead(let limit): "the head of the answer has more than \(limit) bytes"
        case .longBody(let limit): "the answer has more than \(limit) bytes"
        case .cancelled: "the request was given up"
        case .failed(let code, let reason): "\(reason) (libcurl's error \(code))"
        }
    }

    /// Source: X509_V_ERR_… in OpenSSL's x509_vfy.h.
    private static func verdict(_ verification: Int) -> String {
        switch verification {
        case 0: "is for another name"
        case 9: "is not valid yet"
        case 10: "has expired"
        case 2, 18, 19, 20, 21: "is vouched for by nobody that is trusted here"
        default: "is not trusted (error \(verification) of openssl-verify(1))"
        }
    }
}

/// The rules for all exchanges of a connection, whatever a server or the environment says.
///
/// Some are fixed: redirects are not followed, no proxy is used, TLS is 1.2 or later and its certificate is checked for
/// the URL's name.
package struct ConnectionRules: Sendable {
    /// True if `http` is allowed beside `https`.
    package var allowsPlain = true
    /// The address that every exchange goes to, whatever the URL's name resolves to; the certificate is still for the
    /// name. Nil asks the system.
    package var pinned: (address: String, port: Int)?
    /// A file of certificates in PEM that vouch for servers, beside the system's.
    package var authorities: String?
    /// True if a connection serves several exchanges.
    package var isKept = true
    /// The longest time that connecting may take, TLS included.
    package var connectLimit: Duration = .seconds(10)

    package init() {}

    /// The head of an answer, all that came before a final one included. Unit: bytes.
    static let headLimit = 80 << 10
}

/// One request on its way, and who waits for its answer.
final class Exchange: Sendable {
    let request: OutgoingRequest
    /// The instant at which all of it has to be over, waiting for its turn included.
    private let deadline: ContinuousClock.Instant
    /// The longest body, in bytes; nil where only the head is wanted.
    let bodyLimit: Int?
    private let flag = Atomic(false)
    private let waiting = Mutex<CheckedContinuation<Result<ReceivedAnswer, HTTPFault>, Never>?>(nil)

    init(_ request: OutgoingRequest, limit: Duration, bodyLimit: Int?) {
        self.request = request
        deadline = .now + limit
        self.bodyLimit = bodyLimit
    }

    /// The time that is left; not above zero once that is over.
    var left: Duration { deadline - .now }

    var isCancelled: Bool { flag.load(ordering: .acquiring) }

    func cancel() { flag.store(true, ordering: .releasing) }

    func wait(_ continuation: CheckedContinuation<Result<ReceivedAnswer, HTTPFault>, Never>) {
        waiting.withLock { $0 = continuation }
    }

    /// Tells whoever waits; once.
    func end(_ outcome: Result<ReceivedAnswer, HTTPFault>) {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }?.resume(returning: outcome)
    }
}

/// Collects an answer from the pieces that the library hands on, within limits.
final class AnswerCollector {
    private(set) var answer = ReceivedAnswer(status: 0, headers: [], body: [])
    /// The reason why it wants no more; nil where it does, or has all that it wanted.
    private(set) var fault: HTTPFault?
    /// True if the head of the final answer was read.
    private(set) var hasHead = false
    private let bodyLimit: Int?
    private var headBytes = 0

    /// - Parameter bodyLimit: The longest body, in bytes; nil ends the exchange after the head.
    init(bodyLimit: Int?) { self.bodyLimit = bodyLimit }

    /// Takes one line of a head; false ends the exchange.
    func take(line: UnsafeBufferPointer<UInt8>) -> Bool {
        headBytes += line.count
        guard headBytes <= ConnectionRules.headLimit else {
            fault = .longHead(limit: ConnectionRules.headLimit)
            return false
        }
        // Trailers come after the body, and nobody needs them.
        guard !hasHead else { return true }
        let text = String(decoding: line, as: UTF8.self).filter { !$0.isNewline }
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            answer.status = words.count > 1 ? Int(words[1]) ?? 0 : 0
            answer.headers = []
        } else if text.isEmpty {
            // An answer before the final one, such as 103, does not count.
            hasHead = answer.status >= 200
            return !hasHead || bodyLimit != nil
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            answer.headers.append((text[..<colon].lowercased(), String(value)))
        }
        return true
    }

    /// Takes a piece of the body; false ends the exchange.
    func take(piece: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let bodyLimit else { return false }
        guard answer.body.count + piece.count <= bodyLimit else {
            fault = .longBody(limit: bodyLimit)
            return false
        }
        answer.body.append(contentsOf: piece)
        return true
    }
}

/// A request of HTTP/1.1 that we make.
package struct OutgoingRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case options = "OPTIONS"
    }

    package var method: Method
    /// `http` or `https`, as far as the connection's rules allow.
    package var url: String
    /// Sent in this order, and nothing beside them but Host and Content-Length.
    package var headers: [(name: String, value: String)]
    /// Nothing with GET.
    package var body: [UInt8]

    package init(
        _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) { (self.method, self.url, self.headers, self.body) = (method, url, headers, body) }

    /// The first header that can't be sent as it is: its bytes would begin another line, or its name is none.
    var malformedHeader: String? {
        headers.first { name, value in
            name.isEmpty || !name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") }
                || value.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }
        }?.name
    }
}

package struct ReceivedAnswer: Sendable {
    /// 200 to 599, where the server keeps to HTTP.
    package internal(set) var status: Int
    /// The headers, in the order in which they came; names in lower case.
    package internal(set) var headers: [(name: String, value: String)]
    /// Empty where only the head was asked for.
    package internal(set) var body: [UInt8]

    /// The value of the first header of a name, which is in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// The value of the header Authorization in an operator's file: one line of printable ASCII that only its owner may
/// read.
package enum HeaderSecret {
    /// The bytes of a file that only its owner may read.
    package static func contents(_ path: String) throws(HeaderSecretFault) -> [UInt8] {
        let mode: Int
        do {
            mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o777
        } catch { throw .missing }
        guard mode & 0o077 == 0 else { throw .exposed }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .missing }
        return Array(bytes)
    }

    package static func read(_ path: String) throws(HeaderSecretFault) -> String {
        let bytes = try contents(path)
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .malformed }
        return text
    }
}

/// The reason why there is no such value.
package enum HeaderSecretFault: Error, Hashable, CustomStringConvertible {
    case missing
    case exposed
    case malformed

    /// The words behind the file's path.
    package var description: String {
        switch self {
        case .missing: "is missing or can't be read"
        case .exposed: "may be read by others than its owner; chmod 600 it"
        case .malformed: "is not one line of printable ASCII"
        }
    }
}
