import ThrongJournal
import ThrongSchedule
import ThrongServer
import ThrongSystem

/// Bounds and paces that only tests change, to make something happen sooner or in less space.
///
/// Each is a variable of the environment alone, such as `THRONG_TEST_SCHEDULE_SECONDS`: no file, no help and no page
/// has it, and an operator has no use for it. The defaults are those of ``DaemonOptions``.
extension DaemonSettings {
    /// Those of the daemon.
    static let testNumbers: [NumberSetting<DaemonOptions>] = [
        .init(
            key: "test.intake-bodies-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 40, standard: 256 << 20,
            meaning: "memory for bodies that are still arriving, beyond which clients get 503",
            apply: { $0.bodiesBytes = $1 }),
        .init(
            key: "test.intake-request-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 30,
            meaning: "how long a request may take to arrive", apply: { $0.requestDeadline = .seconds($1) }),
        .init(
            key: "test.journal-segment-bytes", unit: "bytes", lowest: 1 << 16, highest: 1 << 30, standard: 64 << 20,
            meaning: "size at which a segment is closed", apply: { $0.journal.segmentBytes = $1 }),
        .init(
            key: "test.journal-queue-bytes", unit: "bytes", lowest: 1 << 16, highest: 1 << 30, standard: 32 << 20,
            meaning: "size of what waits for the disk beyond which clients get 503; twice as much is left free on it",
            apply: { $0.journal.queueBytes = $1 }),
        .init(
            key: "test.journal-checkpoint-bytes", unit: "bytes", lowest: 0, highest: 1 << 40, standard: 32 << 20,
            meaning: "after so much what is known of open windows is written down, for a quick start; 0 never does",
            apply: { $0.journal.checkpointBytes = $1 }),
        .init(
            key: "test.flush-most-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 60,
            meaning: "longest pause between two flushes: one is 20 times as long as the flush before it took",
            apply: { $0.longestFlushInterval = .seconds($1) }),
        .init(
            key: "test.schedule-seconds", unit: "seconds", lowest: 1, highest: 86_400, standard: 30,
            meaning: "pause between two looks at what is due", apply: { $0.scheduleInterval = .seconds($1) }),
        .init(
            key: "test.traces-percent", unit: "percent", lowest: 0, highest: 100, standard: 1,
            meaning: "of how many requests and writes of the journal spans are made; of flushes, releases, reports and "
                + "deliveries they always are",
            apply: { $0.traces.percent = $1 }),
    ]

    /// Those of deliveries, which `throng report make` reads, too.
    static let testReportNumbers: [NumberSetting<ReportSettings>] = [
        .init(
            key: "test.deliver-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 60,
            meaning: "how long a file may take to be sent", apply: { $0.delivery.fileSeconds = Int64($1) }),
        .init(
            key: "test.deliver-retry-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 30,
            meaning: "pause after a delivery's first try; each is twice the one before, up to an hour",
            apply: { $0.delivery.retrySeconds = Int64($1) }),
        .init(
            key: "test.deliver-tries", unit: "tries", lowest: 1, highest: 100, standard: 12,
            meaning: "when a delivery is given up", apply: { $0.delivery.tries = $1 }),
    ]

    static var testVariables: [String] {
        testNumbers.map(\.setting.variable) + testReportNumbers.map(\.setting.variable)
    }
}
