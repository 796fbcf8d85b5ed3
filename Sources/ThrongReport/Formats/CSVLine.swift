internal import ThrongPlan

/// One number of a report, or a change of one, before it is written as a line.
struct CSVLine {
    var period: String
    var buckets: [DimensionName: BucketLabel]
    var status: NumberStatus
    var value: Decimals?
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
