internal import ThrongCounting
internal import ThrongPlan
internal import ThrongPostgres

/// A pair of largest contributions under the names that the schema knows it by.
struct PendingTop {
    let metric: Int32
    /// The period that takes the counts.
    var periodStart: Int64
    /// The period under which they were counted: what it says never mixes with what is counted under the other one.
    let countedStart: Int64
    let contribution: TopContribution

    init(_ contribution: TopContribution, metric: Int32) {
        self.metric = metric
        periodStart = contribution.periodStart
        countedStart = contribution.periodStart
        self.contribution = contribution
    }

    /// Its columns, in the order of the copy.
    func write(to writer: CopyWriter) throws {
        try writer.row(columns: 9)
        try writer.integer(metric)
        try writer.instant(periodStart)
        try writer.integer(Int32(bitPattern: contribution.margin.bits))
        try writer.integer(Int32(bitPattern: contribution.cell.value))
        try writer.smallint(contribution.measure.value)
        try writer.bigint(contribution.window.value)
        try writer.instant(countedStart)
        try writer.bigint(contribution.largest)
        try writer.bigint(contribution.second)
    }
}
