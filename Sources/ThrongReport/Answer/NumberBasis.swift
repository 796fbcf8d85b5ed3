public import ThrongPlan

/// What the numbers of an answer stand on: everything that a reader needs in order not to read too much into them.
public struct NumberBasis: Sendable, Hashable {
    /// What is counted.
    public let counts: Insight.Basis
    /// How many devices each number stands for: k.
    public let threshold: Threshold
    /// Share of events that clients send: more than 0, at most 1. Numbers are as counted, not scaled up.
    public let sampling: Double
    /// The length of the windows within which devices are told apart.
    public let rotation: Rotation

    /// Puts a basis together.
    public init(counts: Insight.Basis, threshold: Threshold, sampling: Double, rotation: Rotation) {
        self.counts = counts
        self.threshold = threshold
        self.sampling = sampling
        self.rotation = rotation
    }

    /// What is counted, as every format says it.
    public var statement: String {
        switch counts {
        case .events: "events"
        case .devices: "devices: at least, seen within one window"
        }
    }

    /// The sampling rate as CSV and JSON have it: "1", "0.25".
    public var samplingText: String {
        sampling == 1 ? "1" : "\(sampling)"
    }
}
