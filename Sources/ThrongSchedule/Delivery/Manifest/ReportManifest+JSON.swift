internal import Foundation
package import ThrongPlan
internal import ThrongReport

extension ReportManifest {
    /// The manifest's file.
    package var json: String {
        var pairs: [(String, JSONText)] = [
            ("format", .string(Self.format)),
            ("report", .string(report)),
            ("partner", .string(partner)),
            ("app", .string(app)),
            (
                "period",
                .object([
                    ("kind", .string(period.kind)), ("label", .string(period.label)),
                    ("time_zone", .string(period.timeZone)), ("start", .string(Instant.text(period.start))),
                    ("end", .string(Instant.text(period.end))),
                ])
            ),
            ("plan", .string(plan)),
        ]
        if !losses.isEmpty { pairs.append(("losses", .array(losses.map(\.jsonText)))) }
        pairs += [
            (
                "insights",
                .array(
                    insights.map {
                        .object([
                            ("name", .string($0.name)), ("k", $0.k.map { .number($0) } ?? .null),
                            ("sampling", $0.sampling.map { .number($0) } ?? .null),
                            ("withheld_share", $0.withheldShare.map { .number($0) } ?? .null),
                        ])
                    })
            ),
            (
                "releases",
                .array(
                    releases.map {
                        .object([
                            ("metric", .string($0.metric)), ("digest", .string($0.digest)),
                            ("bucketing", .string($0.bucketing)),
                        ])
                    })
            ),
            (
                "files",
                .array(
                    files.map {
                        .object([
                            ("name", .string($0.name)), ("media_type", .string($0.mediaType)),
                            ("size", .number(String($0.size))), ("sha256", .string($0.sha256)),
                        ])
                    })
            ),
            ("delete_by", deleteBy.map { .string(Instant.text($0)) } ?? .null),
            ("signed_at", .string(Instant.text(signedAt))),
            ("key", .string(key.hex)),
        ]
        return JSONText.object(pairs).written() + "\n"
    }

    /// The parts of a manifest that a check needs.
    ///
    /// Read only what a signature vouches for.
    package struct Checked: Sendable, Hashable {
        /// The report.
        package let report: String
        /// The name of the partner who receives it.
        package let partner: String
        /// The name of the app whose crowd it is about.
        package let app: String
        /// The period that it covers, as file names have it.
        package let period: String
        /// The same as a period; nil where the manifest names no kind or instants that this program knows.
        package let covered: Period?
        /// The app's time zone.
        package let timeZone: String
        /// The files.
        package let files: [Entry]
        /// The time at which it was signed.
        package let signedAt: UnixSeconds
        /// The key that signed, as the manifest says.
        package let key: ReportKeyID

        /// Reads a manifest's file; nil where it has another format, or a shape that no manifest has.
        package init?(_ bytes: [UInt8]) {
            let file: File
            do {
                file = try JSONDecoder().decode(File.self, from: Data(bytes))
            } catch {
                return nil
            }
            guard file.format == ReportManifest.format, let signedAt = Instant.time(file.signed_at),
                Set(file.files.map(\.name)).count == file.files.count,
                file.files.allSatisfy({ ReportFile.isName($0.name) && $0.size >= 0 && $0.sha256.utf8.count == 64 })
            else { return nil }
            report = file.report
            partner = file.partner
            app = file.app
            period = file.period.label
            timeZone = file.period.time_zone
            if let kind = PeriodKind(rawValue: file.period.kind), let start = Instant.time(file.period.start),
                let end = Instant.time(file.period.end), start < end
            {
                covered = Period(kind: kind, start: start, end: end)
            } else {
                covered = nil
            }
            files = file.files.map {
                Entry(name: $0.name, mediaType: $0.media_type, size: $0.size, sha256: $0.sha256)
            }
            self.signedAt = signedAt
            key = ReportKeyID(hex: file.key)
        }
    }

    private struct File: Decodable {
        let format: String
        let report: String
        let partner: String
        let app: String
        let period: Covered
        let files: [Entry]
        let signed_at: String
        let key: String

        struct Covered: Decodable {
            let kind: String
            let label: String
            let time_zone: String
            let start: String
            let end: String
        }

        struct Entry: Decodable {
            let name: String
            let media_type: String
            let size: Int
            let sha256: String
        }
    }
}

extension ReportManifest.Loss {
    fileprivate var jsonText: JSONText {
        .object([
            ("from", .string(Instant.text(from))), ("until", .string(Instant.text(until))),
            ("slots", .number(String(slots))),
        ])
    }
}
