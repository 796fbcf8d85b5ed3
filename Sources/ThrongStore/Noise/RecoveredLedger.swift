internal import ThrongNoise
internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease
internal import ThrongWire

/// The budget ledger of one purpose as PostgreSQL has it, for one release; a class, because a ledger can't be copied.
final class RecoveredLedger {
    var ledger: BudgetLedger
    let slots: [Range<Int64>]

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
        let rows = try session.query(
            Query.selectLedger([
                .text(layout.app.text), .text(request.purpose.text), .instant(slots.first?.lowerBound ?? 0),
                .instant(slots.last?.upperBound ?? 0),
            ]))
        let stored = try rows.indices.map { row in
            guard let kind = PeriodKind(code: try rows.integer(row, 1)) else {
                throw PostgresError.unexpectedAnswer(query: Query.selectLedger.name)
            }
            let period = Period(kind: kind, start: try rows.integer(row, 2), end: try rows.integer(row, 3))
            let parameter = try Rational(parsing: "\(try rows.text(row, 5))/\(try rows.text(row, 6))")
            let cost: PrivacyLoss = try rows.integer(row, 4) == 0 ? .epsilon(parameter) : .rho(parameter)
            let charged: Rational
            do throws(NoiseError) { charged = try cost.charged(to: budget.total) } catch {
                throw LedgerError.inexact(error)
            }
            return LedgerRow(
                release: NoiseRequest.id(layout.app, MetricName(try rows.text(row, 0)), period),
                slots: calendar.slots(budget.per, touchedBy: period).map { BudgetSlot(start: $0.lowerBound) },
                cost: charged,
                stage: try Self.stage(rows, row))
        }
        self.slots = slots
        ledger = try BudgetLedger(budget: budget, recovering: stored)
    }

    private static func stage(_ rows: Rows, _ row: Int) throws -> LedgerRow.Stage {
        let code = try rows.integer(row, 7)
        guard code > 0 else { return .reserved }
        let digest = DrawDigest(hex: try rows.bytes(row, 8).lowerHex)
        return code == 1 ? .drawn(digest) : .published(digest)
    }
}

extension PrivacyLoss {
    /// 0 epsilon, 1 rho; also the mechanism that is paid in it.
    var code: Int64 {
        switch self {
        case .epsilon: 0
        case .rho: 1
        }
    }
}

extension Rational {
    /// Numerator and denominator, for numeric.
    var parameters: [Parameter] { [.text("\(numerator)"), .text("\(denominator)")] }
}
