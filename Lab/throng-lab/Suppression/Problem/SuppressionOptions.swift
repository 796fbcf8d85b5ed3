/// The effort that the engine makes.
package struct SuppressionOptions: Sendable {
    /// The seed that breaks ties. Secret: see ``SecretGenerator``.
    package var seed: UInt64
    /// The number of orders to try; the cheapest safe pattern is kept. At least 1.
    package var attempts: Int
    /// The time for finding proofs of L3. Unit: seconds.
    package var seconds: Double
    /// True if the engine refuses rather than leaves a cell without a proof.
    package var isStrict: Bool
    /// A listener for the search's progress, called on the thread that searches; for progress bars.
    package var progress: (@Sendable (SuppressionProgress) -> Void)?

    package init(
        seed: UInt64, attempts: Int = 1, seconds: Double = 60, isStrict: Bool = false,
        progress: (@Sendable (SuppressionProgress) -> Void)? = nil
    ) {
        self.seed = seed
        self.attempts = max(1, attempts)
        self.seconds = seconds
        self.isStrict = isStrict
        self.progress = progress
    }
}

/// The progress of a search.
package struct SuppressionProgress: Sendable, Hashable {
    /// The phase that the search is in.
    package let phase: Phase
    /// Sensitive cells' proofs found so far; can fall when a repair changes the pattern.
    package let proofsDone: Int
    /// The number of proofs that L3 asks for; 0 until it is known.
    package let proofsNeeded: Int
    /// Rounds of repair so far.
    package let round: Int

    /// The phases of a search, in this order; choosing, proving and repairing take turns.
    package enum Phase: String, Sendable, Hashable {
        /// Publishes cell after cell as long as nothing sensitive can be computed.
        case choosing
        /// Looks for other tables that agree with everything published.
        case proving
        /// Hides cells that bound another.
        case repairing
        /// Checks the result by other means. Reported by the code that runs ``PatternVerifier``.
        case verifying
    }

    package init(phase: Phase, proofsDone: Int = 0, proofsNeeded: Int = 0, round: Int = 0) {
        self.phase = phase
        self.proofsDone = proofsDone
        self.proofsNeeded = proofsNeeded
        self.round = round
    }
}
