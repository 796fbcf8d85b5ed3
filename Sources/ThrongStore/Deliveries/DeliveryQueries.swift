internal import ThrongPlan

/// Begins a try of one delivery that is due and that no other process is trying.
struct ClaimDelivery: RowQuery {
    static let text = Query("delivery.claim", PackageResources.delivery_claim_sql)

    let app: AppName
    /// The run; nil takes any run of the app.
    let run: ReportRunName?
    let now: UnixSeconds
    let lease: Duration
    let foldersOnly: Bool

    var parameters: [Parameter] {
        (run?.key ?? [.text(app.text), .null, .null, .null]) + [
            now.parameter, .integer(lease.components.seconds), .flag(foldersOnly),
        ]
    }

    func row(_ columns: inout RowReader) throws -> DeliveryClaim {
        DeliveryClaim(
            run: ReportRunName(
                app: app, report: ReportName(try columns.text()), periodKind: try columns.periodKind(),
                periodStart: try columns.time()),
            target: try columns.text(),
            authorization: try columns.optionalText(),
            idempotencyKey: try columns.bytes(),
            attempt: try columns.int())
    }
}

/// Keeps a try alive.
struct ExtendDelivery: Command {
    static let text = Query("delivery.extend", PackageResources.delivery_extend_sql)

    let claim: DeliveryClaim
    let now: UnixSeconds
    let lease: Duration

    var parameters: [Parameter] {
        claim.key + [.integer(Int64(claim.attempt)), now.parameter, .integer(lease.components.seconds)]
    }
}

/// Ends a try.
struct FinishDelivery: Command {
    static let text = Query("delivery.finish", PackageResources.delivery_finish_sql)

    let claim: DeliveryClaim
    let state: ReportDelivery.State
    let error: String?
    /// The time from which a pending one is tried again.
    let retryAt: UnixSeconds
    let now: UnixSeconds

    var parameters: [Parameter] {
        claim.key + [
            .integer(Int64(claim.attempt)), .text(state.rawValue), .text(orNull: error), retryAt.parameter,
            now.parameter,
        ]
    }
}

/// Reopens the deliveries of a run: those that were given up, and folders.
struct ReopenDeliveries: Command {
    static let text = Query("delivery.reopen", PackageResources.delivery_reopen_sql)

    let run: ReportRunName
    let now: UnixSeconds

    var parameters: [Parameter] { run.key + [now.parameter] }
}

/// The state of the deliveries of a run, by target.
struct SelectDeliveries: RowQuery {
    static let text = Query("delivery.select", PackageResources.delivery_select_sql)

    let run: ReportRunName

    var parameters: [Parameter] { run.key }

    func row(_ columns: inout RowReader) throws -> ReportDelivery {
        ReportDelivery(
            target: try columns.text(),
            state: try columns.value(ReportDelivery.State.init(rawValue:)),
            attempts: try columns.int(),
            nextAt: try columns.time(),
            lastError: try columns.optionalText(),
            finishedAt: try columns.optionalTime(),
            idempotencyKey: try columns.bytes(),
            files: try columns.int())
    }
}

/// Notes that a file of a delivery arrived.
struct InsertDeliveredFile: Command {
    static let text = Query("delivered_file.insert", PackageResources.delivered_file_insert_sql)

    let claim: DeliveryClaim
    let place: Int
    /// The status that HTTP answered; nil in folders.
    let status: Int?
    let now: UnixSeconds

    var parameters: [Parameter] {
        claim.key + [.integer(Int64(place)), status.map { .integer(Int64($0)) } ?? .null, now.parameter]
    }
}

/// The files of a delivery that arrived, by their places.
struct SelectDeliveredFiles: RowQuery {
    static let text = Query("delivered_file.select", PackageResources.delivered_file_select_sql)

    let claim: DeliveryClaim

    var parameters: [Parameter] { claim.key }

    func row(_ columns: inout RowReader) throws -> Int { try columns.int() }
}

extension DeliveryClaim {
    /// Its primary key as parameters.
    fileprivate var key: [Parameter] { run.key + [.text(target)] }
}
