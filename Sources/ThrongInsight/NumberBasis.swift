package import ThrongNoise
package import ThrongPlan
package import ThrongRelease
package import ThrongWire

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
    /// Whether devices showed identifiers, so that they could be told apart within windows.
    package let hasIdentifiers: Bool
    /// Which devices count for k.
    package let floor: FloorKind

    /// What numbers of devices stand on.
    package enum Devices: String, Sendable, Hashable, Codable {
        /// The most identifiers of one window: at least so many.
        case floor
        /// Those that proved to be there, once each in the period: at least so many.
        case proved = "proved_firsts"
        /// Clients say which event is a device's first in the period; nobody can check it.
        case firsts = "client_firsts"
        /// Devices answer by themselves, once a period; nobody can check it.
        case answers = "client_answers"
    }

    /// Puts a basis together.
    package init(
        counts: Counted, threshold: Threshold, sampling: Double, rotation: Rotation, noise: NumberNoise? = nil,
        devices: Devices? = nil, hasIdentifiers: Bool = true, floor: FloorKind = .any
    ) {
        self.counts = counts
        self.threshold = threshold
        self.sampling = sampling
        self.rotation = rotation
        self.noise = noise
        self.hasIdentifiers = hasIdentifiers
        self.floor = floor
        self.devices = devices ?? (counts == .devices ? .floor : nil)
    }

    /// Whether numbers of a kind have an interval, because they come from a sample.
    package func hasInterval(_ kind: Insight.Kind) -> Bool {
        guard sampling < 1 else { return false }
        return switch kind {
        case .count, .distribution, .frequency, .retention, .mean, .share(of: .events, part: _): true
        case .reach, .quantiles, .funnel, .share(of: .devices, part: _): false
        }
    }

    /// k as CSV and JSON have it; nil where each number carries noise instead.
    package var kText: String? { noise == nil ? String(threshold.devices) : nil }

    /// ``floor`` as JSON has it; nil where each number carries noise instead.
    package var floorText: String? { noise == nil ? floor.rawValue : nil }

    /// The sampling rate as CSV and JSON have it: "1", "0.25".
    package var samplingText: String {
        sampling == 1 ? "1" : "\(sampling)"
    }
}

/// What a number of a report is a number of.
package enum Counted: String, Sendable, Hashable, Codable {
    /// Events, or answers of devices.
    case events
    /// Devices, each once in the period or at least so many.
    case devices
    /// Identifiers, each once when its window was over: a device counts again in a later window.
    case identifiers

    /// What numbers of a kind count, of a metric that counts events or looks at windows.
    package init(by kind: Insight.Kind, isWithin: Bool) {
        self =
            if isWithin {
                .identifiers
            } else {
                switch kind.counts {
                case .events: .events
                case .devices: .devices
                }
            }
    }
}

/// The noise that each number of an answer carries, with the words for it.
package struct NumberNoise: Sendable, Hashable {
    /// laplace or gaussian.
    package let mechanism: String
    /// What the whole release costs one identifier in one window, one device in the period, or one event: epsilon of laplace,
    /// rho of gaussian, as an exact fraction.
    package let cost: String
    /// 19 of 20 numbers lie within this of what was counted. Unit: events.
    package let margin: Int64
    /// Declared cells of the release, each with a number. Unit: cells.
    package let cells: Int
    /// In how many windows of the period one device may have been active. Unit: windows.
    package let windows: Int64
    /// What the noise promises to whom.
    package let promise: String

    /// Whom the noise hides.
    package let unit: NoiseUnit
    /// Whether numbers add up and none is negative: where noise hides devices or events.
    package var isConsistent: Bool { unit.isConsistent }

    /// What a release says about the noise of its events; nil where it has none.
    ///
    /// - Parameter groupings: the ones that are read; the widest margin among them is told.
    package init?(_ header: ReleaseHeader, groupings: [Margin]) {
        guard let noise = header.noise, let widest = noise.margins.first else { return nil }
        let margin = groupings.compactMap { header.noiseMargin(of: $0) }.max() ?? widest
        unit = noise.unit
        switch noise.mechanism {
        case .laplace(let epsilon): (mechanism, cost) = ("laplace", "\(epsilon)")
        case .gaussian(let rho): (mechanism, cost) = ("gaussian", "\(rho)")
        }
        self.margin = margin
        cells = noise.cells
        windows = noise.windows ?? header.layout.windows(in: header.period)
        do {
            promise =
                switch noise.unit {
                case .window: try noise.mechanism.statement(forDeviceActiveIn: windows)
                case .device: try noise.mechanism.statementForDevice()
                case .event:
                    try noise.mechanism.statement(forEventCounting: Int64(header.layout.contributionBound))
                }
        } catch {
            // The bound for so many windows needs more than 128 bits: it promises nothing to anyone.
            let hidden =
                switch noise.unit {
                case .window: "identifier in one window"
                case .device: "device in the whole period"
                case .event: "event"
                }
            promise = "Noise hides one \(hidden), at a cost of \(noise.mechanism.cost)."
        }
    }

    /// The currency of the cost.
    package var currency: String { mechanism == "laplace" ? "epsilon" : "rho" }
}
