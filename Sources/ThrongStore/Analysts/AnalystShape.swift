public import ThrongPlan

/// What can be asked of a view for one kind of period.
public struct AnalystShape: Sendable, Hashable {
    /// The columns of its dimensions, one a dimension of the metric, in the same order.
    public let dimensions: [AnalystColumn]
    /// The columns that hold numbers: what is counted, sums, devices, devices as clients say.
    public let measures: [AnalystColumn]
    /// By what its rows can be split, few dimensions first.
    public let margins: [AnalystMargin]
    /// What is released, the latest period last.
    public let releases: [AnalystRelease]

    /// The column that says how many were counted; every view has one.
    public var count: AnalystColumn? { measures.first { $0.kind == .count } }

    /// The column with such a name; nil where there is none.
    public func dimension(_ name: String) -> AnalystColumn? { dimensions.first { $0.name == name } }
}

/// A column of a view.
public struct AnalystColumn: Sendable, Hashable {
    /// What a column holds.
    public enum Kind: Sendable, Hashable {
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
    public let name: String
    /// What it holds.
    public let kind: Kind
    /// What it says of itself, unit and all.
    public let comment: String
    /// Of a dimension: what it can hold, in the plan's order, or by name where that is ``isLearned``.
    public let buckets: [String]
    /// Of a dimension: whether its buckets are learned and have no order.
    public let isLearned: Bool
}

/// A grouping that a view's rows have.
public struct AnalystMargin: Sendable, Hashable {
    /// What the column `margin` says: the dimensions' columns, separated by commas.
    public let name: String
    /// The columns that its rows are split by, in column order.
    public let columns: [String]
}

/// One release, without its numbers.
public struct AnalystRelease: Sendable, Hashable {
    /// What it covers.
    public let period: Period
    /// k; 0 where numbers carry noise instead.
    public let threshold: Int64
    /// Share of events that clients sent, as PostgreSQL writes it.
    public let sampling: String
    /// The same as a number: more than 0, at most 1.
    public var rate: Double { Double(sampling) ?? 1 }
    /// SHA-256 in hexadecimal.
    public let digest: String
    /// The noise in words, such as "laplace, epsilon 1/2"; nil where there is none.
    public let noise: String?
    /// Within what 19 of 20 noisy numbers lie. Unit: events; nil where there is no noise.
    public let margin: Int64?
    /// The same of each sum, in column order. Unit: 10^-decimals of the sum's; none where there is no noise.
    public let sumMargins: [Int64]
}
