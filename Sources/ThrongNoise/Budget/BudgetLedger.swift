/// What the noisy releases of one purpose have cost, and how far each of them came: a state machine without I/O.
///
/// The order that every release follows, each arrow once and never backwards:
///
///     reserve ▶ row on disk ▶ isDurable ▶ draw ▶ drawn ▶ row and values on disk ▶ areStored ▶ publish ▶ published
///
/// The budget is paid before the first coin is flipped, because a crash may come after values were seen (in a log, a
/// core file, by an operator) and before the payment was noted. **After a crash** a release that was reserved and no
/// more is lost: its budget is spent and it is never drawn again, since two draws of one number can be averaged. One
/// whose values are stored publishes exactly those.
///
/// Costs are added up plainly over a slot of time. That is more than one identifier in one window can lose, because
/// releases that share no window add nothing to each other for it; it also bounds what a device loses that was active
/// once in each of them.
/// It cannot be copied: two copies would give out two permits for one release. Two processes are kept apart by the
/// store, where a release has one row.
/// - Complexity: O(slots of the release) per step, O(rows) to recover and in memory.
package struct BudgetLedger: ~Copyable, Sendable {
    /// What may be spent.
    package let budget: PrivacyBudget
    private var rows: [NoiseReleaseID: LedgerRow] = [:]
    /// Of releases that this process reserved and has not yet been told to be durable.
    private var pending: [NoiseReleaseID: NoiseTerms] = [:]
    /// Releases for which this process has given out a permit.
    private var permitted: Set<NoiseReleaseID> = []
    /// Releases whose values were drawn here and are not yet known to be on disk.
    private var unstored: Set<NoiseReleaseID> = []
    private var spent: [BudgetSlot: Rational] = [:]

    /// Starts, or starts again, from the rows that a store has.
    ///
    /// A budget that was lowered may be overspent; it then refuses everything until the next slot.
    /// - Throws: ``LedgerError/twoRows(_:)``, ``LedgerError/noSlot(_:)`` and ``LedgerError/inexact(_:)``.
    package init(budget: PrivacyBudget, recovering stored: [LedgerRow] = []) throws(LedgerError) {
        self.budget = budget
        for row in stored {
            guard rows[row.release] == nil else { throw .twoRows(row.release) }
            spent = try charging(row)
            rows[row.release] = row
        }
    }

    /// What is left in a slot; negative where the budget was lowered below what was spent.
    ///
    /// - Throws: ``LedgerError/inexact(_:)``.
    package func remaining(in slot: BudgetSlot) throws(LedgerError) -> Rational {
        do throws(NoiseError) {
            return try budget.total.amount.subtracting(spent[slot] ?? .zero)
        } catch { throw .inexact(error) }
    }

    /// What to do about a release, asked at every start and every try.
    package func nextStep(for release: NoiseReleaseID) -> NextStep {
        switch rows[release]?.stage {
        case nil: .reserve
        case .reserved: pending[release] == nil && !permitted.contains(release) ? .giveUp : .wait
        case .drawn(let digest): unstored.contains(release) ? .wait : .publish(digest)
        case .published(let digest): .rest(digest)
        }
    }

    /// What to do about a release.
    package enum NextStep: Sendable, Hashable {
        /// Nothing is known of it: reserve its cost.
        case reserve
        /// This process is at it.
        case wait
        /// Paid and lost in a crash: say so in the report, never draw.
        case giveUp
        /// Publish the stored values, which have this digest.
        case publish(DrawDigest)
        /// Nothing: these values are out.
        case rest(DrawDigest)
    }

    /// Pays for a release.
    ///
    /// - Parameter slots: every slot of the budget that the release's period touches.
    /// - Returns: The row that must be on disk, unique by release, before ``isDurable(_:)`` is called.
    /// - Throws: ``LedgerError/spent(cost:remaining:slot:)`` where any slot has too little left, and
    ///   ``LedgerError/alreadyReserved(_:_:)``; then nothing has changed.
    package mutating func reserve(
        _ release: NoiseReleaseID, terms: NoiseTerms, in slots: Set<BudgetSlot>
    ) throws(LedgerError) -> LedgerRow {
        if let row = rows[release] { throw .alreadyReserved(release, row.stage) }
        let cost: Rational
        do throws(NoiseError) { cost = try terms.mechanism.cost.charged(to: budget.total) } catch {
            throw .inexact(error)
        }
        let row = LedgerRow(release: release, slots: slots.sorted(), cost: cost, stage: .reserved)
        for slot in row.slots {
            let remaining = try remaining(in: slot)
            guard cost <= remaining else { throw .spent(cost: cost, remaining: remaining, slot: slot) }
        }
        spent = try charging(row)
        rows[release] = row
        pending[release] = terms
        return row
    }

    /// Takes note that a reservation is on disk and gives out the one permit to draw.
    ///
    /// Where the store's answer was lost, don't call it: recover a ledger from the store instead.
    /// - Throws: ``LedgerError/outOfOrder(_:)`` for a release that this process did not reserve, or a second call.
    package mutating func isDurable(_ release: NoiseReleaseID) throws(LedgerError) -> DrawPermit {
        guard let terms = pending.removeValue(forKey: release) else { throw .outOfOrder(release) }
        permitted.insert(release)
        return DrawPermit(release: release, terms: terms)
    }

    /// Takes note of the values.
    ///
    /// - Returns: The row that must be on disk together with the values, in one transaction, before they are published.
    /// - Throws: ``LedgerError/outOfOrder(_:)``.
    package mutating func drawn(_ draw: NoiseDraw, digest: DrawDigest) throws(LedgerError) -> LedgerRow {
        guard permitted.contains(draw.release), let row = rows[draw.release], row.stage == .reserved else {
            throw .outOfOrder(draw.release)
        }
        permitted.remove(draw.release)
        unstored.insert(draw.release)
        let next = row.at(.drawn(digest))
        rows[draw.release] = next
        return next
    }

    /// Takes note that the values and their row are on disk; only now may anyone see them.
    ///
    /// Where the store's answer was lost, don't call it: recover a ledger from the store instead.
    /// - Throws: ``LedgerError/outOfOrder(_:)``.
    package mutating func areStored(_ release: NoiseReleaseID) throws(LedgerError) {
        guard unstored.remove(release) != nil else { throw .outOfOrder(release) }
    }

    /// Takes note that the stored values have left the house.
    ///
    /// - Parameter digest: of what was published.
    /// - Returns: The row to store.
    /// - Throws: ``LedgerError/outOfOrder(_:)`` and ``LedgerError/otherValues(_:drawn:found:)``.
    package mutating func published(
        _ release: NoiseReleaseID, digest: DrawDigest
    ) throws(LedgerError) -> LedgerRow {
        guard !unstored.contains(release), let row = rows[release], case .drawn(let drawn) = row.stage else {
            throw .outOfOrder(release)
        }
        guard drawn == digest else { throw .otherValues(release, drawn: drawn, found: digest) }
        let next = row.at(.published(digest))
        rows[release] = next
        return next
    }

    private func charging(_ row: LedgerRow) throws(LedgerError) -> [BudgetSlot: Rational] {
        guard !row.slots.isEmpty else { throw .noSlot(row.release) }
        var sums = spent
        do throws(NoiseError) {
            for slot in row.slots { sums[slot] = try (sums[slot] ?? .zero).adding(row.cost) }
        } catch { throw .inexact(error) }
        return sums
    }
}
