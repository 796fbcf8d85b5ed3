/// How hard the engine tries.
package struct SuppressionOptions: Sendable {
    /// Breaks ties. Secret: see ``SeededGenerator``.
    package var seed: UInt64
    /// How many orders to try; the cheapest safe pattern is kept. At least 1.
    package var attempts: Int
    /// What to prove.
    package var proof: ProofLevel
    /// Refuse rather than leave a cell without a proof.
    package var isStrict: Bool
    /// Rounds that forbid a combination and choose again; later ones hide for good.
    package var repairRounds: Int
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
        repairRounds: Int = 40, progress: (@Sendable (SuppressionProgress) -> Void)? = nil
    ) {
        self.seed = seed
        self.attempts = max(1, attempts)
        self.proof = proof
        self.isStrict = isStrict
        self.repairRounds = max(0, repairRounds)
        self.progress = progress
    }
}
