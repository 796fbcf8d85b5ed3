package import ThrongPlan
internal import ThrongReport

/// The periods of one report for which a folder has good manifests.
///
/// A period that is not among them may have been left out, or was never reported: no signature tells.
package struct ReportSeries: Sendable, Hashable, Encodable {
    package let report: String
    package let app: String
    package let partner: String
    package let kind: PeriodKind
    /// The first period, as file names have it.
    package let first: String
    package let last: String
    /// The number of periods that are there.
    package let count: Int
    /// The periods between the first and the last that are not there, in order; the first ``most`` of them.
    package let missing: [String]
    package let missingCount: Int

    package static let most = 20
    /// The most periods that are looked at: a hundred years of hours.
    private static let longest = 880_000

    /// Everything about it in sentences: "8 days, from 2026-11-16 to 2026-11-24; 2026-11-18 is not among them".
    package var finding: String {
        guard count > 1 else { return "one \(kind.rawValue), \(first)" }
        let span = "\(Wording.english.count(count, kind.rawValue)), from \(first) to \(last)"
        guard missingCount > 0 else { return span + ", none missing in between" }
        let more = missingCount - missing.count
        let names = more > 0 ? missing + ["\(more) more"] : missing
        return span + "; \(names.listed) \(missingCount == 1 ? "is" : "are") not among them"
    }

    /// The series that manifests make, by report and partner; whose period can't be read is in none.
    static func all(of manifests: [ReportManifest.Checked]) -> [ReportSeries] {
        struct Name: Hashable {
            let report: String
            let app: String
            let partner: String
            let kind: PeriodKind
            let timeZone: String
            var order: [String] { [app, report, partner, kind.rawValue, timeZone] }
        }
        var periods: [Name: Set<Period>] = [:]
        for manifest in manifests {
            guard let period = manifest.period else { continue }
            let name = Name(
                report: manifest.report, app: manifest.app, partner: manifest.partner, kind: period.kind,
                timeZone: manifest.timeZone)
            periods[name, default: []].insert(period)
        }
        return periods.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }.compactMap { name, periods in
            guard let calendar = PeriodCalendar(timeZone: name.timeZone), let first = periods.min(),
                let last = periods.max()
            else { return nil }
            var missing: [String] = []
            var missingCount = 0
            var next = first
            for _ in 0..<longest where next.start < last.start {
                next = calendar.period(name.kind, containing: next.end)
                guard next.start < last.start, !periods.contains(next) else { continue }
                missingCount += 1
                if missing.count < most { missing.append(calendar.label(of: next)) }
            }
            return ReportSeries(
                report: name.report, app: name.app, partner: name.partner, kind: name.kind,
                first: calendar.label(of: first), last: calendar.label(of: last), count: periods.count,
                missing: missing, missingCount: missingCount)
        }
    }
}
