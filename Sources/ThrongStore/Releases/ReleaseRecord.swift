package import ThrongPlan
internal import ThrongPostgres
package import ThrongRelease

/// A release, and what is still known of how it was decided. For operators only: it tells small cells from empty ones.
package struct ReleaseRecord: Sendable {
    /// What left.
    package let release: Release
    /// Why occupied cells stayed; nil where that has gone with the counters.
    package let withheld: [WithheldCell]?
    /// Events by leaf cell, small ones too; nil where counters have gone. Unit: events, or identifiers.
    package let counts: [CellIndex: Int64]?

    /// Puts one together.
    package init(release: Release, withheld: [WithheldCell]?, counts: [CellIndex: Int64]?) {
        self.release = release
        self.withheld = withheld
        self.counts = counts
    }
}

extension ReleaseStore {
    /// The last releases of a metric up to a period, by start, each with what is still known of it; those that are off on
    /// purpose, where nothing stays for another's sake, and those that age has touched are left out.
    ///
    /// - Parameters:
    ///   - last: the latest start that counts.
    ///   - most: how many releases, the latest ones.
    /// - Throws: as ``releases(app:metric:periodKind:from:to:)``.
    package func records(
        app: AppName, metric: MetricName, periodKind: PeriodKind, through last: UnixSeconds, most: Int
    ) async throws -> [ReleaseRecord] {
        try await connection.run { session in
            try session.transaction {
                try session.query("transaction.snapshot", "set transaction isolation level repeatable read, read only")
                return try session.run(
                    SelectRecentReleases(app: app, metric: metric, kind: periodKind, last: last, most: most)
                ).filter { $0.header.margins == nil && $0.dropped.isEmpty }.reversed().map { stored in
                    try Self.record(try Self.restored(stored, session), of: stored, session)
                }
            }
        }
    }

    private static func record(
        _ release: Release, of stored: StoredRelease, _ session: Session
    ) throws -> ReleaseRecord {
        let header = release.header
        let metric = try session.metricID(of: header.layout.counted)
        var counts: [CellIndex: Int64] = [:]
        for part in parts(of: header) {
            for counter in try session.run(SelectCounters(metric: metric, period: part))
            where counter.measure == .count && counter.value > 0 {
                counts[counter.cell] = (counts[counter.cell] ?? 0).addedClamped(counter.value)
            }
        }
        // Of a period whose parts have gone one by one, what is left is no count of it.
        let total = counts.values.reduce(Int64(0)) { $0.addedClamped($1) }
        let published = release.cell(CellIndex(0), in: .total)?.count
        let isWhole = total > 0 && published.map { $0 == total } ?? true
        let withheld = try session.run(SelectReasons(release: stored.id, timeZone: header.layout.timeZone))
        return ReleaseRecord(
            release: release,
            withheld: withheld.isEmpty && !(isWhole && isComplete(release, counts)) ? nil : withheld,
            counts: isWhole ? counts : nil)
    }

    /// Whether every occupied cell was published, so that there are no reasons because none was needed.
    private static func isComplete(_ release: Release, _ counts: [CellIndex: Int64]) -> Bool {
        let layout = release.header.layout
        return release.header.groupings.allSatisfy { margin in
            let project = layout.projection(from: layout.leaf, to: margin)
            return counts.keys.allSatisfy { release.cell(project($0), in: margin) != nil }
        }
    }

    /// The periods whose counters add up to a release's.
    private static func parts(of header: ReleaseHeader) -> [Period] {
        guard header.period.kind != header.layout.period,
            let calendar = PeriodCalendar(timeZone: header.layout.timeZone)
        else { return [header.period] }
        var parts = [calendar.period(header.layout.period, containing: header.period.start)]
        while let last = parts.last, last.end < header.period.end {
            parts.append(calendar.period(header.layout.period, containing: last.end))
        }
        return parts
    }
}
