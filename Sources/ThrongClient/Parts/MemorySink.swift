internal import Foundation
internal import Synchronization
public import ThrongWire

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
