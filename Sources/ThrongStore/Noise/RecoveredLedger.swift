internal import ThrongNoise
internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease
internal import ThrongWire

/// The budget ledger of one purpose as PostgreSQL has it, for one release; a class, because a ledger can't be copied.
final class RecoveredLedger {
    var ledger: BudgetLedger
    let slots: [Range<UnixSeconds>]

    /// Reads what was drawn in the slots that a release is charged to.
    ///
    /// Rows are charged anew, by the period that they cover and in the budget's present span and currency: a plan that
    /// changes its budget does not forget what was spent.
    init(for request: NoiseRequest, _ session: Session) throws {
        let layout = request.header.layout
        guard let calendar = PeriodCalendar(timeZone: layout.timeZone) else {
            throw StoreError.layoutUnknown(layout.id)
        }
        let budget = request.budget
        let slots = calendar.slots(budget.per, touchedBy: request.header.period)
        let asked = SelectLedger(
            app: layout.app, purpose: request.purpose, from: slots.first?.lowerBound ?? .epoch,
            to: slots.last?.upperBound ?? .epoch)
        let stored = try session.run(asked).map { draw in
            let charged: Rational
            do throws(NoiseError) { charged = try draw.cost.charged(to: budget.total) } catch {
                throw LedgerError.inexact(error)
            }
            return LedgerRow(
                release: NoiseRequest.id(layout.app, draw.metric, draw.period),
                slots: calendar.slots(budget.per, touchedBy: draw.period).map {
                    BudgetSlot(start: $0.lowerBound.value)
                },
                cost: charged,
                stage: draw.stage)
        }
        self.slots = slots
        ledger = try BudgetLedger(budget: budget, recovering: stored)
    }
}
