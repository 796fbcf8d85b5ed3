import Crypto
import Foundation
import ThrongPlan
import ThrongReport
import ThrongStore
import ThrongSystem

struct ReportRecord: Encodable {
    let id: String
    let app: String
    let report: String
    let partner: String
    let period: String
    let outcome: String
    let tries: Int
    let startedAt: String
    let finishedAt: String?
    let detail: String?
    let deliveries: [DeliveryLine]

    struct DeliveryLine: Encodable {
        let target: String
        let state: String
        let tries: Int
        let files: Int
        let nextTryAt: String?
        let finishedAt: String?
        let lastError: String?
        let idempotencyKey: String
    }

    init(_ run: ReportRun, _ deliveries: [ReportDelivery]) {
        id = Self.id(of: run)
        app = run.app.text
        report = run.report.text
        partner = run.partner.text
        period = run.label ?? Terminal.instant(run.period.start)
        outcome = run.outcome.rawValue
        tries = run.attempt
        startedAt = Terminal.instant(run.startedAt)
        finishedAt = run.finishedAt.map(Terminal.instant)
        detail = run.detail
        self.deliveries = deliveries.map {
            DeliveryLine(
                target: $0.target, state: $0.state.rawValue, tries: $0.attempts, files: $0.files,
                nextTryAt: $0.state == .pending ? Terminal.instant($0.nextAt) : nil,
                finishedAt: $0.finishedAt.map(Terminal.instant), lastError: $0.lastError,
                idempotencyKey: $0.idempotencyKey.lowerHex)
        }
    }

    /// Returns the name of a run in commands: its files' name without the ending.
    static func id(of run: ReportRun) -> String {
        ReportFile.stem(report: run.report.text, period: run.label ?? Terminal.instant(run.period.start))
    }

    /// The only run that a text names: `REPORT-PERIOD`, with several apps `APP/REPORT-PERIOD`.
    static func find(_ text: String, in store: RunStore) async throws -> ReportRun {
        let runs = try await store.runs().filter { id(of: $0) == text || "\($0.app)/\(id(of: $0))" == text }
        guard let run = runs.first else {
            throw CommandFailure("There is no run '\(text)'; `throng report show` lists them.")
        }
        guard runs.count == 1 else {
            let names = runs.map { "\($0.app)/\(id(of: $0))" }.joined(separator: ", ")
            throw CommandFailure("'\(text)' may be any of \(names). Write one of these.")
        }
        return run
    }
}
