internal import Foundation
internal import ThrongPlan
internal import ThrongReport
package import ThrongStore
internal import ThrongWire

extension RetentionProof {
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
            do {
                file = try JSONDecoder().decode(File.self, from: Data(bytes))
            } catch {
                return nil
            }
            guard file.format == RetentionProof.format, let made = Instant.time(file.made_at),
                let before = file.chain.before.link, let last = file.chain.last.link, let head = file.chain.head.link
            else { return nil }
            let entries = file.entries.compactMap(\.entry)
            guard entries.count == file.entries.count else { return nil }
            self.made = made
            key = file.key.map { ReportKeyID(hex: $0) }
            page = file.page
            isOpen = file.stretch.to == nil
            holds = file.chain.holds
            self.before = before
            self.last = last
            self.head = head
            self.entries = entries
            overdue = file.overdue
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
