/// A query from the folder Schema/queries.
struct Query: Sendable {
    /// The file's name without its ending; what errors call it.
    let name: String
    /// The file's text.
    let sql: String

    init(_ name: String, _ text: [UInt8]) {
        self.name = name
        sql = String(decoding: text, as: UTF8.self)
    }

    /// This query with values for its parameters.
    func callAsFunction(_ parameters: [Parameter] = []) -> Statement {
        Statement(name: name, sql: sql, parameters: parameters)
    }
}

extension Query {
    // Migrations.
    static let lockMigrations = Query("migration.lock", PackageResources.migration_lock_sql)
    static let createMigrationTable = Query("migration.create", PackageResources.migration_create_sql)
    static let findMigrationTable = Query("migration.find", PackageResources.migration_find_sql)
    static let selectMigrations = Query("migration.select", PackageResources.migration_select_sql)
    static let selectConfined = Query("analyst.confined", PackageResources.analyst_confined_sql)
    static let insertMigration = Query("migration.insert", PackageResources.migration_insert_sql)

    // Counters.
    static let registerLayout = Query("metric_layout.register", PackageResources.metric_layout_register_sql)
    static let keepTerms = Query("metric_layout.keep_terms", PackageResources.metric_layout_keep_terms_sql)
    static let ensurePartitions = Query("partition.ensure", PackageResources.partition_ensure_sql)
    static let attachWatermark = Query("watermark.attach", PackageResources.watermark_attach_sql)
    static let advanceWatermark = Query("watermark.advance", PackageResources.watermark_advance_sql)
    static let claimWatermark = Query("watermark.claim", PackageResources.watermark_claim_sql)
    static let hearWatermark = Query("watermark.hear", PackageResources.watermark_hear_sql)
    static let releaseWatermark = Query("watermark.release", PackageResources.watermark_release_sql)
    static let selectWatermark = Query("watermark.select", PackageResources.watermark_select_sql)
    static let selectImpossible = Query("period.possible", PackageResources.period_possible_sql)
    static let selectDisplaced = Query("period.displaced", PackageResources.period_displaced_sql)
    static let selectAsked = Query("settlement.asked", PackageResources.settlement_asked_sql)
    static let settleWatermark = Query("watermark.settle", PackageResources.watermark_settle_sql)
    static let lockMetricsShared = Query("metric.lock_shared", PackageResources.metric_lock_shared_sql)
    static let selectClosed = Query("closed_period.select", PackageResources.closed_period_select_sql)
    static let selectRecentlyClosed = Query(
        "closed_period.select_recent", PackageResources.closed_period_select_recent_sql)
    static let selectClosedFrom = Query("closed_period.select_from", PackageResources.closed_period_select_from_sql)
    static let openPeriods = Query("open_period.insert", PackageResources.open_period_insert_sql)
    static let createPending = Query("pending.create", PackageResources.pending_create_sql)
    static let copyPendingCounters = Query("pending_counter.copy", PackageResources.pending_counter_copy_sql)
    static let copyPendingDistinct = Query("pending_distinct.copy", PackageResources.pending_distinct_copy_sql)
    static let copyPendingTop = Query("pending_top.copy", PackageResources.pending_top_copy_sql)
    static let upsertCounters = Query("counter.upsert", PackageResources.counter_upsert_sql)
    static let upsertDistinct = Query("distinct_count.upsert", PackageResources.distinct_count_upsert_sql)
    static let upsertTop = Query("top_contribution.upsert", PackageResources.top_contribution_upsert_sql)

    // Before a release, and before anything is deleted.
    static let selectClock = Query("clock.select", PackageResources.clock_select_sql)
    static let raiseClock = Query("clock.raise", PackageResources.clock_raise_sql)
    static let confirmClock = Query("clock.confirm", PackageResources.clock_confirm_sql)
    static let askToSettle = Query("settlement.ask", PackageResources.settlement_ask_sql)
    static let selectUnsettled = Query("watermark.unsettled", PackageResources.watermark_unsettled_sql)

    // Releases.
    static let selectFirstOpenEnd = Query("open_period.first", PackageResources.open_period_first_sql)
    static let selectOpenPeriods = Query("open_period.select", PackageResources.open_period_select_sql)
    static let deleteOpenPeriod = Query("open_period.delete", PackageResources.open_period_delete_sql)
    static let selectLayout = Query("metric_layout.select", PackageResources.metric_layout_select_sql)
    static let selectTerms = Query("metric_layout.terms", PackageResources.metric_layout_terms_sql)
    static let selectKeptLayouts = Query("metric_layout.select_kept", PackageResources.metric_layout_select_kept_sql)
    static let expireOpen = Query("open_period.expire", PackageResources.open_period_expire_sql)
    static let lockMetric = Query("metric.lock", PackageResources.metric_lock_sql)
    static let closePeriod = Query("closed_period.insert", PackageResources.closed_period_insert_sql)
    static let selectCounters = Query("counter.select", PackageResources.counter_select_sql)
    static let selectDistinct = Query("distinct_count.select", PackageResources.distinct_count_select_sql)
    static let deleteDistinct = Query("distinct_count.delete", PackageResources.distinct_count_delete_sql)
    static let selectTop = Query("top_contribution.select", PackageResources.top_contribution_select_sql)
    static let deleteTop = Query("top_contribution.delete", PackageResources.top_contribution_delete_sql)
    static let deleteAbandonedTop = Query(
        "top_contribution.delete_abandoned", PackageResources.top_contribution_delete_abandoned_sql)
    static let insertRelease = Query("release.insert", PackageResources.release_insert_sql)
    static let copyReleasedCells = Query("released_cell.copy", PackageResources.released_cell_copy_sql)
    static let selectReleaseNames = Query(
        "release.select_names", PackageResources.release_select_names_sql)
    static let selectReleases = Query("release.select", PackageResources.release_select_sql)
    static let selectKnownReleases = Query("release.select_known", PackageResources.release_select_known_sql)
    static let selectFirstRelease = Query("release.select_first", PackageResources.release_select_first_sql)
    static let selectReleasedCells = Query("released_cell.select", PackageResources.released_cell_select_sql)
    static let selectReleaseStarts = Query("release.starts", PackageResources.release_starts_sql)
    static let selectReleasesWithin = Query("release.select_within", PackageResources.release_select_within_sql)
    static let lockTies = Query("release.lock_ties", PackageResources.release_lock_ties_sql)
    static let selectOverlapping = Query(
        "release.select_overlapping", PackageResources.release_select_overlapping_sql)
    static let selectStored = Query(
        "closed_period.select_stored", PackageResources.closed_period_select_stored_sql)
    static let selectAllLayouts = Query("metric_layout.select_all", PackageResources.metric_layout_select_all_sql)
    static let keepPeriod = Query("kept_period.insert", PackageResources.kept_period_insert_sql)
    static let forgetKept = Query("kept_period.forget", PackageResources.kept_period_forget_sql)
    static let openRollup = Query("open_rollup.insert", PackageResources.open_rollup_insert_sql)
    static let deleteOpenRollup = Query("open_rollup.delete", PackageResources.open_rollup_delete_sql)
    static let selectOpenRollups = Query("open_rollup.select", PackageResources.open_rollup_select_sql)
    static let findOpenRollup = Query("open_rollup.find", PackageResources.open_rollup_find_sql)
    static let copyWithheldCells = Query("withheld_cell.copy", PackageResources.withheld_cell_copy_sql)
    static let findWithheldCells = Query("withheld_cell.find", PackageResources.withheld_cell_find_sql)
    static let selectWithheldCell = Query("withheld_cell.select", PackageResources.withheld_cell_select_sql)
    static let dropReleased = Query("released_cell.drop", PackageResources.released_cell_drop_sql)
    static let dropPartitions = Query("partition.drop", PackageResources.partition_drop_sql)

    // Noise.
    static let selectPeriods = Query("release_calendar.select", PackageResources.release_calendar_select_sql)
    static let openByCalendar = Query("release_calendar.insert", PackageResources.release_calendar_insert_sql)
    static let selectLastNoisy = Query("noise_calendar.last", PackageResources.noise_calendar_last_sql)
    static let openNoisy = Query("noise_calendar.insert", PackageResources.noise_calendar_insert_sql)
    static let selectKind = Query("release_kind.select", PackageResources.release_kind_select_sql)
    static let lockNoise = Query("noise.lock", PackageResources.noise_lock_sql)
    static let unlockNoise = Query("noise.unlock", PackageResources.noise_unlock_sql)
    static let insertBudget = Query("noise_budget.insert", PackageResources.noise_budget_insert_sql)
    static let lockBudgets = Query("noise_budget.lock", PackageResources.noise_budget_lock_sql)
    static let spendBudget = Query("noise_budget.spend", PackageResources.noise_budget_spend_sql)
    static let insertDraw = Query("noise_draw.insert", PackageResources.noise_draw_insert_sql)
    static let selectLedger = Query("noise_draw.select_ledger", PackageResources.noise_draw_select_ledger_sql)
    static let selectDraw = Query("noise_draw.select", PackageResources.noise_draw_select_sql)
    static let storeDraw = Query("noise_draw.store", PackageResources.noise_draw_store_sql)
    static let publishDraw = Query("noise_draw.publish", PackageResources.noise_draw_publish_sql)
    static let copyNoiseCells = Query("noise_cell.copy", PackageResources.noise_cell_copy_sql)
    static let selectNoiseCells = Query("noise_cell.select", PackageResources.noise_cell_select_sql)
    static let deleteNoiseCells = Query("noise_cell.delete", PackageResources.noise_cell_delete_sql)

    // Labels of revealed dimensions.
    static let learnLabel = Query("revealed_label.learn", PackageResources.revealed_label_learn_sql)
    static let restoreLabel = Query("revealed_label.restore", PackageResources.revealed_label_restore_sql)
    static let selectLabels = Query("revealed_label.select", PackageResources.revealed_label_select_sql)
    static let notePublishedLabels = Query("revealed_label.publish", PackageResources.revealed_label_publish_sql)
    static let retireLabels = Query("revealed_label.retire", PackageResources.revealed_label_retire_sql)
    static let deleteLabels = Query("revealed_label.delete", PackageResources.revealed_label_delete_sql)

    // Pages.
    static let insertToken = Query("access_token.insert", PackageResources.access_token_insert_sql)
    static let selectTokens = Query("access_token.select", PackageResources.access_token_select_sql)
    static let revokeToken = Query("access_token.revoke", PackageResources.access_token_revoke_sql)
    static let selectPartnerFiles = Query("run_file.select_partner", PackageResources.run_file_select_partner_sql)
    static let selectPartnerFile = Query("run_file.select_contents", PackageResources.run_file_select_contents_sql)
    static let selectLastReleases = Query("release.select_last", PackageResources.release_select_last_sql)

    // Analysts' pages.
    static let selectAnalystMetrics = Query("analyst_metric.select", PackageResources.analyst_metric_select_sql)
    static let selectAnalystColumns = Query("analyst_column.select", PackageResources.analyst_column_select_sql)
    static let selectAnalystMargins = Query("analyst_margin.select", PackageResources.analyst_margin_select_sql)
    static let selectAnalystReleases = Query("analyst_release.select", PackageResources.analyst_release_select_sql)
    static let selectAnalystBuckets = Query("analyst_bucket.select", PackageResources.analyst_bucket_select_sql)

    // Report runs.
    static let claimRun = Query("report_run.claim", PackageResources.report_run_claim_sql)
    static let finishRun = Query("report_run.finish", PackageResources.report_run_finish_sql)
    static let selectRuns = Query("report_run.select", PackageResources.report_run_select_sql)
    static let selectMadeRuns = Query("report_run.made", PackageResources.report_run_made_sql)
    static let selectLastRuns = Query("report_run.select_last", PackageResources.report_run_select_last_sql)
    static let makeRun = Query("report_run.make", PackageResources.report_run_make_sql)
    static let settleRun = Query("report_run.settle", PackageResources.report_run_settle_sql)
    static let reopenRun = Query("report_run.reopen", PackageResources.report_run_reopen_sql)
    static let insertRunFile = Query("run_file.insert", PackageResources.run_file_insert_sql)
    static let selectRunFiles = Query("run_file.select", PackageResources.run_file_select_sql)
    static let deleteRunFiles = Query("run_file.delete", PackageResources.run_file_delete_sql)

    static let selectKeptApps = Query("report_run.apps", PackageResources.report_run_apps_sql)

    // Deliveries.
    static let insertDelivery = Query("delivery.insert", PackageResources.delivery_insert_sql)
    static let claimDelivery = Query("delivery.claim", PackageResources.delivery_claim_sql)
    static let extendDelivery = Query("delivery.extend", PackageResources.delivery_extend_sql)
    static let finishDelivery = Query("delivery.finish", PackageResources.delivery_finish_sql)
    static let reopenDeliveries = Query("delivery.reopen", PackageResources.delivery_reopen_sql)
    static let selectDeliveries = Query("delivery.select", PackageResources.delivery_select_sql)
    static let insertDeliveredFile = Query("delivered_file.insert", PackageResources.delivered_file_insert_sql)
    static let selectDeliveredFiles = Query("delivered_file.select", PackageResources.delivered_file_select_sql)

    // Coverage.
    static let upsertCoverage = Query("coverage.upsert", PackageResources.coverage_upsert_sql)
    static let selectCoverage = Query("coverage.select", PackageResources.coverage_select_sql)
    static let deleteCoverage = Query("coverage.delete", PackageResources.coverage_delete_sql)
}
