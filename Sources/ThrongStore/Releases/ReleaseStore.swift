package import ThrongPlan
package import ThrongPostgres
package import ThrongRelease
internal import ThrongWire

/// The release step's way to PostgreSQL: offers evidence, commits what was decided on it, reads releases back.
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
            var layouts: [LayoutID: MetricLayout] = [:]
            return try session.run(SelectOpenPeriods(app: app)).map { stored, start, end in
                let layout = try layouts[stored.id] ?? stored.layout()
                layouts[stored.id] = layout
                return OpenPeriod(layout: layout, period: Period(kind: layout.period, start: start, end: end))
            }
        }
    }

    /// Reads everything that a release is decided on.
    ///
    /// Flushes go on meanwhile and afterwards; ``commit(_:for:if:)`` looks whether it still holds.
    /// - Throws: ``PostgresError``, ``ReleaseError/decayed(metric:period:)``, ``ReleaseError/altered(metric:period:)``.
    package func evidence(for scope: ReleaseScope) async throws -> ReleaseEvidence {
        try await connection.run { session in
            try Self.evidence(for: scope, try session.metricID(of: scope.layout), session)
        }
    }

    /// Closes a period and releases what was decided about it, in one transaction, if the evidence still holds.
    ///
    /// The transaction waits for this metric's flushes under way, holds off later ones, and reads the evidence again. What
    /// flushes add to this period afterwards goes into the open one. The distinct counts and the largest contributions
    /// go, unless a rollup still needs them, or a metric that counts some of the same events and has an open period over
    /// the same time. Releases of such metrics exclude each other from the moment at which they compare what the others
    /// published with what they were decided against.
    /// - Throws: ``PostgresError``, and as ``evidence(for:)``; then nothing happened.
    package func commit(
        _ decision: ReleaseDecision, for scope: ReleaseScope, if evidence: ReleaseEvidence
    ) async throws -> ReleaseCommit {
        do {
            let made = try await commit(
                scope,
                decidingUnderLock: { now in
                    guard now == evidence else { throw EvidenceChanged(now: now) }
                    return decision
                })
            return made == nil ? .elsewhere : .released
        } catch let change as EvidenceChanged {
            return .changed(change.now)
        }
    }

    /// Closes a period, decides about it and releases it, in one transaction; nil where another process did.
    ///
    /// No flush of this metric, and no other work on this connection, gets on while it decides: for evidence that changes
    /// faster than anybody can decide.
    /// - Parameter decide: runs on the connection's thread. When it throws, nothing happened.
    /// - Throws: as ``commit(_:for:if:)``, and what `decide` throws.
    package func commit(
        _ scope: ReleaseScope, decidingUnderLock decide: @escaping @Sendable (ReleaseEvidence) throws -> ReleaseDecision
    ) async throws -> ReleaseDecision? {
        try await connection.run { session in
            let metric = try session.metricID(of: scope.layout)
            return try session.transaction {
                guard try Self.closePeriod(of: scope, metric, session) else { return nil }
                let evidence = try Self.evidence(for: scope, metric, session)
                let decision = try decide(evidence)
                try Self.write(
                    decision.release, decision.withheld, of: scope.layout, scope.period, metric, session)
                try Self.letGo(of: scope, evidence, metric, session)
                return decision
            }
        }
    }

    private struct EvidenceChanged: Error {
        let now: ReleaseEvidence
    }

    /// Closes the connection.
    package func close() { connection.close() }

    /// Closes the connection after so long, whatever is under way.
    package func close(within length: Duration) { connection.close(within: length) }
}

extension ReleaseStore {
    /// Checks that a release is about what was asked, then writes it and the reasons for the rest; returns its number.
    @discardableResult
    static func write(
        _ release: Release, _ withheld: [WithheldCell], of layout: MetricLayout, _ period: Period, _ metric: Int64,
        _ session: Session
    ) throws -> Int64 {
        guard release.header.layout.counted == layout, release.header.period == period else {
            throw StoreError.releaseMismatched(metric: layout.metric)
        }
        let id = try write(release, metric, session)
        try write(withheld, release: id, session)
        try notePublished(release, session)
        return id
    }

    /// The margins of a row's grouping; nulls where its numbers are exact.
    private static func write(margins header: ReleaseHeader, of cell: PublishedCell, _ writer: CopyWriter) throws {
        guard let count = header.margin(of: cell.margin) else { return try (0..<3).forEach { _ in try writer.null() } }
        try writer.bigint(count)
        try writer.bigints(header.layout.sums.indices.map { header.margin(of: cell.margin, measure: $0 + 1) ?? 0 })
        if cell.reach != nil, let devices = header.deviceMargin(of: cell.margin) {
            try writer.bigint(devices)
        } else {
            try writer.null()
        }
    }

    /// Writes a release and returns its number.
    private static func write(_ release: Release, _ metric: Int64, _ session: Session) throws -> Int64 {
        let header = release.header
        let layout = header.layout
        guard let digest = [UInt8](hex: release.digest.hex) else { throw InsertRelease.unexpected }
        let id = try session.one(InsertRelease(metric: metric, header: header, digest: digest))
        try session.copyIn(Query.copyReleasedCells.name, Query.copyReleasedCells.sql) { writer in
            for cell in release.cells {
                var labels: [String?] = Array(repeating: nil, count: layout.dimensions.count)
                let kept = layout.dimensions.indices.filter { cell.margin.keeps($0) }
                for (place, bucket) in zip(kept, layout.buckets(of: cell.cell, in: cell.margin)) {
                    labels[place] = layout.dimensions[place].labels[bucket].text
                }
                try writer.row(columns: 11)
                try writer.bigint(id)
                try writer.integer(Int32(bitPattern: cell.margin.bits))
                try writer.integer(Int32(bitPattern: cell.cell.value))
                try writer.texts(labels)
                try writer.bigint(cell.count)
                try writer.bigints(cell.sums)
                if let reach = cell.reach { try writer.bigint(reach.devices) } else { try writer.null() }
                if let firsts = cell.firsts { try writer.bigint(firsts) } else { try writer.null() }
                try write(margins: header, of: cell, writer)
            }
        }
        return id
    }
}
