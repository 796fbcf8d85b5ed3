internal import Foundation

/// Runs a blocking call on a thread of its own: one that does not come back, such as a write to a dead file server, holds
/// no thread of the shared pool, on which clients are answered.
package func onOwnThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(returning: Result { () throws(Failure) in try work() })
        }
    }
    return try outcome.get()
}
