/// What a store keeps about the noise of one release. A row is only ever added or moved forward.
package struct LedgerRow: Sendable, Hashable {
    /// Primary key.
    package let release: NoiseReleaseID
    /// Whose room it takes, ascending; more than one where the release's period spans a boundary.
    package let slots: [BudgetSlot]
    /// In the budget's currency.
    package let cost: Rational
    /// How far it came.
    package let stage: Stage

    /// Puts a row together.
    package init(release: NoiseReleaseID, slots: [BudgetSlot], cost: Rational, stage: Stage) {
        self.release = release
        self.slots = slots
        self.cost = cost
        self.stage = stage
    }

    /// How far the noise of a release came. The store's code stands beside each.
    package enum Stage: Sendable, Hashable {
        /// 0: paid; nothing that was drawn is known.
        case reserved
        /// 1: paid, and the values are stored.
        case drawn(DrawDigest)
        /// 2: those values have left the house.
        case published(DrawDigest)
    }

    func at(_ stage: Stage) -> LedgerRow { LedgerRow(release: release, slots: slots, cost: cost, stage: stage) }
}
