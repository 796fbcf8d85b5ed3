/// What one linear or integer program may take.
///
/// Counted in the solvers' own steps, so that the same seed gives the same pattern on a busy machine and on an idle
/// one; only the deadline of the whole search is a time.
struct SolverBudget {
    /// Pivots of the simplex. Local programs take some hundred.
    var iterations: Int32 = 20_000
    /// Nodes of the branch and bound. Local programs take a few.
    var nodes: Int32 = 2_000
    /// When the whole search ends; nil where nothing waits for it.
    var deadline: ContinuousClock.Instant?

    /// Until the deadline, at least a moment. Unit: seconds.
    var remainingSeconds: Double? {
        deadline.map { max(0.01, ($0 - ContinuousClock().now) / .seconds(1)) }
    }
}
