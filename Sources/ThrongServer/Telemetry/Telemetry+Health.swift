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
        let late = schedule.retentionOverdue.values.reduce(0, +)
        let isBehind = gauges.journalLag > 0 && !counts.isDatabaseUp
        let meanFlush = counts.flushes == 0 ? 0 : counts.flushSeconds / Double(counts.flushes) * 1000
        return DaemonHealth(
            panels: [
                .init(
                    title: "Intake",
                    facts: [
                        .init("Batches since the start", Wording.english.number(counts.batches.reduce(0, +))),
                        .init("Events counted", Wording.english.number(counts.acceptedEvents)),
                        .init("Events refused", Wording.english.number(counts.refusedEvents.values.reduce(0, +))),
                        .init(
                            "Turned away for now",
                            Wording.english.number(counts.batches[BatchOutcome.overloaded.rawValue]),
                            isAlarm: counts.batches[BatchOutcome.overloaded.rawValue] > 0),
                        .init("Opted out", Wording.english.number(counts.batches[BatchOutcome.optedOut.rawValue])),
                    ]),
                .init(
                    title: "Journal",
                    facts: [
                        .init("On disk", Wording.english.size(gauges.journalBytes)),
                        .init(
                            "Batches that PostgreSQL lacks", Wording.english.number(Int(clamping: gauges.journalLag)),
                            isAlarm: isBehind),
                        .init("Kept in case PostgreSQL loses it", Wording.english.size(counts.keptBytes)),
                        .init("May grow to", Wording.english.size(journalCap)),
                    ]),
                .init(
                    title: "PostgreSQL",
                    facts: [
                        .init("Answers", counts.isDatabaseUp ? "yes" : "no", isAlarm: !counts.isDatabaseUp),
                        .init("Flushes", Wording.english.number(counts.flushes)),
                        .init("A flush takes", "\(Wording.english.number(Int(meanFlush.rounded()))) ms"),
                        .init("Flushes that failed and were repeated", Wording.english.number(counts.flushFailures)),
                        .init(
                            "Times that it had lost flushes", Wording.english.number(counts.setBacks),
                            isAlarm: counts.setBacks > 0),
                    ]),
                .init(
                    title: "Memory",
                    facts: [
                        .init("Identifiers' cells in open windows", Wording.english.number(gauges.openPairs)),
                        .init("Counters to flush", Wording.english.number(gauges.pendingCells)),
                        .init(
                            "Counters at their bounds", Wording.english.number(gauges.saturations),
                            isAlarm: gauges.saturations > 0),
                        .init(
                            "The time of day is believed", schedule.isClockDoubted ? "no" : "yes",
                            isAlarm: schedule.isClockDoubted),
                        .init(
                            "Releases and reports that failed", Wording.english.number(schedule.failures),
                            isAlarm: schedule.failures > 0),
                        .init(
                            "Steps of age that are overdue", Wording.english.number(late), isAlarm: late > 0),
                    ]),
            ],
            refusals: (counts.refusedEvents.map { ($0.key.rawValue, $0.value) }
                + counts.refusedBatches.map { ("\($0.key) (whole batch)", $0.value) })
                .filter { $0.1 > 0 }.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 })
    }

}
