internal import ThrongNoise
internal import ThrongPlan
internal import ThrongPostgres

/// What a purpose may spend within a stretch of time.
struct SlotBudget {
    let app: AppName
    let purpose: PurposeName
    /// From its first second to the first second after it.
    let slot: Range<UnixSeconds>
    let total: PrivacyLoss

    /// Its primary key, then the total.
    fileprivate var parameters: [Parameter] {
        [
            .text(app.text), .text(purpose.text), .instant(slot.lowerBound), .instant(slot.upperBound),
            .integer(total.code),
        ] + total.amount.parameters
    }
}

/// Opens a budget that is not there yet.
struct InsertBudget: Command {
    static let text = Query("noise_budget.insert", PackageResources.noise_budget_insert_sql)

    let budget: SlotBudget

    var parameters: [Parameter] { budget.parameters }
}

/// Lets one reservation of a purpose at a time through.
struct LockBudgets: Command {
    static let text = Query("noise_budget.lock", PackageResources.noise_budget_lock_sql)

    let app: AppName
    let purpose: PurposeName

    var parameters: [Parameter] { [.text(app.text), .text(purpose.text)] }
}

/// Writes down what of a budget is spent.
struct SpendBudget: Command {
    static let text = Query("noise_budget.spend", PackageResources.noise_budget_spend_sql)

    let budget: SlotBudget
    /// In its currency.
    let spent: Rational

    var parameters: [Parameter] { budget.parameters + spent.parameters }
}

/// What a purpose has ever paid for in periods that touch a stretch of time.
struct SelectLedger: RowQuery {
    static let text = Query("noise_draw.select_ledger", PackageResources.noise_draw_select_ledger_sql)

    let app: AppName
    let purpose: PurposeName
    /// Its first second.
    let from: UnixSeconds
    /// The first second after it.
    let to: UnixSeconds

    var parameters: [Parameter] { [.text(app.text), .text(purpose.text), .instant(from), .instant(to)] }

    func row(_ columns: inout RowReader) throws -> PaidDraw {
        PaidDraw(
            metric: MetricName(try columns.text()), period: try columns.period(), cost: try columns.privacyLoss(),
            stage: try columns.stage())
    }
}

/// A draw that was paid for.
struct PaidDraw {
    let metric: MetricName
    let period: Period
    let cost: PrivacyLoss
    let stage: LedgerRow.Stage
}

extension RowReader {
    /// A currency and a fraction in it.
    fileprivate mutating func privacyLoss() throws -> PrivacyLoss {
        let code = try integer()
        let amount = try Rational(parsing: "\(try text())/\(try text())")
        return code == 0 ? .epsilon(amount) : .rho(amount)
    }

    /// How far a draw came, and its digest.
    fileprivate mutating func stage() throws(PostgresError) -> LedgerRow.Stage {
        let (code, digest) = (try integer(), try optionalBytes())
        guard code > 0 else { return .reserved }
        guard let digest else { throw unexpected }
        let known = DrawDigest(hex: digest.lowerHex)
        return code == 1 ? .drawn(known) : .published(known)
    }
}
