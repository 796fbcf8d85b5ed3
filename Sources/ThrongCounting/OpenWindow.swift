internal import ThrongPlan

/// What a daemon remembers of one window while batches of it may still come: who was seen where, as keyed hashes.
struct OpenWindow: Sendable {
    /// (identifier, tracked cell, period) that were seen.
    var pairs = FlatSet()
    /// Per (identifier, metric): what it has added, and in which part of the devices it is.
    var contributions = Contributions()
    /// By metric: what identifiers have added to the sums of its tracked cells. A metric without sums has none.
    var totals: [Int: ContributionTotals] = [:]
    /// Per (identifier, noisy metric): how many (leaf cell, period) it has touched. Unit: cells.
    var cells = FlatTable<UInt32>(initial: 0)
    /// By metric that counts identifiers: how far each has come. Other metrics have none.
    var progress: [Int: WindowProgress] = [:]
    /// The batches of this window, with what their clients were told.
    var batches = AnsweredBatches()
    /// The place of its last record.
    var lastPosition = JournalPosition.start

    /// About what all of this takes; tables are half to four fifths full. Unit: bytes.
    var bytes: Int {
        pairs.count * 12 + contributions.count * 24 + totals.values.reduce(0) { $0 + $1.count * 32 } + cells.count * 20
            + progress.values.reduce(0) { $0 + $1.count * 24 } + batches.count * 36 + batches.refusalBytes
    }

    /// Brings in what a replay left waiting.
    mutating func settle() {
        pairs.settle()
        contributions.settle()
        batches.settle()
        for metric in progress.keys { progress[metric]?.settle() }
    }
}
