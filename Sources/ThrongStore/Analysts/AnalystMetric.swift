package import ThrongPlan

/// One layout of a metric of which something is released, as `analyst.metrics` has it.
package struct AnalystMetric: Sendable, Hashable {
    /// Its app.
    package let app: AppName
    /// Its name.
    package let metric: MetricName
    /// Which layout of it, from 1.
    package let version: Int64
    /// Whether new releases have this layout.
    package let isCurrent: Bool
    /// The view with its numbers.
    package let view: String
    /// Where its days begin: a name from the IANA time zone database.
    package let timeZone: String
    /// Its dimensions in column order.
    package let dimensions: [DimensionName]
    /// The names of its sums in column order.
    package let sums: [String]
    /// What is released, one entry a kind of period, the shortest first.
    package let spans: [Span]

    /// The releases of one kind of period.
    package struct Span: Sendable, Hashable {
        /// hour, day, week or month.
        package let kind: PeriodKind
        /// How many periods are released.
        package let periods: Int64
        /// First second of the first one.
        package let start: UnixSeconds
        /// First second after the last one.
        package let end: UnixSeconds
    }
}

/// What can be asked of a view for one kind of period.
package struct AnalystShape: Sendable, Hashable {
    /// The columns of its dimensions, one a dimension of the metric, in the same order.
    package let dimensions: [AnalystColumn]
    /// The columns that hold numbers: what is counted, sums, devices, devices as clients say.
    package let measures: [AnalystColumn]
    /// By what its rows can be split, few dimensions first.
    package let margins: [AnalystMargin]
    /// What is released, the latest period last.
    package let releases: [AnalystRelease]

    /// The column that says how many were counted; every view has one.
    package var count: AnalystColumn? { measures.first { $0.kind == .count } }

    /// The column with such a name; nil where there is none.
    package func dimension(_ name: String) -> AnalystColumn? { dimensions.first { $0.name == name } }
}

/// A column of a view.
package struct AnalystColumn: Sendable, Hashable {
    /// What a column holds.
    package enum Kind: Sendable, Hashable {
        /// The bucket of a dimension.
        case dimension(DimensionName)
        /// What is counted: events, or identifiers, each once a window. The comment's unit says which.
        case count
        /// A sum of clipped values.
        case sum(String)
        /// The proved floor.
        case devices
        /// Devices as clients say.
        case clientDevices
    }

    /// Its name, as the database has it.
    package let name: String
    /// What it holds.
    package let kind: Kind
    /// What it says of itself, unit and all.
    package let comment: String
    /// Of a dimension: what it can hold, in the plan's order, or by name where that is ``isLearned``.
    package let buckets: [String]
    /// Of a dimension: whether its buckets are learned and have no order.
    package let isLearned: Bool
}

/// A grouping that a view's rows have.
package struct AnalystMargin: Sendable, Hashable {
    /// What the column `margin` says: the dimensions' columns, separated by commas.
    package let name: String
    /// The columns that its rows are split by, in column order.
    package let columns: [String]
}

/// One release, without its numbers.
package struct AnalystRelease: Sendable, Hashable {
    /// What it covers.
    package let period: Period
    /// k.
    package let threshold: Int64
    /// Share of events that clients sent, as PostgreSQL writes it.
    package let sampling: String
    /// The same as a number: more than 0, at most 1.
    package var rate: Double { Double(sampling) ?? 1 }
    /// SHA-256 in hexadecimal.
    package let digest: String
    /// What all releases of a period cost one device at most, or one event where there are no identifiers, such as "0.98". Unit: ρ;
    /// nil where numbers are exact.
    package let cost: String?
    /// Within what 19 of 20 numbers lie of what was counted, in the grouping where that is widest. Unit: what is counted; nil where
    /// numbers are exact.
    package let margin: Int64?
    /// The same of each sum, in column order. Unit: 10^-decimals of the sum's; none where numbers are exact.
    package let sumMargins: [Int64]
    /// The same of numbers of devices. Unit: devices; nil where they are proved lower bounds, or not there.
    package let deviceMargin: Int64?
}
