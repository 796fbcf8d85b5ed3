import Foundation

/// What was found, with what found it.
struct Found: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Does long work on a thread of its own that lets all others go first: tests beside it look at the clock.
func givingWay(_ work: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        Thread.detachNewThread {
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 15)
            continuation.resume(with: Result(catching: work))
        }
    }
}
