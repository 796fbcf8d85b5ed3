package import ThrongPlan
package import ThrongRelease
package import ThrongWire

/// What the numbers of an answer stand on: everything that a reader needs in order not to read too much into them.
package struct NumberBasis: Sendable, Hashable {
    /// What is counted.
    package let counts: Counted
    /// How many devices each number stands for, or events where there are no identifiers: k.
    package let threshold: Threshold
    /// Share of events that clients send: more than 0, at most 1. Under 1, numbers of events are scaled up.
    package let sampling: Double
    /// The length of the windows within which devices are told apart.
    package let rotation: Rotation
    /// How far off numbers are on purpose; nil where they are exact.
    package let margin: NumberMargin?
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
        /// The identifiers of one window, with a margin.
        case drawn
    }

    /// Puts a basis together.
    package init(
        counts: Counted, threshold: Threshold, sampling: Double, rotation: Rotation, margin: NumberMargin? = nil,
        devices: Devices? = nil, hasIdentifiers: Bool = true, floor: FloorKind = .any
    ) {
        self.counts = counts
        self.threshold = threshold
        self.sampling = sampling
        self.rotation = rotation
        self.margin = margin
        self.hasIdentifiers = hasIdentifiers
        self.floor = floor
        self.devices = devices ?? (counts == .devices ? margin == nil ? .floor : .drawn : nil)
    }

    /// Whether numbers of a kind have an interval, because they come from a sample, are devices with a margin, or are
    /// computed from numbers with margins.
    package func hasInterval(_ kind: Insight.Kind) -> Bool {
        if kind == .reach { return margin?.devices != nil }
        if margin != nil, kind.isQuotient { return true }
        guard sampling < 1 else { return false }
        return switch kind {
        case .count, .distribution, .frequency, .retention, .mean, .share(of: .events, part: _): true
        case .reach, .quantiles, .funnel, .share(of: .devices, part: _): false
        }
    }

    /// Within what 19 of 20 numbers of a kind lie; nil where they are exact, or have an interval or a band instead.
    ///
    /// Unit: the numbers'.
    package func margin(of kind: Insight.Kind) -> Int64? {
        kind != .reach && sampling < 1 || margin?.isOfTerms ?? true ? nil : within
    }

    /// Within what 19 of 20 numbers lie, of a sample those in the sample, and of quotients and quantiles those that they
    /// are computed from; nil where they are exact. Unit: the numbers'.
    package var within: Int64? { counts == .devices ? margin?.devices : margin?.events }

    /// k as CSV and JSON have it.
    package var kText: String { String(threshold.devices) }

    /// ``floor`` as JSON has it; nil where there are no identifiers, and k counts events.
    package var floorText: String? { hasIdentifiers ? floor.rawValue : nil }

    /// The sampling rate as CSV and JSON have it: "1", "0.25".
    package var samplingText: String {
        sampling == 1 ? "1" : "\(sampling)"
    }
}

extension Insight.Kind {
    /// Whether numbers are computed from two others.
    package var isQuotient: Bool {
        switch self {
        case .share, .mean, .retention: true
        case .count, .reach, .distribution, .frequency, .quantiles, .funnel: false
        }
    }

    fileprivate var isFunnel: Bool { if case .funnel = self { true } else { false } }
}

/// What a number of a report is a number of.
package enum Counted: String, Sendable, Hashable, Codable {
    /// Events, or answers of devices.
    case events
    /// Devices, each once in the period or at least so many.
    case devices
    /// Identifiers, each once when its window was over: a device counts again in a later window.
    case identifiers

    /// What one of them is called.
    package var one: String {
        switch self {
        case .events: "event"
        case .devices: "device"
        case .identifiers: "identifier"
        }
    }

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

/// How far off the numbers of an answer are on purpose.
package struct NumberMargin: Sendable, Hashable {
    /// 19 of 20 numbers of events lie within this of what was counted, or less. Unit: events, or identifiers.
    package let events: Int64
    /// The same of numbers of devices; nil where none are published. Unit: devices.
    package let devices: Int64?
    /// ρ, rounded up, such as "0.98": what one device adds to the release costs, or one event without identifiers.
    package let cost: String
    /// Whether it is about the numbers that answers are computed from, and not about the answers.
    package let isOfTerms: Bool

    /// Puts a margin together.
    package init(events: Int64, devices: Int64? = nil, cost: String, isOfTerms: Bool = false) {
        self.events = events
        self.devices = devices
        self.cost = cost
        self.isOfTerms = isOfTerms
    }

    /// What a release says about its margins; nil where its numbers are exact.
    ///
    /// - Parameters:
    ///   - groupings: the ones that are read; the widest margin among them and the rows is told.
    ///   - rows: what is computed from them.
    package init?(_ header: ReleaseHeader, groupings: [Margin], kind: Insight.Kind, rows: [AnswerRow]) {
        guard let margins = header.margins else { return nil }
        let read = groupings.compactMap { header.margin(of: $0) }
        let shown = kind.counts == .events || kind.isFunnel ? rows.compactMap { $0.figure.quantity?.within } : []
        let isQuantile = if case .quantiles = kind { true } else { false }
        self.init(
            events: (read + shown).max() ?? margins.groupings.map(\.count).max() ?? 0,
            devices: groupings.compactMap { header.deviceMargin(of: $0) }.max(), cost: margins.cost,
            isOfTerms: kind.isQuotient || isQuantile)
    }
}
