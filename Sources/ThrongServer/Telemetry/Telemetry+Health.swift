internal import ThrongInsight
internal import ThrongPortal
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongWire

extension Telemetry {
    /// The daemon's health for its operator's page.
    func health(_ gauges: Gauges, journalCap: Int) -> DaemonHealth {
        let counts = snapshot
        let schedule = schedule.snapshot
        let isBehind = gauges.journalLag > 0 && !counts.isDatabaseUp
        let meanFlush = counts.flushes == 0 ? 0 : counts.flushSeconds / Double(counts.flushes) * 1000
        return DaemonHealth(
            panels: [
                .init(
                    title: "Intake",
                    facts: [
                        .init("Batches since the start", Self.grouped(counts.batches.reduce(0, +))),
                        .init("Events counted", Self.grouped(counts.acceptedEvents)),
                        .init("Events refused", Self.grouped(counts.refusedEvents.values.reduce(0, +))),
                        .init(
                            "Turned away for now", Self.grouped(counts.batches[BatchOutcome.overloaded.rawValue]),
                            isAlarm: counts.batches[BatchOutcome.overloaded.rawValue] > 0),
                        .init("Opted out", Self.grouped(counts.batches[BatchOutcome.optedOut.rawValue])),
                    ]),
                .init(
                    title: "Journal",
                    facts: [
                        .init("On disk", Self.size(gauges.journalBytes)),
                        .init(
                            "Batches that PostgreSQL lacks", Self.grouped(Int(clamping: gauges.journalLag)),
                            isAlarm: isBehind),
                        .init("Kept in case PostgreSQL loses it", Self.size(counts.keptBytes)),
                        .init("May grow to", Self.size(journalCap)),
                    ]),
                .init(
                    title: "PostgreSQL",
                    facts: [
                        .init("Answers", counts.isDatabaseUp ? "yes" : "no", isAlarm: !counts.isDatabaseUp),
                        .init("Flushes", Self.grouped(counts.flushes)),
                        .init("A flush takes", "\(Int(meanFlush.rounded())) ms"),
                        .init("Flushes that failed and were repeated", Self.grouped(counts.flushFailures)),
                        .init(
                            "Times that it had lost flushes", Self.grouped(counts.setBacks),
                            isAlarm: counts.setBacks > 0),
                    ]),
                .init(
                    title: "Memory",
                    facts: [
                        .init("Identifiers' cells in open windows", Self.grouped(gauges.openPairs)),
                        .init("Counters to flush", Self.grouped(gauges.pendingCells)),
                        .init(
                            "Counters at their bounds", Self.grouped(gauges.saturations),
                            isAlarm: gauges.saturations > 0),
                        .init(
                            "The time of day is believed", schedule.isClockDoubted ? "no" : "yes",
                            isAlarm: schedule.isClockDoubted),
                        .init(
                            "Releases and reports that failed", Self.grouped(schedule.failures),
                            isAlarm: schedule.failures > 0),
                    ]),
            ],
            refusals: (counts.refusedEvents.map { ($0.key.rawValue, $0.value) }
                + counts.refusedBatches.map { ("\($0.key) (whole batch)", $0.value) })
                .filter { $0.1 > 0 }.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 })
    }

    private static func grouped(_ number: Int) -> String { Decimals(whole: number).grouped }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<10_000: "\(grouped(bytes)) B"
        case ..<10_000_000: "\(grouped(bytes / 1000)) kB"
        case ..<10_000_000_000: "\(grouped(bytes / 1_000_000)) MB"
        default: "\(grouped(bytes / 1_000_000_000)) GB"
        }
    }
}
