internal import ThrongPlan

extension Query {
    static func claimDelivery(
        app: AppName, run: ReportRunName?, now: UnixSeconds, lease: Duration, foldersOnly: Bool
    ) -> RowQuery<DeliveryClaim> {
        RowQuery(
            "delivery.claim", PackageResources.delivery_claim_sql,
            app, run?.report, run?.periodKind, run?.periodStart, now, lease, foldersOnly
        ) {
            DeliveryClaim(
                run: ReportRunName(app: app, report: $0, periodKind: $1, periodStart: $2), target: $3,
                authorization: $4, idempotencyKey: $5, attempt: $6)
        }
    }

    static func extendDelivery(claim: DeliveryClaim, now: UnixSeconds, lease: Duration) -> Statement {
        Statement("delivery.extend", PackageResources.delivery_extend_sql, claim, claim.attempt, now, lease)
    }

    static func finishDelivery(
        claim: DeliveryClaim, state: ReportDelivery.State, error: String?, retryAt: UnixSeconds, now: UnixSeconds
    ) -> Statement {
        Statement(
            "delivery.finish", PackageResources.delivery_finish_sql,
            claim, claim.attempt, state.rawValue, error, retryAt, now)
    }

    static func reopenDeliveries(run: ReportRunName, now: UnixSeconds) -> Statement {
        Statement("delivery.reopen", PackageResources.delivery_reopen_sql, run, now)
    }

    static func selectDeliveries(run: ReportRunName) -> RowQuery<ReportDelivery> {
        RowQuery("delivery.select", PackageResources.delivery_select_sql, run, row: ReportDelivery.init)
    }

    static func insertDeliveredFile(claim: DeliveryClaim, place: Int, status: Int?, now: UnixSeconds) -> Statement {
        Statement("delivered_file.insert", PackageResources.delivered_file_insert_sql, claim, place, status, now)
    }

    static func selectDeliveredFiles(claim: DeliveryClaim) -> RowQuery<Int> {
        RowQuery("delivered_file.select", PackageResources.delivered_file_select_sql, claim)
    }
}

/// The delivery's primary key.
extension DeliveryClaim: ParameterValue {
    var parameters: [Parameter] { run.parameters + [.text(target)] }
}

extension ReportDelivery.State: ColumnValue {}
