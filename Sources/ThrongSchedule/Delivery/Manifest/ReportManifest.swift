// REPORT-PERIOD.manifest.json is JSON in UTF-8 with its keys in the order below, two spaces a level and one newline at
// the end. REPORT-PERIOD.manifest.sig beside it is the 64 bytes of an Ed25519 signature (RFC 8032) over all bytes of
// the manifest's file. Schema/manifest.schema.json describes the keys.

internal import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongRelease
package import ThrongReport

/// The description of a report's files: what they were made from, under which rules, and what their bytes are.
package struct ReportManifest: Sendable, Hashable {
    package static let format = "throng-manifest/1"

    package let report: String
    package let partner: String
    package let app: String
    package let period: Covered
    /// SHA-256 of the plan in force, in hexadecimal.
    package let plan: String
    /// The data that may be missing because a daemon was lost with its data.
    package let losses: [Loss]
    package let insights: [Ground]
    package let releases: [Source]
    /// The files, in the order in which they are delivered.
    package let files: [Entry]
    /// The time at which copies are to be deleted: the first number's end; nil where nobody said.
    package let deleteBy: UnixSeconds?
    package let signedAt: UnixSeconds
    package let key: ReportKeyID

    package struct Covered: Sendable, Hashable {
        package let kind: String
        package let label: String
        package let timeZone: String
        package let start: UnixSeconds
        /// First second after it.
        package let end: UnixSeconds
    }

    /// The data that a lost daemon may have taken with it.
    package struct Loss: Sendable, Hashable {
        /// Events that it acknowledged from here on may be missing, and identifiers of windows that were open here.
        package let from: UnixSeconds
        /// Others counted in its place from here on.
        package let until: UnixSeconds
        /// The number of slots that it counted, of the 256 slots of identifiers.
        package let slots: Int
    }

    /// The basis of an insight's numbers; texts are decimals.
    package struct Ground: Sendable, Hashable {
        package let name: String
        /// Devices that each number stands for; nil where nothing was released.
        package let k: String?
        /// Share of events that clients send; nil where nothing was released.
        package let sampling: String?
        /// Share of the whole that the published rows leave out; nil where it is unknown.
        package let withheldShare: String?
    }

    package struct Source: Sendable, Hashable {
        package let metric: String
        package let digest: String
        /// SHA-256 of the cells' meaning: dimensions, buckets, and the rule and version of each bucketing.
        package let bucketing: String
    }

    package struct Entry: Sendable, Hashable, Decodable {
        /// Its name without a folder.
        package let name: String
        package let mediaType: String
        /// Unit: bytes.
        package let size: Int
        package let sha256: String
    }

    package init(
        of document: ReportDocument, files: ReportFiles, losses: [Loss], signedAt: UnixSeconds, key: ReportKeyID
    ) {
        report = document.name.text
        partner = document.partner.name.text
        app = document.app.name.text
        period = Covered(
            kind: document.period.kind.rawValue, label: document.periodLabel, timeZone: document.app.timeZone,
            start: document.period.start, end: document.period.end)
        plan = document.plan.hex
        self.losses = losses
        insights = document.answers.map { answer in
            Ground(
                name: answer.insight.name.text, k: answer.answered?.basis.kText,
                sampling: answer.answered?.basis.samplingText,
                withheldShare: (answer.answered?.table.rest?.share).map { "\($0)" })
        }
        releases = document.sources.map {
            Source(metric: $0.metric.text, digest: $0.digest.hex, bucketing: $0.layout.description)
        }
        self.files = files.all.map {
            Entry(
                name: $0.name, mediaType: $0.mediaType, size: $0.contents.count,
                sha256: SHA256.hash(data: $0.contents).lowerHex)
        }
        deleteBy = document.deleteBy
        self.signedAt = signedAt
        self.key = key
    }

    package var json: String {
        let grounds: [JSONText] = insights.map {
            [
                "name": .string($0.name), "k": .digits($0.k), "sampling": .digits($0.sampling),
                "withheld_share": .digits($0.withheldShare),
            ]
        }
        let sources: [JSONText] = releases.map {
            ["metric": .string($0.metric), "digest": .string($0.digest), "bucketing": .string($0.bucketing)]
        }
        let entries: [JSONText] = files.map {
            [
                "name": .string($0.name), "media_type": .string($0.mediaType), "size": .digits($0.size),
                "sha256": .string($0.sha256),
            ]
        }
        let lost: [JSONText] = losses.map {
            ["from": .instant($0.from), "until": .instant($0.until), "slots": .digits($0.slots)]
        }
        let text: JSONText = [
            "format": .string(Self.format), "report": .string(report), "partner": .string(partner), "app": .string(app),
            "period": [
                "kind": .string(period.kind), "label": .string(period.label), "time_zone": .string(period.timeZone),
                "start": .instant(period.start), "end": .instant(period.end),
            ], "plan": .string(plan), "losses": lost.isEmpty ? nil : .array(lost), "insights": .array(grounds),
            "releases": .array(sources), "files": .array(entries), "delete_by": .instant(deleteBy),
            "signed_at": .instant(signedAt), "key": .string(key.hex),
        ]
        return text.written() + "\n"
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
        let manifest = ReportManifest(of: document, files: self, losses: losses, signedAt: now, key: key.publicKey.id)
        let name = ReportFile.stem(report: document.name.text, period: document.periodLabel)
        let file = ReportFile(name: name + ReportFile.manifestEnding, contents: manifest.json)
        let signature = ReportFile(
            name: name + ReportFile.signatureEnding, bytes: try key.signature(over: file.contents))
        return ReportFiles(all + [signature, file])
    }
}

extension JSONText { static func instant(_ time: UnixSeconds?) -> JSONText { .text(time.map(Instant.text)) } }
