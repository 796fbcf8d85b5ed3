package import Foundation
package import ThrongPlan
internal import ThrongSystem

/// The SHA-256 of a release, by which anybody can later prove what it said.
package struct ReleaseDigest: Hashable, Sendable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let hex: String
    package init(hex: String) { self.hex = hex }
    package var description: String { hex }
}

/// The header of a release: everything that a reader needs to know about its numbers.
package struct ReleaseHeader: Sendable, Hashable, Codable {
    /// The layout of the cells; carries app, metric, dimensions and their buckets, learned ones with their labels.
    package private(set) var layout: MetricLayout
    package let period: Period
    /// The plan in force.
    package let plan: PlanVersion
    /// The number of devices that each number stands for, at least.
    package private(set) var threshold: Threshold
    /// Share of events that clients sent: more than 0, at most 1.
    package let sampling: Double
    /// True if reach is published.
    package let reach: Bool
    /// The margins shown, ascending.
    package internal(set) var groupings: [Margin]
    /// The margins of error of its numbers; nil before they are drawn.
    package internal(set) var margins: ReleaseMargins?
    /// The events that were counted, ascending; nil if nobody said. Metrics of the same ones share happenings.
    package private(set) var events: [EventName]?

    package init(
        layout: MetricLayout, period: Period, plan: PlanVersion, threshold: Threshold, sampling: Double, reach: Bool,
        groupings: [Margin], margins: ReleaseMargins? = nil, events: [EventName]? = nil
    ) {
        (self.layout, self.period, self.plan, self.threshold) = (layout, period, plan, threshold)
        (self.sampling, self.reach, self.groupings, self.margins) = (sampling, reach, groupings, margins)
        self.events = events?.sorted()
    }

    /// Returns the same header with the labels that a layout gives to its slots.
    func naming(as named: MetricLayout) -> ReleaseHeader {
        guard named.counted == layout.counted else { return self }
        var header = self
        header.layout = named
        return header
    }

    /// Returns the header under the terms under which its numbers were counted, which may only ask for more.
    ///
    /// Its events are those that were counted; nil if an edit of the plan leaves open which.
    package func tightened(by terms: ReleaseTerms?) -> ReleaseHeader {
        guard let terms, !Fault.forgetTerms.isOn else { return self }
        var header = self
        header.threshold = max(threshold, terms.threshold)
        if let counted = terms.counted { header.events = counted.names?.sorted() }
        return header
    }

    /// The bound that the release chose, of a sum over periods the smallest of theirs; nil where the plan fixed it. Unit: events
    /// of an identifier in its window.
    package var chosenBound: Int? { layout.rungs == nil ? nil : layout.contributionBound }

    /// The counters of the period's firsts by shown grouping; empty if clients are not asked for them.
    var firsts: [Margin: MeasureIndex] {
        guard reach, let firsts = layout.firsts, let places = firsts.places(of: period.kind) else { return [:] }
        var counters: [Margin: MeasureIndex] = [:]
        for (margin, place) in zip(firsts.groupings, places) where groupings.contains(margin) {
            counters[margin] = layout.measure(ofFirst: place)
        }
        return counters
    }

    /// True if numbers of devices are what clients say (`reach: client`).
    package var hasFirsts: Bool { !firsts.isEmpty }

    /// True if numbers of devices are those that proved themselves in the period (`reach: attested`).
    package var provesFirsts: Bool { reach && layout.provedFirsts?.periods.contains(period.kind) ?? false }

    /// Creates the header that a plan gives a metric's release.
    package init(plan: Plan, metric: Metric, layout: MetricLayout, period: Period) {
        self.init(
            layout: layout, period: period, plan: plan.version, threshold: metric.threshold, sampling: layout.sampling,
            reach: metric.reach, groupings: plan.groupings(of: metric), events: metric.countingEvents)
    }

    /// Returns the half-width within which 19 of 20 numbers of a grouping lie; nil if they are exact. Unit: the
    /// measure's.
    ///
    /// - Parameter measure: 0 is the count; then the sums.
    package func margin(of grouping: Margin, measure: Int = 0) -> Int64? {
        guard let stated = margins(of: grouping) else { return nil }
        return measure == 0 ? stated.count : stated.sums[measure - 1]
    }

    /// Returns the half-width of a grouping's numbers of devices; nil if they are exact. Unit: devices.
    package func deviceMargin(of grouping: Margin) -> Int64? { margins(of: grouping)?.devices }

    private func margins(of grouping: Margin) -> ReleaseMargins.Grouping? {
        groupings.firstIndex(of: grouping).flatMap { margins?.groupings[$0] }
    }
}

/// The margins of error of a release's numbers, and their cost.
package struct ReleaseMargins: Sendable, Hashable, Codable {
    /// The ρ of zero-concentrated differential privacy: the most that one device adds to everything that was drawn for
    /// the release; for a purpose without identifiers, the most that one event adds. A decimal number, rounded up.
    package let cost: String
    /// The margins in the release's order of groupings.
    package let groupings: [Grouping]
    /// The squares of the noise's widths by measure, the count first and devices last. A sum over a longer period needs
    /// them to draw the same noise again. Unit: devices, squared.
    let squares: [Int64]
    /// Each event's senders and time in the period, kept for the same reason; nil if nobody kept that.
    package let events: [String: String]?

    /// Half-widths: 19 of 20 published numbers of a grouping lie within them.
    package struct Grouping: Sendable, Hashable, Codable {
        /// The half-width of the count. Unit: events.
        package let count: Int64
        /// The half-widths of the sums, in their order. Unit: 10^-decimals of the sum's unit.
        package let sums: [Int64]
        /// The half-width of numbers of devices; nil without identifiers. Unit: devices.
        package let devices: Int64?

        package init(count: Int64, sums: [Int64], devices: Int64?) {
            (self.count, self.sums, self.devices) = (count, sums, devices)
        }
    }

    package init(cost: String, groupings: [Grouping], squares: [Int64] = [], events: [String: String]? = nil) {
        (self.cost, self.groupings, self.squares, self.events) = (cost, groupings, squares, events)
    }

    /// Returns the same margins without the groupings that age took.
    func keeping(_ kept: [Bool]) -> ReleaseMargins {
        ReleaseMargins(
            cost: cost, groupings: zip(groupings, kept).filter(\.1).map(\.0), squares: squares, events: events)
    }
}

/// The reason why a release could not be made or read.
package enum ReleaseError: Error, Sendable, Hashable, CustomStringConvertible {
    case altered(metric: MetricName, period: Period)
    case decayed(metric: MetricName, period: Period)
    case countersGone(metric: MetricName, period: Period)

    package var description: String {
        switch self {
        case .altered(let metric, let period):
            """
            the release of \(Self.name(metric, period)) is not what was released: its digest differs. Restore the \
            table from a backup; nothing is reported from it.
            """
        case .decayed(let metric, let period):
            """
            age has taken numbers of \(Self.name(metric, period)) that a coarser period would have to be decided \
            against, so that one can't be released. Let numbers decay later than their coarsest rollup is over.
            """
        case .countersGone(let metric, let period):
            """
            the counters of \(Self.name(metric, period)), which was released, are gone, so that nothing can be added up over \
            it: the coarser period is given up, and the next one is released. Let nothing but throng delete from its tables.
            """
        }
    }

    /// True if no later attempt can succeed.
    package var isForGood: Bool {
        switch self {
        case .decayed, .countersGone: true
        case .altered: false
        }
    }

    private static func name(_ metric: MetricName, _ period: Period) -> String {
        "\(metric) for the \(period.kind.rawValue) that starts at Unix second \(period.start)"
    }
}

extension ReleaseHeader {
    /// The header as JSON with sorted keys: the same bytes for the same header.
    package var json: Data {
        do { return try JSONEncoder.stable().encode(self) } catch {
            // Strings, whole numbers and finite numbers only: the encoder has nothing to refuse.
            preconditionFailure("a release header could not be written as JSON: \(error)")
        }
    }

    package init(json: Data) throws { self = try JSONDecoder().decode(ReleaseHeader.self, from: json) }
}
