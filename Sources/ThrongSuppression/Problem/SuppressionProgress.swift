/// How far a search is.
package struct SuppressionProgress: Sendable, Hashable {
    /// What is being done.
    package let phase: Phase
    /// Sensitive cells' proofs found so far; can fall when a repair changes the pattern.
    package let proofsDone: Int
    /// Proofs that L3 asks for; 0 while that is not known.
    package let proofsNeeded: Int
    /// Rounds of repair so far.
    package let round: Int

    /// What a search does, in this order; choosing, proving and repairing take turns.
    package enum Phase: String, Sendable, Hashable {
        /// Publishes cell after cell as long as nothing sensitive can be computed.
        case choosing
        /// Looks for other tables that agree with everything published.
        case proving
        /// Hides what bounds a cell.
        case repairing
        /// The time is over: hides whole surroundings of what is not proved.
        case coarsening
        /// Checks the result by other means. Reported by whoever runs ``PatternVerifier``.
        case verifying
    }

    /// Puts a report together.
    package init(phase: Phase, proofsDone: Int = 0, proofsNeeded: Int = 0, round: Int = 0) {
        self.phase = phase
        self.proofsDone = proofsDone
        self.proofsNeeded = proofsNeeded
        self.round = round
    }
}
