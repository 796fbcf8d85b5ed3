package import ThrongPlan

/// How a release is decided.
package struct ReleaseOptions: Sendable {
    /// Breaks ties between equally useful cells. Secret and never stored: whoever knew it could replay which tables
    /// lead to the pattern that was published.
    package var seed: UInt64
    /// How long proofs are looked for; then cells are coarsened until the rest is proved. Unit: seconds.
    package var proofSeconds: Double
    /// Refuses the release rather than coarsen what could not be proved in time.
    package var isStrict: Bool
    /// How many orders are tried; the one that publishes most is kept.
    package var attempts: Int
    /// Groupings that reports show: they are published before the others.
    package var preferred: Set<Margin>
    /// Groupings of which nothing is published.
    package var leftOut: Set<Margin> = []
    /// Called now and then with how far the work is.
    package var progress: (@Sendable (ReleaseProgress) -> Void)?

    /// Puts options together; the seed comes from the system's random source.
    package init(
        seed: UInt64 = .random(in: .min ... .max),
        proofSeconds: Double = 60,
        isStrict: Bool = false,
        attempts: Int = 3,
        preferred: Set<Margin> = [],
        progress: (@Sendable (ReleaseProgress) -> Void)? = nil
    ) {
        self.seed = seed
        self.proofSeconds = proofSeconds
        self.isStrict = isStrict
        self.attempts = attempts
        self.preferred = preferred
        self.progress = progress
    }
}

/// How far a release is.
package struct ReleaseProgress: Sendable, Hashable {
    /// Cells that have their proof.
    package let proved: Int
    /// Cells that need one.
    package let needed: Int
}
