package import ThrongPlan
package import ThrongPostgres
package import ThrongRelease
internal import ThrongWire

/// The release step's way to PostgreSQL: closes periods, reads their counters once, writes releases, reads them back.
///
/// Works as `throng_reporter`, which may read counters and write releases, and can change neither.
package final class ReleaseStore: Sendable {
    /// How it reaches PostgreSQL, as `throng_reporter`; other stores may share it.
    package let connection: Connection

    /// Prepares to work; the role of the settings is replaced by `throng_reporter`.
    package init(_ settings: ConnectionSettings) { connection = .reporting(settings) }

    /// The periods of an app that have counters and no release, by their end.
    ///
    /// Also periods that are not over yet, and layouts that the plan in force no longer has.
    package func openPeriods(app: AppName) async throws -> [OpenPeriod] {
        try await connection.run { session in
            let rows = try session.query(Query.selectOpenPeriods([.text(app.text)]))
            var layouts: [LayoutID: MetricLayout] = [:]
            return try rows.indices.map { row in
                let id = LayoutID(try rows.bytes(row, 0))
                let layout = try layouts[id] ?? Self.layout(id, json: try rows.bytes(row, 1))
                layouts[id] = layout
                return OpenPeriod(
                    layout: layout,
                    period: Period(
                        kind: layout.period, start: try rows.integer(row, 2), end: try rows.integer(row, 3)))
            }
        }
    }

    /// Closes a period and releases it, in one transaction; nil where that was done before.
    ///
    /// The decision is made before the transaction begins, on counters that nothing but a late event changes any more;
    /// the transaction then waits for this metric's flushes under way, holds off later ones, and decides again only
    /// where the counters did change. So a cube that takes a minute to prove holds nobody up. What flushes add to this
    /// period afterwards goes into the open one. The distinct counts and the largest
    /// contributions go, unless a rollup still needs them, or a metric that counts some of the same events and has an
    /// open period over the same time. Releases of such metrics exclude each other from the moment at which they compare
    /// what the others published with what they were decided against.
    ///
    /// - Parameters:
    ///   - rollups: coarser periods that the period is part of and that are to be released too.
    ///   - ties: which metrics count the same events; nil decides the period as if there were none.
    ///   - make: decides what is published, given what was counted and what tied metrics published; runs on the
    ///     connection's thread. When it throws, nothing happened.
    /// - Throws: ``PostgresError``, and what `make` throws.
    package func release(
        _ layout: MetricLayout,
        _ period: Period,
        rollups: [Period] = [],
        ties: EventTies?,
        make: @escaping @Sendable (StoredCube, [TiedMetric]) throws -> ReleaseDecision
    ) async throws -> ReleaseDecision? {
        try await connection.run { session in
            let metric = try Self.metricID(of: layout, session)
            func evidence() throws -> [TiedMetric] {
                try ties.map { try Self.evidence($0, layout, period, metric, session) } ?? []
            }
            let early = (cube: try Self.cube(layout, period, metric, session), tied: try evidence())
            let prepared = try make(early.cube, early.tied)
            return try session.transaction {
                if ties != nil { try session.query(Query.lockTies([.text(layout.app.text)])) }
                let answers = try session.pipeline([
                    Query.lockMetric([.integer(metric)]),
                    Query.closePeriod([.integer(metric), period.start.parameter, period.end.parameter]),
                ])
                guard answers[1].count == 1 else { return nil }
                let now = (cube: try Self.cube(layout, period, metric, session), tied: try evidence())
                let decision = now == early ? prepared : try make(now.cube, now.tied)
                try Self.write(decision, of: layout, period, metric, session)
                for rollup in rollups {
                    try session.query(
                        Query.openRollup([
                            .integer(metric), rollup.kind.parameter, rollup.start.parameter, rollup.end.parameter,
                        ]))
                }
                try session.query(Query.deleteOpenPeriod([.integer(metric), period.start.parameter]))
                let names = ties.map { Self.tiedNames($0, layout) } ?? []
                if !names.isEmpty {
                    try Self.keep([period], of: layout, metric, for: names, session)
                } else if rollups.isEmpty {
                    try Self.deleteDistinct(period, metric, session)
                }
                if ties != nil { try Self.forgetKept(app: layout.app, session) }
                return decision
            }
        }
    }

    /// Closes a period and releases it as if no other metric counted any of its events.
    package func release(
        _ layout: MetricLayout,
        _ period: Period,
        rollups: [Period] = [],
        make: @escaping @Sendable (StoredCube) throws -> ReleaseDecision
    ) async throws -> ReleaseDecision? {
        try await release(layout, period, rollups: rollups, ties: nil) { cube, _ in try make(cube) }
    }

    /// Closes the connection.
    package func close() { connection.close() }

    /// Closes the connection after so long, whatever is under way.
    package func close(within length: Duration) { connection.close(within: length) }
}

extension ReleaseStore {
    /// Reads a stored layout and makes sure that it is what it was.
    static func layout(_ id: LayoutID, json: [UInt8]) throws -> MetricLayout {
        let layout = try MetricLayout(jsonBytes: json)
        guard layout.id == id else { throw StoreError.layoutAltered(id) }
        return layout
    }

    /// The schema's name for a layout.
    static func metricID(of layout: MetricLayout, _ session: Session) throws -> Int64 {
        let id = layout.id
        let rows = try session.query(Query.selectLayout([.bytes(id.bytes)]))
        guard rows.count == 1 else { throw StoreError.layoutUnknown(id) }
        return try rows.integer(0, 0)
    }

    /// Checks that a decision is about what was asked, then writes its release and the reasons for the rest.
    static func write(
        _ decision: ReleaseDecision, of layout: MetricLayout, _ period: Period, _ metric: Int64, _ session: Session
    ) throws {
        guard decision.release.header.layout.counted == layout, decision.release.header.period == period else {
            throw StoreError.releaseMismatched(metric: layout.metric)
        }
        let id = try write(decision.release, metric, session)
        try write(decision.withheld, release: id, session)
        try notePublished(decision.release, session)
    }

    static func deleteDistinct(_ period: Period, _ metric: Int64, _ session: Session) throws {
        _ = try session.pipeline([
            Query.deleteDistinct([.integer(metric), period.kind.parameter, period.start.parameter]),
            Query.deleteTop([.integer(metric), period.start.parameter]),
        ])
    }

    static func cube(
        _ layout: MetricLayout,
        _ period: Period,
        _ metric: Int64,
        _ session: Session
    ) throws -> StoredCube {
        let key: [Parameter] = [.integer(metric), period.kind.parameter, period.start.parameter]
        let counters = try session.query(Query.selectCounters(key))
        let distinct = try session.query(Query.selectDistinct(key))
        return StoredCube(
            // Read after the counters: a value is counted in its slot only once its label is there.
            layout: try named(layout, session),
            period: period,
            counters: try counters.indices.map { row in
                StoredCounter(
                    measure: MeasureIndex(Int16(truncatingIfNeeded: try counters.integer(row, 0))),
                    cell: try Self.cell(counters, row, 1),
                    value: try counters.integer(row, 2))
            },
            distinct: try distinct.indices.map { row in
                StoredDistinct(
                    margin: try Self.margin(distinct, row, 0),
                    cell: try Self.cell(distinct, row, 1),
                    window: WindowNumber(try distinct.integer(row, 2)),
                    devices: try distinct.integer(row, 3))
            },
            top: try Self.top(layout, period, metric, session))
    }

    /// Writes a release and returns its number.
    @discardableResult
    static func write(_ release: Release, _ metric: Int64, _ session: Session) throws -> Int64 {
        let header = release.header
        let layout = header.layout
        guard let digest = [UInt8](hex: release.digest.hex) else {
            throw PostgresError.unexpectedAnswer(query: Query.insertRelease.name)
        }
        let rows = try session.query(
            Query.insertRelease([
                .integer(metric), .text(layout.app.text), .text(layout.metric.text), header.period.kind.parameter,
                header.period.start.parameter, header.period.end.parameter, header.threshold.devices.parameter,
                .text(header.plan.hex), .text(String(decoding: header.json, as: UTF8.self)), .bytes(digest),
            ]))
        let id = try rows.integer(0, 0)
        try session.copyIn(Query.copyReleasedCells.name, Query.copyReleasedCells.sql) { writer in
            for cell in release.cells {
                var labels: [String?] = Array(repeating: nil, count: layout.dimensions.count)
                let kept = layout.dimensions.indices.filter { cell.margin.keeps($0) }
                for (place, bucket) in zip(kept, layout.buckets(of: cell.cell, in: cell.margin)) {
                    labels[place] = layout.dimensions[place].labels[bucket].text
                }
                try writer.row(columns: 8)
                try writer.bigint(id)
                try writer.integer(Int32(bitPattern: cell.margin.bits))
                try writer.integer(Int32(bitPattern: cell.cell.value))
                try writer.texts(labels)
                try writer.bigint(cell.count)
                try writer.bigints(cell.sums)
                if let reach = cell.reach { try writer.bigint(reach.devices) } else { try writer.null() }
                if let firsts = cell.firsts { try writer.bigint(firsts) } else { try writer.null() }
            }
        }
        return id
    }

    static func margin(_ rows: Rows, _ row: Int, _ column: Int) throws -> Margin {
        Margin(bits: UInt32(truncatingIfNeeded: try rows.integer(row, column)))
    }

    static func cell(_ rows: Rows, _ row: Int, _ column: Int) throws -> CellIndex {
        CellIndex(UInt32(truncatingIfNeeded: try rows.integer(row, column)))
    }
}
