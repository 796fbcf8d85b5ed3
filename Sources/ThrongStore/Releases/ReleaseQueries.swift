internal import Foundation
internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static let copyReleasedCells = Statement("released_cell.copy", PackageResources.released_cell_copy_sql)
}

extension Query {
    static func insertRelease(metric: Int64, header: ReleaseHeader, digest: [UInt8]) -> RowQuery<Int64> {
        let (layout, period) = (header.layout, header.period)
        return RowQuery(
            "release.insert", PackageResources.release_insert_sql,
            .integer(metric), .text(layout.app.text), .text(layout.metric.text), period.kind.parameter,
            period.start.parameter, period.end.parameter, header.threshold.devices.parameter,
            .text(header.plan.hex),
            .text(String(decoding: header.json, as: UTF8.self)), .bytes(digest)
        ) { try $0.integer() }
    }

    static func selectReleaseNames() -> RowQuery<(app: AppName, metric: MetricName, kind: PeriodKind)> {
        RowQuery("release.select_names", PackageResources.release_select_names_sql) { columns in
            (AppName(try columns.text()), MetricName(try columns.text()), try columns.periodKind())
        }
    }

    static func selectReleases(app: AppName, metric: MetricName, kind: PeriodKind, from: UnixSeconds, to: UnixSeconds)
        -> RowQuery<StoredRelease>
    {
        RowQuery(
            "release.select", PackageResources.release_select_sql,
            .text(app.text), .text(metric.text), kind.parameter, .instant(from), .instant(to)
        ) { columns in
            try StoredRelease(&columns)
        }
    }

    static func selectKnownReleases(app: AppName, metric: MetricName, period: Period, from: UnixSeconds) -> RowQuery<
        StoredRelease
    > {
        RowQuery(
            "release.select_known", PackageResources.release_select_known_sql,
            .text(app.text), .text(metric.text), period.kind.parameter, .instant(from), .instant(period.start),
            .instant(period.start)
        ) { columns in
            try StoredRelease(&columns)
        }
    }

    static func selectFirstRelease(app: AppName, metric: MetricName, period: Period) -> RowQuery<UnixSeconds?> {
        RowQuery(
            "release.select_first", PackageResources.release_select_first_sql,
            .text(app.text), .text(metric.text), period.kind.parameter, .instant(period.start)
        ) { try $0.optionalTime() }
    }

    static func selectReleasesWithin(metric: Int64, period: Period) -> RowQuery<
        (release: StoredRelease, isDecayed: Bool)
    > {
        RowQuery(
            "release.select_within", PackageResources.release_select_within_sql,
            .integer(metric), period.start.parameter, period.end.parameter
        ) { try $0.storedRelease() }
    }
}

extension RowReader {
    /// Reads the header, the number, whether age took something, and the digest.
    fileprivate mutating func storedRelease() throws -> (release: StoredRelease, isDecayed: Bool) {
        let (header, id) = (try releaseHeader(), try integer())
        let isDecayed = try flag()
        return (StoredRelease(id: id, header: header, digest: try bytes()), isDecayed)
    }
}

/// A release as the ledger has it, without its cells.
struct StoredRelease {
    /// The schema's number.
    let id: Int64
    let header: ReleaseHeader
    /// The digest of its cells when they were released.
    let digest: [UInt8]
    /// The dimensions that age has taken.
    var dropped: Set<DimensionName> = []
}

extension StoredRelease {
    /// Reads the columns that both queries of a metric's releases have.
    fileprivate init(_ columns: inout RowReader) throws {
        self.init(
            id: try columns.integer(), header: try columns.releaseHeader(), digest: try columns.bytes(),
            dropped: Set(try columns.names().map { DimensionName($0) }))
    }
}

extension RowReader {
    mutating func releaseHeader() throws -> ReleaseHeader { try ReleaseHeader(json: Data(try bytes())) }
}
