internal import Foundation
package import ThrongPlan
package import ThrongRelease

extension ReleaseStore {
    /// Returns the releases of a metric whose periods start within a range, by start; each is checked against its
    /// digest.
    ///
    /// Numbers that age took are missing, and so are groupings that it took whole; a release that age left nothing of
    /// is left out. A metric whose layout changed within a period has one release a layout.
    ///
    /// - Throws: ``ReleaseError/altered(metric:period:)`` where a stored number was changed; ``PostgresError``.
    package func releases(
        app: AppName, metric: MetricName, periodKind: PeriodKind, from: UnixSeconds, to: UnixSeconds
    ) async throws -> [Release] {
        try await connection.snapshot { session in
            // One snapshot keeps retention from coming between a release and its cells.
            return try session.run(Query.selectReleases(app: app, metric: metric, kind: periodKind, from: from, to: to))
                .map { try Self.restored($0, session) }
        }
    }

    /// Returns the releases of a metric whose periods start within a range and that had been made when those of a later
    /// period were. Also returns the start of the first period that had been released then (nil where none had).
    ///
    /// Later releases, even of an earlier period, are never among them: only age changes the answer.
    package func releases(
        app: AppName, metric: MetricName, knownWith period: Period, from: UnixSeconds
    ) async throws -> (releases: [Release], began: UnixSeconds?) {
        try await connection.snapshot { session in
            let began = try session.one(Query.selectFirstRelease(app: app, metric: metric, period: period))
            let known = try session.run(Query.selectKnownReleases(app: app, metric: metric, period: period, from: from))
            return (try known.map { try Self.restored($0, session) }, began)
        }
    }

    /// Returns every release of every app, oldest first: all that anyone was ever shown.
    package func allReleases() async throws -> [Release] {
        var all: [Release] = []
        for name in try await connection.run({ try $0.run(Query.selectReleaseNames()) }) {
            // This is every period: 10^11 seconds are the year 5138.
            all += try await releases(
                app: name.app, metric: name.metric, periodKind: name.kind, from: .epoch,
                to: UnixSeconds(100_000_000_000))
        }
        return all
    }

    /// Returns the recipients of a metric's numbers that plans named, whatever its layout.
    package func recipients(of metric: MetricName, app: AppName) async throws -> PromisedRecipients {
        PromisedRecipients(try await connection.run(Query.selectRecipients(app: app, metric: metric)))
    }

    /// Returns the coarser periods of an app that are to be released, finer ones first, then by their end.
    package func openRollups(app: AppName) async throws -> [OpenRollup] {
        try await connection.run(Query.selectOpenRollups(app: app))
    }

    /// Gives a coarser period up: the plan no longer asks for it.
    package func giveUp(_ rollup: OpenRollup) async throws {
        try await connection.run { session in
            let metric = try session.metricID(of: rollup.layout)
            try session.run(Query.deleteOpenRollup(metric: metric, period: rollup.period))
        }
    }

    /// Returns everything that was published about a period's parts.
    static func releases(
        within period: Period, of layout: MetricLayout, _ metric: Int64, _ session: Session
    ) throws -> [Release] {
        try session.run(Query.selectReleasesWithin(metric: metric, period: period)).map { stored, isDecayed in
            guard !isDecayed else { throw ReleaseError.decayed(metric: layout.metric, period: stored.header.period) }
            return try restored(stored, session)
        }
    }

    /// Returns the reason why an occupied cell was withheld; nil if it was published or is empty, or if the reasons
    /// were deleted with the counters.
    package func reason(
        _ layout: MetricLayout, _ period: Period, margin: Margin, cell: CellIndex
    ) async throws -> WithholdingReason? {
        try await connection.run { session in
            let metric = try session.metricID(of: layout)
            return try session.first(Query.selectReason(metric: metric, period: period, margin: margin, cell: cell))
        }
    }

    /// Returns whether the reasons of a release are still known.
    package func knowsReasons(_ layout: MetricLayout, _ period: Period) async throws -> Bool {
        try await connection.run { session in
            try session.one(Query.findReasons(metric: try session.metricID(of: layout), period: period))
        }
    }

    static func write(_ withheld: [WithheldCell], release: Int64, _ session: Session) throws {
        try session.copyIn(Query.copyWithheldCells.name, Query.copyWithheldCells.sql) { writer in
            for entry in withheld {
                let (margin, cell) = (Int32(bitPattern: entry.margin.bits), Int32(bitPattern: entry.cell.value))
                try writer.row(columns: 5, release, margin, cell, entry.reason.code)
                try writer.number(entry.reason.devices)
            }
        }
    }

    /// Reads the evidence of an open period as it is now. Nothing is closed, and nothing is written.
    package func evidence(of open: OpenPeriod) async throws -> ReleaseEvidence {
        try await connection.snapshot { session in
            try Self.evidence(for: ReleaseScope(open), session.metricID(of: open.layout), session)
        }
    }

    static func evidence(for scope: ReleaseScope, _ metric: Int64, _ session: Session) throws -> ReleaseEvidence {
        let layout = scope.layout
        var earlier: [Release] = []
        var periods = [scope.period]
        if case .parts = scope.source {
            earlier = try releases(within: scope.period, of: layout, metric, session)
            periods = earlier.map(\.header.period).filter { $0.kind == layout.period }
        }
        let parts = try periods.map { try cube(layout, $0, metric, session) }
        let counted = Set(earlier.filter { !$0.cells.isEmpty }.map(\.header.period))
        if let gone = parts.first(where: { $0.counters.isEmpty && counted.contains($0.period) }) {
            throw ReleaseError.countersGone(metric: layout.metric, period: gone.period)
        }
        let (terms, history) = try terms(for: scope, session)
        return ReleaseEvidence(
            layout: layout, period: scope.period, parts: parts, earlier: earlier, terms: terms,
            origins: history.origins(of: metric), countedInLayout: history.counted(in: metric),
            proved: try proved(in: scope.period, of: layout, metric, session))
    }

    /// Returns the number of devices that proved to be in each of a layout's cells in a period; none if the layout asks
    /// no proofs for periods of its kind.
    private static func proved(
        in period: Period, of layout: MetricLayout, _ metric: Int64, _ session: Session
    ) throws -> [ProvedDevices] {
        guard layout.provedFirsts?.periods.contains(period.kind) ?? false else { return [] }
        return [
            ProvedDevices(
                period: period, rows: try session.run(Query.countProvedFirsts(metric: metric, period: period)))
        ]
    }

    /// Returns the strictest terms that a release has to satisfy, nil if none were kept, and the terms of everything
    /// counted since the period began.
    private static func terms(
        for scope: ReleaseScope, _ session: Session
    ) throws -> (terms: ReleaseTerms?, history: TermsHistory) {
        let (layout, period) = (scope.layout, scope.period)
        let history = TermsHistory(
            try session.run(Query.selectTermsVersions(app: layout.app, from: period.start, to: period.end)),
            from: period.start)
        let kept = [try terms(of: layout, session), history.strictest(of: [layout.metric])].compactMap { $0 }
        let strictest = kept.dropFirst().reduce(kept.first) { $0?.stricter(with: $1) }
        return (strictest?.counting(history.counted(by: layout.metric)), history)
    }

    static func cube(
        _ layout: MetricLayout, _ period: Period, _ metric: Int64, _ session: Session
    ) throws -> StoredCube {
        let counters = try session.run(Query.selectCounters(metric: metric, period: period))
        let distinct = try session.run(Query.selectDistinct(metric: metric, period: period))
        return StoredCube(
            // The labels are read after the counters: a value is counted in its slot only once its label is there.
            layout: try named(layout, session), period: period, counters: counters, distinct: distinct)
    }

    /// Returns the terms of a layout's releases in the last plan that had it; nil if no daemon that keeps terms has
    /// registered it.
    package func terms(of layout: MetricLayout) async throws -> ReleaseTerms? {
        try await connection.run { try Self.terms(of: layout, $0) }
    }

    static func terms(of layout: MetricLayout, _ session: Session) throws -> ReleaseTerms? {
        try session.first(Query.selectTerms(layout: layout.counted.id))
    }
}

/// The numbers of reasons in `throng.withheld_cell`, which never change, and the devices of a small cell.
extension WithholdingReason: ColumnValue {
    var code: Int16 {
        switch self {
        case .small: 0
        case .nearThreshold: 1
        }
    }

    /// The proved minimum of devices of a small cell; nil for other reasons. Unit: devices.
    var devices: Int64? {
        switch self {
        case .small(let floor): floor.devices
        case .nearThreshold: nil
        }
    }

    init(reading row: inout RowReader) throws {
        switch (try row.integer(), try row.next(Int64?.self)) {
        case (0, let devices?): self = .small(floor: DeviceFloor(devices: devices))
        case (1, nil): self = .nearThreshold
        default: throw row.unexpected
        }
    }
}

extension Query {
    static let copyWithheldCells = Statement(withheld_cell_copy_sql)

    static func selectReason(
        metric: Int64, period: Period, margin: Margin, cell: CellIndex
    ) -> RowQuery<WithholdingReason> {
        RowQuery(withheld_cell_select_sql, metric, period.kind, period.start, Int64(margin.bits), Int64(cell.value))
    }

    static func findReasons(metric: Int64, period: Period) -> RowQuery<Bool> {
        RowQuery(withheld_cell_find_sql, metric, period.kind, period.start)
    }

    static func holdCounters() -> Statement { Statement(counter_hold_sql) }

    static func selectCounters(metric: Int64, period: Period) -> RowQuery<StoredCounter> {
        RowQuery(counter_select_sql, metric, period.kind, period.start, row: StoredCounter.init)
    }

    static func selectDistinct(metric: Int64, period: Period) -> RowQuery<StoredDistinct> {
        RowQuery(distinct_count_select_sql, metric, period.kind, period.start, row: StoredDistinct.init)
    }

    static func deleteDistinct(metric: Int64, period: Period) -> Statement {
        Statement(distinct_count_delete_sql, metric, period.kind, period.start)
    }

    static let copyReleasedCells = Statement(released_cell_copy_sql)

    static func insertRelease(metric: Int64, header: ReleaseHeader, digest: [UInt8]) -> RowQuery<Int64> {
        let (layout, period) = (header.layout, header.period)
        return RowQuery(
            release_insert_sql, metric, layout.app, layout.metric, period.kind, period.start, period.end,
            header.threshold.devices, header.plan.hex, String(decoding: header.json, as: UTF8.self), digest)
    }

    static func selectReleaseNames() -> RowQuery<(app: AppName, metric: MetricName, kind: PeriodKind)> {
        RowQuery(release_select_names_sql) { ($0, $1, $2) }
    }

    static func selectReleases(
        app: AppName, metric: MetricName, kind: PeriodKind, from: UnixSeconds, to: UnixSeconds
    ) -> RowQuery<StoredRelease> { RowQuery(release_select_sql, app, metric, kind, from, to, row: StoredRelease.init) }

    static func selectKnownReleases(
        app: AppName, metric: MetricName, period: Period, from: UnixSeconds
    ) -> RowQuery<StoredRelease> {
        let start = period.start
        return RowQuery(release_select_known_sql, app, metric, period.kind, from, start, start, row: StoredRelease.init)
    }

    static func selectFirstRelease(app: AppName, metric: MetricName, period: Period) -> RowQuery<UnixSeconds?> {
        RowQuery(release_select_first_sql, app, metric, period.kind, period.start)
    }

    static func selectReleasesWithin(
        metric: Int64, period: Period
    ) -> RowQuery<(release: StoredRelease, isDecayed: Bool)> {
        RowQuery(release_select_within_sql, metric, period.start, period.end) { header, id, isDecayed, digest in
            (StoredRelease(id: id, header: header, digest: digest, dropped: []), isDecayed)
        }
    }

    static func selectOpenPeriods(
        app: AppName
    ) -> RowQuery<(layout: StoredLayout, start: UnixSeconds, end: UnixSeconds)> {
        RowQuery(open_period_select_sql, app) { ($0, $1, $2) }
    }

    static func deleteOpenPeriod(metric: Int64, period: Period) -> Statement {
        Statement(open_period_delete_sql, metric, period.start)
    }

    static func lockMetric(metric: Int64) -> Statement { Statement(metric_lock_sql, metric) }

    /// Closes a period for its release; touches one row unless it was closed before.
    static func closePeriod(metric: Int64, period: Period) -> Statement {
        Statement(closed_period_insert_sql, metric, period.start, period.end)
    }

    static func insertOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement(open_rollup_insert_sql, metric, period.kind, period.start, period.end)
    }

    static func deleteOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement(open_rollup_delete_sql, metric, period.kind, period.start)
    }

    /// Deletes an open rollup for its release; touches one row unless it was released or given up before, or a part of it
    /// is open.
    static func closeOpenRollup(metric: Int64, period: Period) -> Statement {
        Statement(open_rollup_close_sql, metric, period.kind, period.start)
    }

    /// Closes those of a layout's periods that were never opened.
    static func closeUncounted(metric: Int64, periods: [Period]) -> Statement {
        Statement(closed_period_insert_all_sql, metric, periods.map(\.start), periods.map(\.end))
    }

    static func selectOpenRollups(app: AppName) -> RowQuery<OpenRollup> {
        RowQuery(open_rollup_select_sql, app) { (stored: StoredLayout, period, isOpen) in
            OpenRollup(layout: try stored.layout(), period: period, hasOpenParts: isOpen)
        }
    }

    static func findOpenRollup(metric: Int64, period: Period) -> RowQuery<Bool> {
        RowQuery(open_rollup_find_sql, metric, period.start, period.end)
    }
}

/// A release as the ledger has it, without its cells.
struct StoredRelease {
    /// The schema's number.
    let id: Int64
    let header: ReleaseHeader
    let digest: [UInt8]
    /// The dimensions that age has taken.
    let dropped: Set<DimensionName>
}

extension ReleaseHeader: ColumnValue {
    init(reading row: inout RowReader) throws { try self.init(json: Data(try row.bytes())) }
}
