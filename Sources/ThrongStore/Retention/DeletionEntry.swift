internal import Crypto
internal import Foundation
package import ThrongPlan

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
        self.place = place
        self.taken = taken
        self.app = app
        self.kind = kind
        self.subject = subject
        self.term = term
        self.period = period
        self.rows = rows
        self.digest = digest
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
}
