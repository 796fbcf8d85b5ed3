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

/// The SHA-256 over ``NoiseDraw/canonicalText``: shows later that what is published is what was drawn.
package struct DrawDigest: Sendable, Hashable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let hex: String
    /// Wraps a digest in hexadecimal; the store computes it.
    package init(hex: String) { self.hex = hex }
    /// The digits.
    package var description: String { hex }
}

/// Why a step of the budget ledger was refused.
package enum LedgerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The budget has less left than the release costs.
    case spent(cost: Rational, remaining: Rational, slot: BudgetSlot)
    /// The release has a row already; it is never reserved, and so never drawn, a second time.
    case alreadyReserved(NoiseReleaseID, LedgerRow.Stage)
    /// The release is not at the stage that this step starts from.
    case outOfOrder(NoiseReleaseID)
    /// What should be published is not what was drawn.
    case otherValues(NoiseReleaseID, drawn: DrawDigest, found: DrawDigest)
    /// A reservation without any slot of time would cost nobody.
    case noSlot(NoiseReleaseID)
    /// Two rows for one release were read back.
    case twoRows(NoiseReleaseID)
    /// The cost or the sum of costs cannot be computed exactly.
    case inexact(NoiseError)

    /// What was found and what to do.
    package var description: String {
        switch self {
        case .spent(let cost, let remaining, let slot):
            """
            the release costs \(cost), and \(remaining) is left of the purpose's budget from Unix second \
            \(slot.start); wait for the next slot, or release less
            """
        case .alreadyReserved(let release, let stage):
            switch stage {
            case .reserved:
                """
                \(release) paid for its noise and stopped before the values were stored; they may have been seen, so \
                the release is lost and its budget stays spent
                """
            case .drawn, .published:
                "\(release) has its noise already; publish the stored values"
            }
        case .outOfOrder(let release):
            "\(release) is not at the stage that this step starts from; read the ledger again"
        case .otherValues(let release, let drawn, let found):
            "\(release) was drawn as \(drawn), and \(found) was to be published; restore the values from a backup"
        case .noSlot(let release):
            "\(release) was to be charged to no slot of time; name every slot that its period touches"
        case .twoRows(let release):
            "the ledger holds two rows for \(release); restore it from a backup, nothing noisy is released from it"
        case .inexact(let reason):
            "the budget cannot be computed: \(reason)"
        }
    }
}
