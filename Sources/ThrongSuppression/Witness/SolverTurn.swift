internal import Synchronization

/// One integer program at a time: CBC's C interface parses its options through global state, so that two programs on
/// two threads of one process read each other's (seen in tests: "String of -solve is illegal for logLevel").
package enum SolverTurn {
    private static let turn = Mutex(())

    /// Runs CBC while nobody else does.
    package static func take<Result>(_ body: () -> Result) -> Result {
        turn.withLock { _ in UncheckedBox(body()) }.value
    }

    /// The result belongs to the caller alone: it is made inside the lock by the caller's own closure and handed to
    /// nobody else, so that sending it out of the lock shares nothing.
    private struct UncheckedBox<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }
}
