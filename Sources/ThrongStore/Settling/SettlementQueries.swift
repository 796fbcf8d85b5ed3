internal import ThrongPostgres

/// Asks all daemons whether PostgreSQL has what they acknowledged; says the asking's number.
struct AskToSettle: RowQuery {
    static let text = Query("settlement.ask", PackageResources.settlement_ask_sql)

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// The daemons that have not answered an asking, in the order of their names.
struct SelectUnsettled: RowQuery {
    static let text = Query("watermark.unsettled", PackageResources.watermark_unsettled_sql)

    let asking: Int64

    var parameters: [Parameter] { [.integer(asking)] }

    func row(_ columns: inout RowReader) throws -> UnsettledDaemon {
        UnsettledDaemon(daemon: try columns.value { DaemonID($0) }, silence: max(try columns.integer(), 0))
    }
}
