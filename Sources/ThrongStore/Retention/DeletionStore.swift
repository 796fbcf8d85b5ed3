internal import Crypto
internal import Foundation
package import ThrongPlan

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

extension Query {
    static func selectDeletions() -> RowQuery<DeletionEntry> { RowQuery(deletion_select_sql, row: DeletionEntry.init) }
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
