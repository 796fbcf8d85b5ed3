internal import Foundation
internal import ThrongPlan
internal import ThrongReport

extension ReportManifest {
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
            do {
                self = try decoder.decode(Self.self, from: Data(bytes))
            } catch {
                return nil
            }
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

extension ReportManifest.Loss {
    fileprivate var jsonText: JSONText {
        .object([
            ("from", .string(Instant.text(from))), ("until", .string(Instant.text(until))),
            ("slots", .number(String(slots))),
        ])
    }
}
