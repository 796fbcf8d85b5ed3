import Foundation
import ThrongPlan
import ThrongServer
import ThrongSystem

/// The results of a trial.
struct TrialSummary: Encodable {
    let devices: Int
    let days: Int
    /// The events of days that are over.
    let eventsCounted: Int
    let eventsRefused: Int
    let refusals: [String: Int]
    /// Yesterday's numbers.
    let cellsPublished: Int
    let cellsWithheld: Int
    /// The files of all reports.
    let reports: [String]
    /// The events that a daemon took over HTTP.
    var eventsAcknowledged: Int?
    /// The time until the reports were there.
    var seconds = 0

    /// Prints it.
    ///
    /// - Parameter keys: the file of the public keys that reports are signed by.
    func show(keys: String) {
        let listed = refusals.sorted { $0.key < $1.key }.map { "\(Terminal.grouped($0.value)) \($0.key)" }
            .joined(separator: ", ")
        Terminal.talk("")
        Terminal.data(
            Terminal.table(
                [
                    ("days", "\(days) of up to \(Terminal.grouped(devices)) devices, made up"),
                    ("events counted", Terminal.grouped(eventsCounted)),
                    ("events refused", Terminal.grouped(eventsRefused) + (listed.isEmpty ? "" : "  (\(listed))")),
                    ("numbers published", "\(Terminal.grouped(cellsPublished)) of yesterday"),
                    (
                        "numbers withheld",
                        Terminal.grouped(cellsWithheld) + "  (small groups and empty ones look the same)"
                    ),
                    ("time", "\(seconds) s"),
                ]))
        Terminal.data(
            """

            Your people will be others than this crowd: of what is close to k other numbers will be shown.

            Reports (made up):
            """)
        for path in reports where path.hasSuffix(".html") { Terminal.data("  \(path)") }
        let folders = Set(reports.map { ($0 as NSString).deletingLastPathComponent }).sorted()
        guard !folders.isEmpty else { return }
        Terminal.data("\nThey are signed. Check them as a partner would:")
        for folder in folders { Terminal.data("  throng verify \(folder) --key \(keys)") }
    }

    /// The reports as the page lists them: as they would be now, and as they were made.
    func pages(of plan: Plan) -> [TryoutReport] {
        // What is made of shorter periods is known once these are over.
        let ready = plan.reports.filter { report in
            report.insights.contains { name in
                plan.insight(name).flatMap { plan.metric($0.metric) }?.period == report.period
            }
        }
        let now = ready.map { report in
            TryoutReport(
                title: report.title, period: "as it would be if its \(report.period.rawValue) ended now",
                address: "/try/now/\(report.name)")
        }
        let made = reports.filter { $0.hasSuffix(".html") }.enumerated().map { place, path in
            TryoutReport(
                title: ((path as NSString).lastPathComponent as NSString).deletingPathExtension,
                period: "as it was made",
                address: "/try/made/\(place)")
        }
        return now + made.reversed()
    }
}
