internal import ThrongPlan

extension ReleaseCase {
    /// Decides as ``decide(_:)`` does; what the verification refuses is decided again without its finest groupings, and
    /// without the next ones, down to nothing.
    ///
    /// A refusal is a defect of the search, which nobody who runs Throng can mend. Totals that verify are worth more to them
    /// than a period that is never released.
    ///
    /// - Throws: ``ReleaseError``; where nothing is to be coarsened, also what the verification found.
    package func decideCoarsening(_ options: ReleaseOptions) throws(ReleaseError) -> ReleaseDecision {
        var options = options
        var refusals = 0
        while true {
            do throws(ReleaseError) {
                var decision = try decide(options)
                decision.summary.refusals = refusals
                return decision
            } catch {
                let left = header.groupings.filter { !options.leftOut.contains($0) }
                guard case .unverified = error, !options.isStrict, let most = left.map(\.splits).max() else {
                    throw error
                }
                refusals += 1
                options.leftOut.formUnion(left.filter { $0.splits == most })
            }
        }
    }
}

extension Margin {
    /// By how many dimensions its cells are told apart.
    fileprivate var splits: Int { bits.nonzeroBitCount }
}
