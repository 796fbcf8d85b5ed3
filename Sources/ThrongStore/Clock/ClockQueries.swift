extension Query {
    static func selectClock() -> RowQuery<StoredClock> {
        RowQuery("clock.select", PackageResources.clock_select_sql) { columns in
            let database = try columns.time()
            let (time, machine) = (try columns.optionalTime(), try columns.optionalText())
            let (uptime, confirmations) = (try columns.optionalInteger(), try columns.optionalInteger())
            guard let time else { return StoredClock(database: database, believed: nil) }
            guard let machine, let uptime, let confirmations else { throw columns.unexpected }
            return StoredClock(
                database: database,
                believed: .init(time: time, machine: machine, uptime: uptime, confirmations: confirmations))
        }
    }

    static func raiseClock(believed: StoredClock.Believed) -> Statement {
        Statement(
            "clock.raise", PackageResources.clock_raise_sql,
            .instant(believed.time), .text(believed.machine), .integer(believed.uptime),
            .integer(believed.confirmations))
    }

    static func confirmClock(believed: StoredClock.Believed) -> Statement {
        Statement(
            "clock.confirm", PackageResources.clock_confirm_sql,
            .instant(believed.time), .text(believed.machine), .integer(believed.uptime))
    }
}
