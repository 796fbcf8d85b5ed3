internal import Crypto
internal import Foundation
package import ThrongPlan

/// Deletes data that has reached its age, as `throng_reporter`.
package struct RetentionStore: Sendable {
    let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// The longest time that raw counters outlive their release. Unit: seconds.
    package static let countersKept: Int64 = 7 * 86_400
    /// The time beyond a plan's grace that unreleased periods are kept. Unit: seconds.
    private static let releaseRest: Int64 = 7 * 86_400

    /// Deletes data that has reached its age, of every app in the database: each metric's decay steps, its purpose's
    /// retention, reports' files with the first number in them, and raw counters.
    ///
    /// Numbers are deleted by the promise in force when they were counted, and by every promise since, whichever
    /// deletes more. That holds also for a metric or an app that no plan has any more. The rows of the ledger stay,
    /// without their numbers, and all deletions are noted.
    ///
    /// - Parameters:
    ///   - countersKept: the longest time that raw counters outlive their period and its release; no longer than
    ///     released numbers.
    ///   - abandonedAfter: the age at which counters are deleted although they were not released.
    package func expire(
        plans: [Plan], now: UnixSeconds, countersKept: Duration = .seconds(Self.countersKept),
        abandonedAfter: Duration = .seconds(400 * 86_400)
    ) async throws -> ExpiryOutcome {
        let (cells, shortest, troubles) = try await connection.run { session in
            var (cells, shortest) = (Int64(0), LayoutPromise.unsaid)
            let troubles = try Self.eachApp(plans, session) { app in
                let plan = plans.first { $0.app.name == app }
                // This counts also if the promises can't be read.
                shortest = min(shortest, plan?.shortestAge ?? shortest)
                let promises = try Self.promises(plans, of: app, session)
                shortest = min(shortest, promises.map(\.shortest).min() ?? shortest)
                for promise in promises { cells += try Self.keep(promise, plans, now: now, session) }
                let longest = promises.map(\.retention).max() ?? LayoutPromise.unsaid
                try Self.expireLabels(of: app, plan, longest: longest, now: now, session)
                for age in Self.fileAges(app, plan, promises) {
                    try session.run(
                        Query.deleteRunFiles(app: app, before: now - age.seconds, now: now, report: age.report))
                    // An age counts from the end of a period, and none is longer than a month.
                    guard age.report == nil else { continue }
                    try session.run(Query.deleteCoverage(app: app, before: now - age.seconds - 31 * 86_400))
                }
            }
            return (cells, shortest, troubles)
        }
        let partitions = try await dropPartitions(
            countersBefore: now - min(countersKept.components.seconds, shortest), distinctBefore: now - 86_400,
            abandonedBefore: now - abandonedAfter.components.seconds)
        return ExpiryOutcome(cells: cells, partitions: partitions, troubles: troubles)
    }

    /// Calls `work` for every app that has data or is served. An error with one app does not stop the others.
    ///
    /// - Throws: ``PostgresError`` if PostgreSQL is away, which is no app's trouble.
    static func eachApp(_ plans: [Plan], _ session: Session, _ work: (AppName) throws -> Void) throws -> [AppTrouble] {
        try Set(try session.run(Query.selectKeptApps())).union(plans.map(\.app.name)).sorted().compactMap { app in
            do {
                try work(app)
                return nil
            } catch let error as PostgresError where error.isAbsence || error == .closed { throw error } catch {
                return AppTrouble(app: app, reason: "\(error)")
            }
        }
    }

    /// Deletes the numbers that have reached their age by one promise; returns the number of released cells.
    private static func keep(
        _ promise: LayoutPromise, _ plans: [Plan], now: UnixSeconds, _ session: Session
    ) throws -> Int64 {
        var cells: Int64 = 0
        for step in promise.steps {
            for part in step.action.parts(of: promise.dimensions) {
                cells += try session.one(
                    Query.dropReleased(
                        metric: promise.layout, dimension: part.dimension, shorter: part.shorter,
                        before: now - step.after.components.seconds, began: promise.began, term: step.term))
            }
        }
        let grace = plans.first { $0.app.name == promise.app }?.app.grace.components.seconds ?? 0
        let kept = max(promise.retention, grace + releaseRest)
        try session.run(Query.expireOpen(metric: promise.layout, before: now - kept, began: promise.began))
        return cells
    }

    /// Returns all promises ever made, and those of the plans in force: whichever deletes more holds.
    static func promises(_ plans: [Plan], of app: AppName? = nil, _ session: Session) throws -> [LayoutPromise] {
        let known = try session.run(Query.selectPromises(app: app))
        let asked = Dictionary(grouping: known, by: \.layout).values.compactMap { promises -> LayoutPromise? in
            let layout = promises[0]
            let plan = plans.first { $0.app.name == layout.app }
            var steps = plan?.metric(layout.metric).flatMap { plan?.expirySteps(of: $0) } ?? []
            if steps.isEmpty, promises.allSatisfy(\.steps.isEmpty) {
                let longest = plan?.purposes.map(\.retention).max()
                steps = [DecayStep(after: longest ?? .seconds(LayoutPromise.unsaid), action: .delete)]
            }
            return steps.isEmpty
                ? nil
                : LayoutPromise(
                    layout: layout.layout, app: layout.app, metric: layout.metric, dimensions: layout.dimensions,
                    until: nil, steps: steps)
        }
        return (known.filter { !$0.steps.isEmpty } + asked)
            .sorted { ($0.layout, $0.until ?? .max) < ($1.layout, $1.until ?? .max) }
    }

    /// Drops the partitions of raw counters and of distinct counts whose periods ended before these instants and were
    /// all released, and of abandoned periods in any case. Returns the names of the dropped tables.
    package func dropPartitions(
        countersBefore: UnixSeconds, distinctBefore: UnixSeconds, abandonedBefore: UnixSeconds
    ) async throws -> [String] {
        try await connection.run { session in
            let dropped = try session.run(
                Query.dropPartitions(
                    countersBefore: countersBefore, distinctBefore: distinctBefore, abandonedBefore: abandonedBefore))
            // No period is longer than a month, and by then its parts are released, or open.
            try session.run(Query.expireProvedFirsts(before: distinctBefore - 40 * 86_400))
            return dropped
        }
    }

    /// Returns the time that files of an app's reports are kept after the end of their period. A report's is that of
    /// the plan in force; without a report's name it is the shortest retention of the app's numbers. Unit: seconds.
    static func fileAges(
        _ app: AppName, _ plan: Plan?, _ promises: [LayoutPromise]
    ) -> [(report: ReportName?, seconds: Int64)] {
        let shortest = promises.map(\.shortest).min() ?? LayoutPromise.unsaid
        return [(nil, shortest)] + (plan?.reports ?? []).map { ($0.name, plan?.seconds(keeping: $0) ?? 0) }
    }
}

extension Plan {
    /// The age at which the first numbers are deleted; nil where nothing is counted. Unit: seconds.
    fileprivate var shortestAge: Int64? {
        metrics.flatMap { expirySteps(of: $0) }.map(\.after.components.seconds).min()
    }
}

package struct ExpiryOutcome: Sendable, Hashable {
    /// The number of released cells deleted. Unit: cells.
    package let cells: Int64
    /// The tables of raw counters and distinct counts that were dropped.
    package let partitions: [String]
    /// The apps whose data was not all deleted.
    package var troubles: [AppTrouble] = []
}

/// An app for which something failed that was done for others.
package struct AppTrouble: Error, Sendable, Hashable, CustomStringConvertible {
    package let app: AppName
    package let reason: String

    package var description: String { reason }
}

extension Query {
    static func dropReleased(
        metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, before: UnixSeconds, began: UnixSeconds?,
        term: String
    ) -> RowQuery<Int64> { RowQuery(released_cell_drop_sql, metric, dimension, shorter, before, began, term) }

    static func selectDue(
        metric: Int64, dimension: DimensionName?, shorter: PeriodKind?, began: UnixSeconds?
    ) -> RowQuery<(end: UnixSeconds?, releases: Int64)> {
        RowQuery(release_select_due_sql, metric, dimension, shorter, began) { ($0, $1) }
    }

    static func selectOldest(app: AppName) -> RowQuery<(metric: MetricName, end: UnixSeconds, releases: Int64)> {
        RowQuery(release_select_oldest_sql, app) { ($0, $1, $2) }
    }

    /// Gives up open periods that nothing has released.
    static func expireOpen(metric: Int64, before: UnixSeconds, began: UnixSeconds?) -> Statement {
        Statement(open_period_expire_sql, metric, before, began)
    }

    static func dropPartitions(
        countersBefore: UnixSeconds, distinctBefore: UnixSeconds, abandonedBefore: UnixSeconds
    ) -> RowQuery<String> { RowQuery(partition_drop_sql, countersBefore, distinctBefore, abandonedBefore) }

    static func noteDeletion(app: String, kind: String, subject: String, term: String, rows: Int) -> Statement {
        Statement(deletion_note_sql, app, kind, subject, term, rows)
    }

    /// Those of these tables that are there; names hold no comma.
    static func selectStanding(names: [String]) -> RowQuery<String> {
        RowQuery(partition_standing_sql, names.joined(separator: ","))
    }

    static func selectDeletions() -> RowQuery<DeletionEntry> { RowQuery(deletion_select_sql, row: DeletionEntry.init) }
}

/// Reads the ledger of deletions, and notes deletions outside of PostgreSQL, as `throng_reporter`.
package struct DeletionStore: Sendable {
    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the whole ledger, oldest first.
    package func entries() async throws -> [DeletionEntry] { try await connection.run(Query.selectDeletions()) }

    /// Notes that keys of an app's part of backups were deleted, unless none were; * is the app of shared data.
    package func note(backupKeys: Int, app: String, subject: String, term: String) async throws {
        try await connection.run(
            Query.noteDeletion(app: app, kind: "backups", subject: subject, term: term, rows: backupKeys))
    }

    /// Returns those of these tables of schema throng that are there.
    package func standing(_ tables: [String]) async throws -> Set<String> {
        Set(try await connection.run(Query.selectStanding(names: tables)))
    }
}

/// A record that something was deleted, and by which promise: a link of a chain that can't be changed without changing
/// all after it.
package struct DeletionEntry: Sendable, Hashable {
    /// The number of the entry, from 1 without a gap.
    package let place: Int64
    /// The time of the deletion.
    package let taken: UnixSeconds
    /// The app; * where several apps shared the data.
    package let app: String
    /// `numbers`, `counters`, `files`, `copies`, `coverage`, `labels`, `records` or `backups`.
    package let kind: String
    /// The metric, table, report or dimension.
    package let subject: String
    /// The promise that it was deleted by.
    package let term: String
    /// The time that the data was about; nil where it was about no period.
    package let period: Range<UnixSeconds>?
    /// The amount. Unit: cells, counters, files, hours, labels, records or keys.
    package let rows: Int64
    /// SHA-256 over the digest before it and this entry. Unit: 32 bytes.
    package let digest: [UInt8]

    package init(
        place: Int64, taken: UnixSeconds, app: String, kind: String, subject: String, term: String,
        period: Range<UnixSeconds>?, rows: Int64, digest: [UInt8]
    ) {
        (self.place, self.taken, self.app, self.kind, self.subject) = (place, taken, app, kind, subject)
        (self.term, self.period, self.rows, self.digest) = (term, period, rows, digest)
    }

    /// The digest before the first entry. Unit: 32 bytes.
    package static let noDigest = [UInt8](repeating: 0, count: 32)

    /// Returns the digest that the entry must have after that of the entry before it; 32 zeros come before the first.
    package func expectedDigest(after before: [UInt8]) -> [UInt8] {
        let fields = [
            before.lowerHex, "\(place)", "\(taken.value)", app, kind, subject, term,
            period.map { "\($0.lowerBound.value)" } ?? "", period.map { "\($0.upperBound.value)" } ?? "", "\(rows)",
        ]
        return Array(SHA256.hash(data: Data(fields.joined(separator: "\n").utf8)))
    }

    /// Returns the place of the first of all entries that does not follow from those before it; nil where all do.
    package static func firstBroken(in entries: [DeletionEntry]) -> Int64? {
        var (place, digest) = (Int64(0), noDigest)
        for entry in entries {
            guard entry.place == place + 1, entry.digest == entry.expectedDigest(after: digest) else {
                return entry.place
            }
            (place, digest) = (entry.place, entry.digest)
        }
        return nil
    }

    package var link: ChainLink { ChainLink(place: place, digest: digest) }
}

/// A fault in a stretch of the chain of ``DeletionEntry``s.
package enum ChainFault: Sendable, Hashable, CustomStringConvertible {
    /// An entry, or the digest in it, was changed: the two don't belong together.
    case changed(Int64)
    case missing(ClosedRange<Int64>)
    /// An entry stands behind one that was written after it.
    case misplaced(Int64, behind: Int64)
    case repeated(Int64)

    package var description: String {
        switch self {
        case .changed(let place):
            "entry \(place), or the digest before it, was changed: its digest is not that of what it says"
        case .missing(let places) where places.count == 1: "entry \(places.lowerBound) is missing"
        case .missing(let places): "entries \(places.lowerBound) to \(places.upperBound) are missing"
        case .misplaced(let place, let other): "entry \(place) stands behind entry \(other)"
        case .repeated(let place): "entry \(place) is there twice"
        }
    }

    /// Returns all faults of entries that should continue from one place to another without a gap; none where all hold.
    package static func all(in entries: [DeletionEntry], after before: ChainLink, through last: Int64) -> [ChainFault] {
        var faults: [ChainFault] = []
        var highest = before.place
        var seen: Set<Int64> = []
        for entry in entries {
            if !seen.insert(entry.place).inserted {
                faults.append(.repeated(entry.place))
            } else if entry.place < highest {
                faults.append(.misplaced(entry.place, behind: highest))
            }
            highest = max(highest, entry.place)
        }
        var link = before
        for entry in entries.sorted(by: { $0.place < $1.place }) where entry.place != link.place {
            if entry.place > link.place + 1 {
                faults.append(.missing(link.place + 1...entry.place - 1))
            } else if entry.digest != entry.expectedDigest(after: link.digest) {
                faults.append(.changed(entry.place))
            }
            link = entry.link
        }
        if link.place < last { faults.append(.missing(link.place + 1...last)) }
        return faults
    }
}

/// The end of a chain of ``DeletionEntry``s: whoever keeps one can tell later that nothing before it was changed.
package struct ChainLink: Sendable, Hashable {
    package let place: Int64
    /// The digest of the last of them. Unit: 32 bytes.
    package let digest: [UInt8]

    /// The link before the first entry.
    package static let none = ChainLink(place: 0, digest: DeletionEntry.noDigest)

    package init(place: Int64, digest: [UInt8]) { (self.place, self.digest) = (place, digest) }
}
