internal import ThrongPostgres

/// Asks all daemons whether PostgreSQL has what they acknowledged; says the asking's number.
struct AskToSettle: RowQuery {
    static let text = Query("settlement.ask", PackageResources.settlement_ask_sql)

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// The number of the last asking.
struct SelectAsked: RowQuery {
    static let text = Query("settlement.asked", PackageResources.settlement_asked_sql)

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// Notes that PostgreSQL has what a daemon acknowledged.
struct SettleWatermark: Command {
    static let text = Query("watermark.settle", PackageResources.watermark_settle_sql)

    let attachment: CounterStore.Attachment
    let asking: Int64

    var parameters: [Parameter] {
        [.text(attachment.daemon.description), attachment.fence.parameter, asking.parameter]
    }
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
