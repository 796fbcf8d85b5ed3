package import ThrongPlan
package import ThrongRelease

/// The basis of an answer's numbers: everything that a reader needs in order not to read too much into them.
package struct NumberBasis: Sendable, Hashable {
    package let counts: Counted
    /// The least number of devices behind each number, or of events where there are no identifiers: k.
    package let threshold: Threshold
    /// Share of events that clients send: more than 0, at most 1. Under 1, numbers of events are scaled up.
    package let sampling: Double
    /// The length of the windows within which devices are told apart.
    package let rotation: Rotation
    /// The period that the numbers are of.
    package let period: PeriodKind
    package let margin: NumberMargin
    /// The evidence that numbers are numbers of devices; nil where they are not.
    package let devices: Devices?
    /// True if devices showed identifiers, so that they could be told apart within windows.
    package let hasIdentifiers: Bool
    /// The devices that count for k.
    package let floor: FloorKind

    /// The evidence that numbers of devices stand on.
    package enum Devices: String, Sendable, Hashable, Codable {
        /// The identifiers of the busiest window.
        case window = "one_window"
        /// Those that proved to be there, once each in the period.
        case proved = "proved_firsts"
        /// Clients say which event is a device's first in the period; nobody can check it.
        case firsts = "client_firsts"
        /// Devices answer by themselves, once a period; nobody can check it.
        case answers = "client_answers"
    }

    /// True if numbers of a kind have an interval, because they are devices, quotients or estimates from a sample.
    package func hasInterval(_ kind: Insight.Kind) -> Bool {
        kind.isTally ? sampling < 1 : kind == .reach || kind.isQuotient
    }

    /// Returns the margin that holds 19 of 20 numbers of a kind; nil where they have an interval or a band instead.
    ///
    /// Unit: the numbers'.
    package func margin(of kind: Insight.Kind) -> Int64? {
        kind != .reach && sampling < 1 || margin.isOfTerms ? nil : within
    }

    /// The margin that holds 19 of 20 numbers: of a sample, the numbers in the sample; of quotients and quantiles, the
    /// numbers that they are computed from. Unit: the numbers'.
    package var within: Int64 { counts == .devices ? margin.devices ?? margin.events : margin.events }

    package var kText: String { String(threshold.devices) }

    /// ``floor`` as JSON has it; nil where there are no identifiers, and k counts events.
    package var floorText: String? { hasIdentifiers ? floor.rawValue : nil }

    /// The sampling rate as CSV and JSON have it: "1", "0.25".
    package var samplingText: String { sampling == 1 ? "1" : "\(sampling)" }
}

extension Insight.Kind {
    /// True if numbers are of events, or of what counts once each: of a sample they are scaled up.
    var isTally: Bool {
        switch self {
        case .count, .distribution, .frequency: true
        case .reach, .share, .mean, .quantiles, .retention, .funnel: false
        }
    }

    /// True if numbers are computed from two others.
    package var isQuotient: Bool {
        switch self {
        case .share, .mean, .retention: true
        case .count, .reach, .distribution, .frequency, .quantiles, .funnel: false
        }
    }

    fileprivate var isFunnel: Bool { if case .funnel = self { true } else { false } }
}

/// The things that a report's number counts.
package enum Counted: String, Sendable, Hashable, Codable {
    /// Events, or answers of devices.
    case events
    /// Devices, each once in the period or in its busiest window.
    case devices
    /// Identifiers, each once when its window was over: a device counts again in a later window.
    case identifiers

    /// The word for one of them.
    package var one: String {
        switch self {
        case .events: "event"
        case .devices: "device"
        case .identifiers: "identifier"
        }
    }

    /// Finds what numbers of a kind count: identifiers for a metric that looks at windows, else events or devices.
    package init(by kind: Insight.Kind, isWithin: Bool) {
        self =
            if isWithin { .identifiers } else {
                switch kind.counts {
                case .events: .events
                case .devices: .devices
                }
            }
    }
}

/// The margins of an answer's numbers, which are noisy on purpose.
package struct NumberMargin: Sendable, Hashable {
    /// 19 of 20 numbers of events lie within this of what was counted, or less. Unit: events, or identifiers.
    package let events: Int64
    /// The same of numbers of devices; nil where none are published. Unit: devices.
    package let devices: Int64?
    /// ρ, rounded up, such as "0.98": what one device adds to the release costs, or one event without identifiers.
    package let cost: String
    /// True if the margin is about the numbers that answers are computed from, and not about the answers.
    package let isOfTerms: Bool
}

extension NumberBasis {
    /// Reads what a report's file says of it, with how long an identifier lasts; nil where there is none. Unit: seconds.
    package init(
        counting counts: Counted, threshold: Threshold, sampling: Double, window: Int64?, period: PeriodKind,
        within: Int64, isOfTerms: Bool, devices: Devices?, floor: FloorKind
    ) {
        self.init(
            counts: counts, threshold: threshold, sampling: sampling,
            rotation: window.map { Rotation(seconds: $0) } ?? .standard, period: period,
            margin: NumberMargin(events: within, devices: nil, cost: "", isOfTerms: isOfTerms), devices: devices,
            hasIdentifiers: window != nil, floor: floor)
    }
}

extension NumberMargin {
    /// Reads the margins that a release states; nil before it is drawn.
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
