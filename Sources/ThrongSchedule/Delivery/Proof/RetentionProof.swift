// retention-TIME.proof.json is JSON in UTF-8 with its keys in the order below, two spaces a level and one newline at
// the end. retention-TIME.proof.sig beside it is the 64 bytes of an Ed25519 signature (RFC 8032) over all bytes of
// that file. retention-TIME.proof.md says the same for people; its SHA-256 is in the JSON.
// Schema/retention_proof.schema.json describes the keys.

internal import Crypto
package import ThrongPlan
package import ThrongReport
package import ThrongStore
internal import ThrongWire

/// The record of what went by age, what goes next and what was promised, to be checked without the database.
package struct RetentionProof: Sendable, Hashable {
    package static let format = "throng-retention-proof/1"
    package static let documentEnding = ".proof.json"
    package static let signatureEnding = ".proof.sig"
    package static let pageEnding = ".proof.md"

    package let made: UnixSeconds
    /// The key that signs; nil where nobody does.
    package let key: ReportKeyID?
    /// The first instant of the entries that were asked for, by the time of writing; nil where no bound was given.
    package let from: UnixSeconds?
    /// The first instant after those entries; nil where no bound was given.
    package let to: UnixSeconds?
    /// The link that the first entry follows.
    package let before: ChainLink
    /// The link of the last entry; ``before`` where there is none.
    package let last: ChainLink
    package let head: ChainLink
    /// The entries of what went, oldest first.
    package let entries: [DeletionEntry]
    /// The first entry of the whole chain that does not follow from those before it; nil where it holds.
    package let broken: Int64?
    package let standing: RetentionStanding

    /// Creates a proof of the chain, or of its entries from the one instant on and before the other.
    package init(
        of standing: RetentionStanding, from: UnixSeconds?, to: UnixSeconds?, made: UnixSeconds, key: ReportKeyID?
    ) {
        let all = standing.entries
        // Places, not instants, make a stretch without gaps: a clock may have been set.
        let start = from.map { from in all.firstIndex { $0.taken >= from } ?? all.endIndex } ?? 0
        let end = to.map { to in (all.lastIndex { $0.taken < to } ?? -1) + 1 } ?? all.endIndex
        entries = Array(all[start..<max(start, end)])
        before = start > 0 ? all[start - 1].link : .none
        last = entries.last?.link ?? before
        head = all.last?.link ?? .none
        broken = DeletionEntry.firstBroken(in: all)
        self.made = made
        self.key = key
        self.from = from
        self.to = to
        self.standing = standing
    }

    /// The number of promises that should have been kept by now and are not.
    package var overdue: Int { standing.due.count { $0.isOverdue(at: made) } }

    /// The beginning of its files' names: `retention-20261126T060000Z`.
    package var stem: String { Self.stem(made: made) }

    static func stem(made: UnixSeconds) -> String {
        "retention-" + Instant.text(made).filter { $0 != "-" && $0 != ":" }
    }

    /// Its files, the document last: who sees that has all.
    package func files(signedWith key: ReportKey) throws -> ReportFiles {
        let page = ReportFile(name: stem + Self.pageEnding, contents: page)
        let document = ReportFile(
            name: stem + Self.documentEnding, contents: json(page: SHA256.hash(data: page.contents).lowerHex))
        let signature = ReportFile(
            name: stem + Self.signatureEnding, bytes: try key.signature(over: document.contents))
        return ReportFiles([page, signature, document])
    }
}
