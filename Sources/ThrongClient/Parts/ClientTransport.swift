public import Foundation

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
