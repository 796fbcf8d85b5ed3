package import ThrongPlan

/// What the numbers of an answer stand on: everything that a reader needs in order not to read too much into them.
package struct NumberBasis: Sendable, Hashable {
    /// What is counted.
    package let counts: Counted
    /// How many devices each number stands for: k.
    package let threshold: Threshold
    /// Share of events that clients send: more than 0, at most 1. Under 1, numbers of events are scaled up.
    package let sampling: Double
    /// The length of the windows within which devices are told apart.
    package let rotation: Rotation
    /// The noise of each number; nil where numbers are exact and stand for k devices.
    package let noise: NumberNoise?
    /// How it is known that numbers are devices; nil where they are none.
    package let devices: Devices?

    /// What numbers of devices stand on.
    package enum Devices: String, Sendable, Hashable, Codable {
        /// The most identifiers of one window: at least so many.
        case floor
        /// Clients say which event is a device's first in the period; nobody can check it.
        case firsts = "client_firsts"
        /// Devices answer by themselves, once a period; nobody can check it.
        case answers = "client_answers"
    }

    /// Puts a basis together.
    package init(
        counts: Counted, threshold: Threshold, sampling: Double, rotation: Rotation, noise: NumberNoise? = nil,
        devices: Devices? = nil
    ) {
        self.counts = counts
        self.threshold = threshold
        self.sampling = sampling
        self.rotation = rotation
        self.noise = noise
        self.devices = devices ?? (counts == .devices ? .floor : nil)
    }

    /// What is counted, as every format says it.
    package var statement: String {
        let noisy = noise == nil ? "" : ", with noise"
        let sampled = sampling == 1 ? "" : ", estimated from a sample"
        let seen = sampling == 1 ? "" : ", of those with an event in the sample"
        if counts == .identifiers { return "identifiers: each once, and a device has another one in a later window" }
        return switch devices {
        case nil: "events\(sampled)\(noisy)"
        case .floor: "devices: at least, seen within one window\(seen)"
        case .firsts: "devices: as clients say, each at its first event of the period\(seen)"
        case .answers: "devices: as they answer by themselves, once a period\(sampled)\(noisy)"
        }
    }

    /// k as CSV and JSON have it; nil where each number carries noise instead.
    package var kText: String? { noise == nil ? String(threshold.devices) : nil }

    /// The sampling rate as CSV and JSON have it: "1", "0.25".
    package var samplingText: String {
        sampling == 1 ? "1" : "\(sampling)"
    }
}
