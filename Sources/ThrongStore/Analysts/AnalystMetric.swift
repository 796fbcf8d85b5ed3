package import ThrongPlan

/// One layout of a metric that has releases, as `analyst.metrics` has it.
package struct AnalystMetric: Sendable, Hashable {
    package let app: AppName
    package let metric: MetricName
    /// The number of the layout, from 1.
    package let version: Int64
    /// True if new releases have this layout.
    package let isCurrent: Bool
    package let view: String
    /// The time zone of its days: a name from the IANA time zone database.
    package let timeZone: String
    /// Its dimensions in column order.
    package let dimensions: [DimensionName]
    /// The names of its sums in column order.
    package let sums: [String]
    /// The releases, one entry a kind of period, the shortest first.
    package internal(set) var spans: [Span]

    package struct Span: Sendable, Hashable {
        package let kind: PeriodKind
        package let periods: Int64
        /// First second of the first one.
        package let start: UnixSeconds
        /// First second after the last one.
        package let end: UnixSeconds
    }
}

/// The questions that a view can answer for one kind of period.
package struct AnalystShape: Sendable, Hashable {
    /// The columns of its dimensions, one a dimension of the metric, in the same order.
    package let dimensions: [AnalystColumn]
    /// The columns that hold numbers: what is counted, sums, devices, devices as clients say.
    package let measures: [AnalystColumn]
    /// The groupings of its rows, those of few dimensions first.
    package let margins: [AnalystMargin]
    /// The releases, the latest period last.
    package let releases: [AnalystRelease]

    /// The column of the count; every view has one.
    package var count: AnalystColumn? { measures.first { $0.kind == .count } }

    /// Finds the column of a dimension by its name; nil where there is none.
    package func dimension(_ name: String) -> AnalystColumn? { dimensions.first { $0.name == name } }
}

package struct AnalystColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case dimension(DimensionName)
        /// The count: events, or identifiers, each once a window. The comment's unit says which.
        case count
        /// A sum of clipped values.
        case sum(String)
        /// The proved minimum of devices.
        case devices
        /// The number of devices as clients report it.
        case clientDevices
    }

    package let name: String
    package let kind: Kind
    /// The column's comment in the database, with its unit.
    package let comment: String
    /// The buckets of a dimension, in the plan's order, or by name if ``isLearned``; empty for other columns.
    package let buckets: [String]
    /// True for a dimension whose buckets are learned and have no order.
    package let isLearned: Bool
}

/// A grouping that a view's rows have.
package struct AnalystMargin: Sendable, Hashable {
    /// The value of the column `margin`: the dimensions' columns, separated by commas.
    package let name: String
    /// The columns that its rows are split by, in column order.
    package let columns: [String]
}

/// One release, without its numbers.
package struct AnalystRelease: Sendable, Hashable {
    package let period: Period
    /// k.
    package let threshold: Int64
    /// Share of events that clients sent, as PostgreSQL writes it.
    package let sampling: String
    /// The same as a number: more than 0, at most 1.
    package var rate: Double { Double(sampling) ?? 1 }
    package let digest: String
    /// The most that all releases of a period cost one device, or one event where there are no identifiers, such as
    /// "0.98". Unit: ρ; nil where age took the numbers.
    package let cost: String?
    /// The margin of error: 19 of 20 numbers are at most this far from what was counted. Taken from the grouping where
    /// it is widest. Unit: what is counted; nil where age took the numbers.
    package let margin: Int64?
    /// The margin of error of each sum, in column order. Unit: 10^-decimals of the sum's; none where age took the
    /// numbers.
    package let sumMargins: [Int64]
    /// The margin of error of numbers of devices. Unit: devices; nil where there are none.
    package let deviceMargin: Int64?
}
