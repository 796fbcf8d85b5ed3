internal import ThrongPlan

extension Query {
    static func claimDelivery(app: AppName, run: ReportRunName?, now: UnixSeconds, lease: Duration, foldersOnly: Bool)
        -> RowQuery<DeliveryClaim>
    {
        RowQuery(
            "delivery.claim", PackageResources.delivery_claim_sql,
            all: (run?.key ?? [.text(app.text), .null, .null, .null]) + [
                now.parameter, .integer(lease.components.seconds), .flag(foldersOnly),
            ]
        ) { columns in
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

    static func extendDelivery(claim: DeliveryClaim, now: UnixSeconds, lease: Duration) -> Statement {
        Statement(
            "delivery.extend", PackageResources.delivery_extend_sql,
            all: claim.key + [.integer(Int64(claim.attempt)), now.parameter, .integer(lease.components.seconds)])
    }

    static func finishDelivery(
        claim: DeliveryClaim, state: ReportDelivery.State, error: String?, retryAt: UnixSeconds, now: UnixSeconds
    ) -> Statement {
        Statement(
            "delivery.finish", PackageResources.delivery_finish_sql,
            all: claim.key + [
                .integer(Int64(claim.attempt)), .text(state.rawValue), .text(orNull: error), retryAt.parameter,
                now.parameter,
            ])
    }

    static func reopenDeliveries(run: ReportRunName, now: UnixSeconds) -> Statement {
        Statement("delivery.reopen", PackageResources.delivery_reopen_sql, all: run.key + [now.parameter])
    }

    static func selectDeliveries(run: ReportRunName) -> RowQuery<ReportDelivery> {
        RowQuery("delivery.select", PackageResources.delivery_select_sql, all: run.key) { columns in
            ReportDelivery(
                target: try columns.text(), state: try columns.value(ReportDelivery.State.init(rawValue:)),
                attempts: try columns.int(), nextAt: try columns.time(), lastError: try columns.optionalText(),
                finishedAt: try columns.optionalTime(), idempotencyKey: try columns.bytes(), files: try columns.int())
        }
    }

    static func insertDeliveredFile(claim: DeliveryClaim, place: Int, status: Int?, now: UnixSeconds) -> Statement {
        Statement(
            "delivered_file.insert", PackageResources.delivered_file_insert_sql,
            all: claim.key + [.integer(Int64(place)), status.map { .integer(Int64($0)) } ?? .null, now.parameter])
    }

    static func selectDeliveredFiles(claim: DeliveryClaim) -> RowQuery<Int> {
        RowQuery("delivered_file.select", PackageResources.delivered_file_select_sql, all: claim.key) { try $0.int() }
    }
}

extension DeliveryClaim {
    /// Its primary key as parameters.
    fileprivate var key: [Parameter] { run.key + [.text(target)] }
}
