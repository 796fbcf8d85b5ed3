public import ThrongPlan

/// How a release is decided.
public struct ReleaseOptions: Sendable {
    /// Breaks ties between equally useful cells. Secret and never stored: whoever knew it could replay which tables
    /// lead to the pattern that was published.
    public var seed: UInt64
    /// How long proofs are looked for; then cells are coarsened until the rest is proved. Unit: seconds.
    public var proofSeconds: Double
    /// Refuses the release rather than coarsen what could not be proved in time.
    public var isStrict: Bool
    /// How many orders are tried; the one that publishes most is kept.
    public var attempts: Int
    /// Groupings that reports show: they are published before the others.
    public var preferred: Set<Margin>
    /// Called now and then with how far the work is.
    public var progress: (@Sendable (ReleaseProgress) -> Void)?

    /// Puts options together; the seed comes from the system's random source.
    public init(
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
public struct ReleaseProgress: Sendable, Hashable {
    /// Cells that have their proof.
    public let proved: Int
    /// Cells that need one.
    public let needed: Int
}
