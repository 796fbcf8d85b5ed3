// REPORT-PERIOD.manifest.json is JSON in UTF-8 with its keys in the order below, two spaces a level and one newline at
// the end. REPORT-PERIOD.manifest.sig beside it is the 64 bytes of an Ed25519 signature (RFC 8032) over all bytes of
// the manifest's file. Schema/manifest.schema.json describes the keys.

internal import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongRelease
package import ThrongReport

/// The description of a report's files: what they were made from, under which rules, and what their bytes are.
package enum ReportManifest {
    package static let format = "throng-manifest/1"

    /// The data that a lost daemon may have taken with it.
    package struct Loss: Sendable, Hashable {
        /// Events that it acknowledged from here on may be missing, and identifiers of windows that were open here.
        package let from: UnixSeconds
        /// Others counted in its place from here on.
        package let until: UnixSeconds
        /// The number of slots that it counted, of the 256 slots of identifiers.
        package let slots: Int
    }

    /// The manifest of a document's files, in the order in which they are delivered.
    static func json(
        of document: ReportDocument, _ files: [ReportFile], losses: [Loss], signedAt: UnixSeconds, key: ReportKeyID
    ) -> String {
        let period = document.period
        // Texts of numbers are decimals; there are none where nothing was released, and no share that is unknown.
        let grounds = document.answers.map { answer -> JSONText in
            [
                "name": .string(answer.insight.name.text), "k": .digits(answer.answered?.basis.kText),
                "sampling": .digits(answer.answered?.basis.samplingText),
                "withheld_share": .digits(answer.answered?.table.rest?.share),
            ]
        }
        // The bucketing is SHA-256 of the cells' meaning: dimensions, buckets, and the rule and version of each bucketing.
        let sources = document.sources.map { source -> JSONText in
            [
                "metric": .string(source.metric.text), "digest": .string(source.digest.hex),
                "bucketing": .string(source.layout.description),
            ]
        }
        let entries = files.map { file -> JSONText in
            [
                "name": .string(file.name), "media_type": .string(file.mediaType), "size": .digits(file.contents.count),
                "sha256": .string(SHA256.hash(data: file.contents).lowerHex),
            ]
        }
        let lost: [JSONText] = losses.map {
            ["from": .instant($0.from), "until": .instant($0.until), "slots": .digits($0.slots)]
        }
        let text: JSONText = [
            "format": .string(format), "report": .string(document.name.text),
            "partner": .string(document.partner.name.text), "app": .string(document.app.name.text),
            "period": [
                "kind": .string(period.kind.rawValue), "label": .string(document.periodLabel),
                "time_zone": .string(document.app.timeZone), "start": .instant(period.start),
                "end": .instant(period.end),
            ], "plan": .string(document.plan.hex), "losses": lost.isEmpty ? nil : .array(lost),
            "insights": .array(grounds), "releases": .array(sources), "files": .array(entries),
            "delete_by": .instant(document.deleteBy), "signed_at": .instant(signedAt), "key": .string(key.hex),
        ]
        return text.written() + "\n"
    }

    package struct Entry: Sendable, Hashable, Decodable {
        /// Its name without a folder.
        package let name: String
        package let mediaType: String
        /// Unit: bytes.
        package let size: Int
        package let sha256: String
    }

    /// The parts of a manifest that a check needs. Read only what a signature vouches for.
    package struct Checked: Sendable, Hashable, Decodable {
        private let format: String
        package let report: String
        let partner: String
        let app: String
        private let covered: Written
        package let files: [Entry]
        private let signed: String
        private let keyID: String

        private struct Written: Hashable, Decodable {
            let kind: String
            let label: String
            let timeZone: String
            let start: String
            let end: String
        }

        private enum CodingKeys: String, CodingKey {
            case format, report, partner, app, files
            case covered = "period"
            case signed = "signedAt"
            case keyID = "key"
        }

        /// Reads a manifest's file; nil where it has another format, or a shape that no manifest has.
        package init?(_ bytes: [UInt8]) {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            do { self = try decoder.decode(Self.self, from: Data(bytes)) } catch { return nil }
            guard format == ReportManifest.format, Instant.time(signed) != nil,
                Set(files.map(\.name)).count == files.count,
                files.allSatisfy({ ReportFile.isName($0.name) && $0.size >= 0 && $0.sha256.utf8.count == 64 })
            else { return nil }
        }

        var signedAt: UnixSeconds { Instant.time(signed) ?? .min }
        var key: ReportKeyID { ReportKeyID(hex: keyID) }
        var timeZone: String { covered.timeZone }
        var label: String { covered.label }
        /// The same as a period; nil where the manifest names no kind or instants that this program knows.
        var period: Period? {
            guard let kind = PeriodKind(rawValue: covered.kind), let start = Instant.time(covered.start),
                let end = Instant.time(covered.end), start < end
            else { return nil }
            return Period(kind: kind, start: start, end: end)
        }
    }
}

extension ReportFiles {
    /// These files with their manifest's signature and, last, their manifest: who sees the manifest has everything.
    package func signed(
        as document: ReportDocument, with key: ReportKey, losses: [ReportManifest.Loss] = [], now: UnixSeconds
    ) throws -> ReportFiles {
        let manifest = ReportManifest.json(of: document, all, losses: losses, signedAt: now, key: key.publicKey.id)
        let name = ReportFile.stem(report: document.name.text, period: document.periodLabel)
        let file = ReportFile(name: name + ReportFile.manifestEnding, contents: manifest)
        let signature = ReportFile(
            name: name + ReportFile.signatureEnding, bytes: try key.signature(over: file.contents))
        return ReportFiles(all + [signature, file])
    }
}

extension JSONText { static func instant(_ time: UnixSeconds?) -> JSONText { .text(time.map(Instant.text)) } }
