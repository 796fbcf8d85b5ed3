/// How hard the engine tries.
package struct SuppressionOptions: Sendable {
    /// Breaks ties. Secret: see ``SecretGenerator``.
    package var seed: UInt64
    /// How many orders to try; the cheapest safe pattern is kept. At least 1.
    package var attempts: Int
    /// What to prove.
    package var proof: ProofLevel
    /// Refuse rather than leave a cell without a proof.
    package var isStrict: Bool
    /// Rounds that forbid a combination and choose again; later ones hide for good.
    package var repairRounds: Int
    /// Cells up to which a table with a grid is also searched without regard to levels; the better pattern is kept.
    package var flatCells: Int
    /// Hears how far the search is, on the thread that searches; for progress bars.
    package var progress: (@Sendable (SuppressionProgress) -> Void)?

    /// What is guaranteed beyond L1 and L2.
    package enum ProofLevel: Sendable, Hashable {
        /// L1 and L2 only.
        case unique
        /// L3 too: a witness for every sensitive cell, looked for during that many seconds at most.
        case witnesses(seconds: Double)
    }

    /// Puts options together.
    package init(
        seed: UInt64, attempts: Int = 1, proof: ProofLevel = .witnesses(seconds: 60), isStrict: Bool = false,
        repairRounds: Int = 40, flatCells: Int = 3_000, progress: (@Sendable (SuppressionProgress) -> Void)? = nil
    ) {
        self.seed = seed
        self.attempts = max(1, attempts)
        self.proof = proof
        self.isStrict = isStrict
        self.repairRounds = max(0, repairRounds)
        self.flatCells = flatCells
        self.progress = progress
    }
}

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
