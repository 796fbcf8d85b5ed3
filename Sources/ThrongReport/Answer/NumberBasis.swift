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
    /// The noise of each number; nil where numbers are exact and stand for k devices.
    public let noise: NumberNoise?

    /// Puts a basis together.
    public init(
        counts: Insight.Basis, threshold: Threshold, sampling: Double, rotation: Rotation, noise: NumberNoise? = nil
    ) {
        self.counts = counts
        self.threshold = threshold
        self.sampling = sampling
        self.rotation = rotation
        self.noise = noise
    }

    /// What is counted, as every format says it.
    public var statement: String {
        switch counts {
        case .events: noise == nil ? "events" : "events, with noise"
        case .devices: "devices: at least, seen within one window"
        }
    }

    /// k as CSV and JSON have it; nil where each number carries noise instead.
    public var kText: String? { noise == nil ? String(threshold.devices) : nil }

    /// The sampling rate as CSV and JSON have it: "1", "0.25".
    public var samplingText: String {
        sampling == 1 ? "1" : "\(sampling)"
    }
}
