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
                try writer.row(columns: 5)
                try writer.bigint(release)
                try writer.integer(Int32(bitPattern: entry.margin.bits))
                try writer.integer(Int32(bitPattern: entry.cell.value))
                try writer.smallint(entry.reason.code)
                if let devices = entry.reason.devices { try writer.bigint(devices) } else { try writer.null() }
            }
        }
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
}
