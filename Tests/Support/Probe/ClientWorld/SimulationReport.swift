import ThrongClient
import ThrongWire

/// Whether the daemon knows what is true, in words.
package struct SimulationReport: Sendable {
    package let text: String
    package let isEqual: Bool
}

extension Simulation {
    /// Compares what the daemon counted with the truth, to the last device.
    package func compare(_ outcome: Outcome) -> SimulationReport {
        let firsts = daemon.firsts
        let cells = daemon.cells
        let isReachEqual = firsts == outcome.truth.reach.filter { $1 != 0 }
        let isCountEqual = cells == outcome.truth.cells.filter { $1 != 0 }
        func numbers(_ kind: PeriodKind) -> String {
            let totals = outcome.truth.reach.filter { $0.key.kind == kind && $0.key.labels.isEmpty }
            return "\(totals.count) \(kind.rawValue)s, reach \(totals.values.min() ?? 0) to \(totals.values.max() ?? 0)"
        }
        func total(_ metric: String) -> Int64 {
            outcome.truth.cells.reduce(0) { $0 + ($1.key.metric == metric ? $1.value : 0) }
        }
        var lines = [
            """
            \(outcome.devices) devices, \(outcome.installations) installations, \(outcome.withdrawals) withdrawals, \
            \(outcome.leavers) leave for good
            """,
            "\(outcome.takenBack) recipes and answers taken back by withdrawals",
            "\(outcome.flushes) flushes, \(outcome.failedFlushes) of them failed at first",
            "\(total("recipes")) recipes, \(total("returns")) answers on retention, \(total("weekly_use")) on frequency",
            "\(outcome.unanswered) weeks of devices that never came back, without an answer on frequency",
            numbers(.day), numbers(.week), numbers(.month),
            "\(outcome.truth.reach.count) numbers of reach: \(isReachEqual ? "all equal" : "DIFFERENT")",
            "\(outcome.truth.cells.count) counters: \(isCountEqual ? "all equal" : "DIFFERENT")",
            "refused by the daemon: \(daemon.refusals)",
        ]
        for first in Set(firsts.keys).union(outcome.truth.reach.keys)
        where firsts[first, default: 0] != outcome.truth.reach[first, default: 0] && lines.count < 30 {
            lines.append("\(first): \(firsts[first] ?? 0) instead of \(outcome.truth.reach[first] ?? 0)")
        }
        for cell in Set(cells.keys).union(outcome.truth.cells.keys)
        where cells[cell, default: 0] != outcome.truth.cells[cell, default: 0] && lines.count < 50 {
            lines.append("\(cell): \(cells[cell] ?? 0) instead of \(outcome.truth.cells[cell] ?? 0)")
        }
        return SimulationReport(text: lines.joined(separator: "\n"), isEqual: isReachEqual && isCountEqual)
    }
}
