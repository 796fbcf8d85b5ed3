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
