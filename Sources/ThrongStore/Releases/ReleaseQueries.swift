internal import Foundation
internal import ThrongPlan
internal import ThrongRelease

extension Query {
    static let copyReleasedCells = Query("released_cell.copy", PackageResources.released_cell_copy_sql)
}

/// Writes a release; returns its number.
struct InsertRelease: RowQuery {
    static let text = Query("release.insert", PackageResources.release_insert_sql)

    let metric: Int64
    let header: ReleaseHeader
    /// The digest of its cells.
    let digest: [UInt8]

    var parameters: [Parameter] {
        let (layout, period) = (header.layout, header.period)
        return [
            .integer(metric), .text(layout.app.text), .text(layout.metric.text), period.kind.parameter,
            period.start.parameter, period.end.parameter, header.threshold.devices.parameter, .text(header.plan.hex),
            .text(String(decoding: header.json, as: UTF8.self)), .bytes(digest),
        ]
    }

    func row(_ columns: inout RowReader) throws -> Int64 { try columns.integer() }
}

/// The metrics ever released, of every app and kind of period.
struct SelectReleaseNames: RowQuery {
    static let text = Query("release.select_names", PackageResources.release_select_names_sql)

    func row(_ columns: inout RowReader) throws -> (app: AppName, metric: MetricName, kind: PeriodKind) {
        (AppName(try columns.text()), MetricName(try columns.text()), try columns.periodKind())
    }
}

/// Releases of a metric whose periods start within a stretch of time, by start; those that age took whole are left out.
struct SelectReleases: RowQuery {
    static let text = Query("release.select", PackageResources.release_select_sql)

    let app: AppName
    let metric: MetricName
    let kind: PeriodKind
    /// The earliest start.
    let from: UnixSeconds
    /// Later than the latest start.
    let to: UnixSeconds

    var parameters: [Parameter] {
        [.text(app.text), .text(metric.text), kind.parameter, .instant(from), .instant(to)]
    }

    func row(_ columns: inout RowReader) throws -> StoredRelease { try StoredRelease(&columns) }
}

/// Releases of a metric that start from an instant on, before another period, and that were made before the first one
/// of that period; those that age took whole are left out.
struct SelectKnownReleases: RowQuery {
    static let text = Query("release.select_known", PackageResources.release_select_known_sql)

    let app: AppName
    let metric: MetricName
    /// The other period.
    let period: Period
    /// The earliest start.
    let from: UnixSeconds

    var parameters: [Parameter] {
        [
            .text(app.text), .text(metric.text), period.kind.parameter, .instant(from), .instant(period.start),
            .instant(period.start),
        ]
    }

    func row(_ columns: inout RowReader) throws -> StoredRelease { try StoredRelease(&columns) }
}

/// The start of the first period of a metric that had been released when another one of its periods was; nil where none
/// had.
struct SelectFirstRelease: RowQuery {
    static let text = Query("release.select_first", PackageResources.release_select_first_sql)

    let app: AppName
    let metric: MetricName
    /// The other period.
    let period: Period

    var parameters: [Parameter] {
        [.text(app.text), .text(metric.text), period.kind.parameter, .instant(period.start)]
    }

    func row(_ columns: inout RowReader) throws -> UnixSeconds? { try columns.optionalTime() }
}

/// The releases of the parts of a period, each with whether age has taken anything of it.
struct SelectReleasesWithin: RowQuery {
    static let text = Query("release.select_within", PackageResources.release_select_within_sql)

    let metric: Int64
    let period: Period

    var parameters: [Parameter] { [.integer(metric), period.start.parameter, period.end.parameter] }

    func row(_ columns: inout RowReader) throws -> (release: StoredRelease, isDecayed: Bool) {
        try columns.storedRelease()
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
    /// Reads the header of a release.
    mutating func releaseHeader() throws -> ReleaseHeader { try ReleaseHeader(json: Data(try bytes())) }
}
