internal import ThrongPlan
internal import ThrongWire

/// What a daemon remembers of one window while batches of it may still come: who was seen where, as keyed hashes.
struct OpenWindow: Sendable {
    /// (identifier, tracked cell, period) that were seen.
    var pairs = FlatSet()
    /// Per (identifier, metric): what it has added, and in which part of the devices it is.
    var contributions = FlatTable<Contributed>(initial: Contributed(used: 0, partition: .max))
    /// By metric: what identifiers have added to the sums of its tracked cells. A metric without sums has none.
    var totals: [Int: ContributionTotals] = [:]
    /// Per (identifier, noisy metric): how many (leaf cell, period) it has touched. Unit: cells.
    var cells = FlatTable<UInt32>(initial: 0)
    /// The batches of this window, with what their clients were told.
    var batches: [BatchID: Answered] = [:]
    /// The place of its last record.
    var lastPosition = JournalPosition.start

    struct Contributed: Sendable {
        /// Unit: events.
        var used: UInt32
        /// The cell of the metric's partition margin; `max` before the first event.
        var partition: UInt32
    }

    struct Answered: Sendable {
        let position: JournalPosition
        let answer: BatchAnswer
    }
}
