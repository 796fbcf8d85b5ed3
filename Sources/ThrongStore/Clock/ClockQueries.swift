extension Query {
    static func selectClock() -> RowQuery<StoredClock> {
        RowQuery("clock.select", PackageResources.clock_select_sql, row: StoredClock.init)
    }

    static func raiseClock(believed: StoredClock.Believed) -> Statement {
        Statement(
            "clock.raise", PackageResources.clock_raise_sql,
            believed.time, believed.machine, believed.uptime, believed.confirmations)
    }

    static func confirmClock(believed: StoredClock.Believed) -> Statement {
        Statement(
            "clock.confirm", PackageResources.clock_confirm_sql, believed.time, believed.machine, believed.uptime)
    }
}

extension StoredClock.Believed: ColumnValue {
    static var columns: Int { 4 }
    init(reading row: inout RowReader) throws {
        self.init(
            time: try row.next(), machine: try row.next(), uptime: try row.next(), confirmations: try row.next())
    }
}
