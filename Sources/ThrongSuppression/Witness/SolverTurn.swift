internal import CCoin

/// One integer program at a time in this process: CBC's C interface has global state.
package enum SolverTurn {
    /// Runs CBC while nobody else does.
    package static func take<Result>(_ body: () -> Result) -> Result {
        throng_coin_enter()
        defer { throng_coin_leave() }
        return body()
    }
}
