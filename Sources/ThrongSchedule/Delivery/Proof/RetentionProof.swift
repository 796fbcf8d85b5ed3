// retention-TIME.proof.json is JSON in UTF-8 with its keys in the order below, two spaces a level and one newline at
// the end. retention-TIME.proof.sig beside it is the 64 bytes of an Ed25519 signature (RFC 8032) over all bytes of
// that file. retention-TIME.proof.md says the same for people; its SHA-256 is in the JSON.
// Schema/retention_proof.schema.json describes the keys.

internal import Crypto
internal import Foundation
package import ThrongPlan
package import ThrongReport
package import ThrongStore

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
        (self.made, self.key, self.from, self.to, self.standing) = (made, key, from, to, standing)
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
        let signature = ReportFile(name: stem + Self.signatureEnding, bytes: try key.signature(over: document.contents))
        return ReportFiles([page, signature, document])
    }
}

extension RetentionProof {
    /// The document, with SHA-256 of the page that goes with it, in hexadecimal; nil where none does.
    package func json(page: String?) -> String {
        let promises: [JSONText] = standing.promises.map {
            [
                "app": .string($0.app.text), "metric": .string($0.metric.text), "until": .instant($0.until),
                "steps": .array($0.steps.map { .string($0) }), "explanation": .text($0.explanation),
                "recipients": $0.recipients.map { .array($0.map { .string($0.text) }) } ?? .null,
            ]
        }
        let due: [JSONText] = standing.due.map {
            [
                "app": .string($0.app.text), "metric": .string($0.metric.text), "term": .string($0.term),
                "at": .instant($0.at), "releases": .digits($0.releases), "overdue": .boolean($0.isOverdue(at: made)),
            ]
        }
        let held: [JSONText] = standing.held.map {
            [
                "app": .string($0.app), "kind": .string($0.kind), "subject": .string($0.subject),
                "rows": .digits($0.rows), "from": .instant($0.period?.lowerBound),
                "to": .instant($0.period?.upperBound), "due": .instant($0.due),
            ]
        }
        let text: JSONText = [
            "format": .string(Self.format), "made_at": .instant(made), "key": .text(key?.hex), "page": .text(page),
            "stretch": ["from": .instant(from), "to": .instant(to)],
            "chain": [
                "holds": .boolean(broken == nil), "broken_at": .digits(broken), "before": Self.link(before),
                "last": Self.link(last), "head": Self.link(head),
            ], "entries": .array(entries.map(Self.entry)), "promises": .array(promises), "overdue": .digits(overdue),
            "due": .array(due), "held": .array(held),
        ]
        return text.written() + "\n"
    }

    private static func entry(_ entry: DeletionEntry) -> JSONText {
        [
            "place": .digits(entry.place), "at": .instant(entry.taken), "app": .string(entry.app),
            "kind": .string(entry.kind), "subject": .string(entry.subject), "term": .string(entry.term),
            "from": .instant(entry.period?.lowerBound), "to": .instant(entry.period?.upperBound),
            "rows": .digits(entry.rows), "digest": .string(entry.digest.lowerHex),
        ]
    }

    private static func link(_ link: ChainLink) -> JSONText {
        ["place": .digits(link.place), "digest": .string(link.digest.lowerHex)]
    }

    /// The parts of a proof that a check needs.
    struct Checked {
        let made: UnixSeconds
        let key: ReportKeyID?
        /// SHA-256 of the page, in hexadecimal.
        let page: String?
        /// True if it was to go on to the end of the chain.
        let isOpen: Bool
        let holds: Bool
        let before: ChainLink
        let last: ChainLink
        let head: ChainLink
        let entries: [DeletionEntry]
        let overdue: Int

        /// Reads a document; nil where it has another format, or a shape that no proof has.
        init?(_ bytes: [UInt8]) {
            let file: File
            do { file = try JSONDecoder().decode(File.self, from: Data(bytes)) } catch { return nil }
            guard file.format == RetentionProof.format, let made = Instant.time(file.made_at),
                let before = file.chain.before.link, let last = file.chain.last.link, let head = file.chain.head.link
            else { return nil }
            let entries = file.entries.compactMap(\.entry)
            guard entries.count == file.entries.count else { return nil }
            (self.made, key, page) = (made, file.key.map { ReportKeyID(hex: $0) }, file.page)
            (isOpen, holds) = (file.stretch.to == nil, file.chain.holds)
            (self.before, self.last, self.head) = (before, last, head)
            (self.entries, overdue) = (entries, file.overdue)
        }
    }

    private struct File: Decodable {
        let format: String
        let made_at: String
        let key: String?
        let page: String?
        let stretch: Stretch
        let chain: Chain
        let entries: [LedgerLine]
        let overdue: Int

        struct Stretch: Decodable {
            let from: String?
            let to: String?
        }

        struct Chain: Decodable {
            let holds: Bool
            let before: Link
            let last: Link
            let head: Link
        }

        struct Link: Decodable {
            let place: Int64
            let digest: String

            var link: ChainLink? {
                guard place >= 0, let digest = [UInt8](sha256: digest) else { return nil }
                return ChainLink(place: place, digest: digest)
            }
        }
    }
}

/// An entry of the ledger of deletions, as JSON has it.
package struct LedgerLine: Codable {
    let place: Int64
    let at: String
    let app: String
    let kind: String
    let subject: String
    let term: String
    let from: String?
    let to: String?
    let rows: Int64
    let digest: String

    package init(_ entry: DeletionEntry) {
        (place, at, app, kind) = (entry.place, Instant.text(entry.taken), entry.app, entry.kind)
        (subject, term, rows, digest) = (entry.subject, entry.term, entry.rows, entry.digest.lowerHex)
        from = entry.period.map { Instant.text($0.lowerBound) }
        to = entry.period.map { Instant.text($0.upperBound) }
    }

    fileprivate var entry: DeletionEntry? {
        guard let taken = Instant.time(at), let digest = [UInt8](sha256: digest), (from == nil) == (to == nil),
            Instant.isReadable(from), Instant.isReadable(to)
        else { return nil }
        let (start, end) = (from.flatMap(Instant.time), to.flatMap(Instant.time))
        return DeletionEntry(
            place: place, taken: taken, app: app, kind: kind, subject: subject, term: term,
            period: start.flatMap { start in end.map { start..<max(start, $0) } }, rows: rows, digest: digest)
    }
}

extension [UInt8] {
    /// The 32 bytes of 64 lower-case hexadecimal digits; nil for any other text.
    fileprivate init?(sha256 text: String) {
        guard let bytes = [UInt8](hex: text), bytes.count == 32, bytes.lowerHex == text else { return nil }
        self = bytes
    }
}
