/// PostgreSQL's clock, and the time that was believed last.
struct SelectClock: RowQuery {
    static let text = Query("clock.select", PackageResources.clock_select_sql)

    func row(_ columns: inout RowReader) throws -> StoredClock {
        let database = try columns.time()
        let (time, machine) = (try columns.optionalTime(), try columns.optionalText())
        let (uptime, confirmations) = (try columns.optionalInteger(), try columns.optionalInteger())
        guard let time else { return StoredClock(database: database, believed: nil) }
        guard let machine, let uptime, let confirmations else { throw Self.unexpected }
        return StoredClock(
            database: database,
            believed: .init(time: time, machine: machine, uptime: uptime, confirmations: confirmations))
    }
}

/// Saves the believed time, if it is later than the saved one and no operator has set another since.
struct RaiseClock: Command {
    static let text = Query("clock.raise", PackageResources.clock_raise_sql)

    let believed: StoredClock.Believed

    var parameters: [Parameter] {
        [
            .instant(believed.time), .text(believed.machine), .integer(believed.uptime),
            .integer(believed.confirmations),
        ]
    }
}

/// Saves the time an operator confirms, whatever was believed before.
struct ConfirmClock: Command {
    static let text = Query("clock.confirm", PackageResources.clock_confirm_sql)

    let believed: StoredClock.Believed

    var parameters: [Parameter] {
        [.instant(believed.time), .text(believed.machine), .integer(believed.uptime)]
    }
}
