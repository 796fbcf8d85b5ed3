package import ThrongWire

/// One version of an app's plan, as anybody can read it, and for how long it was in force.
///
/// Only what is written there is taken: what follows from it for other metrics' numbers the attacker works out alone.
package struct KnownPlan: Sendable, Hashable {
    /// The app.
    package let app: String
    /// From when on; nil is from the beginning.
    package let since: UnixSeconds?
    /// What is counted.
    package let metrics: [KnownMetric]

    /// A version.
    package init(app: String, since: UnixSeconds? = nil, metrics: [KnownMetric]) {
        self.app = app
        self.since = since
        self.metrics = metrics
    }
}

/// A metric as its plan describes it.
package struct KnownMetric: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// The events that it counts.
    package let events: Set<String>
    /// Who is counted.
    package let clients: Clients
    /// Whose identifiers: their purpose.
    package let purpose: String
    /// How long one lasts. Unit: seconds.
    package let windowSeconds: Int64
    /// Whether numbers of devices are of those that proved themselves in the period, and not in its busiest window.
    package let provesFirsts: Bool
    /// Events that one identifier may add in a window.
    package let bound: Int64
    /// k.
    package let threshold: Int64
    /// Whether its numbers are exact, of all events, and of events: not drawn, sampled, or of identifiers.
    package let isComparable: Bool
    /// How it may be split.
    package let dimensions: [KnownDimension]
    /// Its clipped sums.
    package let sums: [KnownSum]

    /// Which clients send to a purpose.
    package struct Clients: Sendable, Hashable {
        /// Only those that agreed.
        package let haveAgreed: Bool
        /// Not those that send one of these signals.
        package let refusedBy: Set<String>

        /// Clients.
        package init(haveAgreed: Bool = false, refusedBy: Set<String> = []) {
            self.haveAgreed = haveAgreed
            self.refusedBy = refusedBy
        }
    }

    /// A metric.
    package init(
        name: String, events: Set<String>, clients: Clients = Clients(), purpose: String, windowSeconds: Int64 = 86_400,
        provesFirsts: Bool = false, bound: Int64, threshold: Int64, isComparable: Bool = true,
        dimensions: [KnownDimension] = [],
        sums: [KnownSum] = []
    ) {
        self.name = name
        self.events = events
        self.clients = clients
        self.purpose = purpose
        self.windowSeconds = windowSeconds
        self.provesFirsts = provesFirsts
        self.bound = bound
        self.threshold = threshold
        self.isComparable = isComparable
        self.dimensions = dimensions
        self.sums = sums
    }
}

extension KnownMetric {
    /// Within what its numbers of devices tell devices apart.
    var deviceSpan: DeviceSpan { provesFirsts ? .period : .windows(windowSeconds) }

    /// The most events that one device adds in a period of that many seconds.
    func most(in seconds: Int64) -> Int64 {
        let windows = max(1, (seconds + windowSeconds - 1) / windowSeconds)
        let (most, overflow) = bound.multipliedReportingOverflow(by: windows)
        return overflow ? .max : most
    }
}

/// A dimension: what it is made from, and how.
package struct KnownDimension: Sendable, Hashable {
    /// Its name in this plan.
    package let name: String
    /// The field of the event.
    package let field: String
    /// How the field becomes a bucket.
    package let rule: KnownRule
    /// By bucket, the buckets of the rule that it holds, where it is made of another dimension's.
    package let groups: [String: [String]]?
    /// Whether a device can be in only one bucket within a window.
    package let partitionsDevices: Bool

    /// A dimension.
    package init(
        name: String, field: String, rule: KnownRule, groups: [String: [String]]? = nil, partitionsDevices: Bool = false
    ) {
        self.name = name
        self.field = field
        self.rule = rule
        self.groups = groups
        self.partitionsDevices = partitionsDevices
    }

    /// Its buckets.
    package var labels: [String] { groups.map { $0.keys.sorted() } ?? rule.labels }
}

/// A clipped sum.
package struct KnownSum: Sendable, Hashable {
    /// Its name.
    package let name: String
    /// The field that is summed.
    package let field: String
    /// Values are clipped to this range. Unit: the field's.
    package let lowest: Double
    /// See ``lowest``.
    package let highest: Double
    /// Decimal places kept.
    package let decimals: Int
    /// What reports print beside it.
    package let unit: String

    /// A sum.
    package init(name: String, field: String, lowest: Double, highest: Double, decimals: Int, unit: String) {
        self.name = name
        self.field = field
        self.lowest = lowest
        self.highest = highest
        self.decimals = decimals
        self.unit = unit
    }
}
