internal import ThrongInsight
internal import ThrongPlan

/// One number of a report, or a change of one, before it is written as a line.
struct CSVLine {
    /// What a line is about.
    enum Row: String {
        /// One of the insight's groups.
        case group
        /// What withheld groups, or those without a rank, hold together.
        case rest
        /// All groups.
        case whole
        /// How one of the groups changed: the value is a difference.
        case change
    }

    var row = Row.group
    var period: String
    var buckets: [DimensionName: BucketLabel]
    var status: NumberStatus
    var value: Decimals?
    /// What a quotient was computed from.
    var quotient: (numerator: String, denominator: String)?
    var threshold: Threshold?
    var withheldShare: Decimals?
    var bounds: (low: Decimals?, high: Decimals?)?
    var rank: Int?
    var against: String?
    var earlier: Decimals?
    var relative: Decimals?
    var ofPrevious: Decimals?
    var ofFirst: Decimals?
}
