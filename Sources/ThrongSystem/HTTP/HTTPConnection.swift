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
