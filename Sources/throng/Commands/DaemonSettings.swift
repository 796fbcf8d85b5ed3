import ArgumentParser
import Configuration
import ThrongFaults
import ThrongIntake
import ThrongJournal
import ThrongServer

/// The settings of `throng serve` that have no option, read once from the environment.
enum DaemonSettings {
    private struct Setting: Sendable {
        let key: String
        let unit: String
        let lowest: Int
        let highest: Int
        let standard: Int
        let meaning: String
        let apply: @Sendable (inout DaemonOptions, Int) -> Void

        /// THRONG_INTAKE_BODY_BYTES for intake.body-bytes.
        var variable: String {
            "THRONG_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
        }
    }

    private static let all: [Setting] = [
        Setting(
            key: "intake.body-bytes", unit: "bytes", lowest: 1024, highest: 64 << 20, standard: 1 << 20,
            meaning: "largest body, unpacked", apply: { $0.limits.bodyBytes = $1 }),
        Setting(
            key: "intake.bodies-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 40, standard: 256 << 20,
            meaning: "memory for bodies that are still arriving, beyond which clients get 503",
            apply: { $0.bodiesBytes = $1 }),
        Setting(
            key: "intake.events-per-batch", unit: "events", lowest: 1, highest: 100_000, standard: 1000,
            meaning: "most events of a batch", apply: { $0.limits.eventsPerBatch = $1 }),
        Setting(
            key: "intake.string-bytes", unit: "bytes", lowest: 64, highest: 1 << 20, standard: 2048,
            meaning: "longest string", apply: { $0.limits.stringBytes = $1 }),
        Setting(
            key: "intake.depth", unit: "levels", lowest: 4, highest: 64, standard: 8,
            meaning: "deepest nesting", apply: { $0.limits.depth = $1 }),
        Setting(
            key: "intake.count-per-event", unit: "occurrences", lowest: 1, highest: 1_000_000, standard: 1_000_000,
            meaning: "largest count of one event", apply: { $0.limits.countPerEvent = $1 }),
        Setting(
            key: "intake.request-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 30,
            meaning: "how long a request may take to arrive", apply: { $0.requestDeadline = .seconds($1) }),
        Setting(
            key: "intake.idle-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 75,
            meaning: "how long a connection may say nothing", apply: { $0.idleTimeout = .seconds($1) }),
        Setting(
            key: "journal.cap-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 50, standard: 4 << 30,
            meaning: "size of what PostgreSQL lacks beyond which clients get 503", apply: { $0.journal.capBytes = $1 }),
        Setting(
            key: "journal.segment-bytes", unit: "bytes", lowest: 1 << 16, highest: 1 << 30, standard: 64 << 20,
            meaning: "size at which a segment is closed", apply: { $0.journal.segmentBytes = $1 }),
        Setting(
            key: "journal.queue-bytes", unit: "bytes", lowest: 1 << 16, highest: 1 << 30, standard: 32 << 20,
            meaning: "size of what waits for the disk beyond which clients get 503; twice as much is left free on it",
            apply: { $0.journal.queueBytes = $1 }),
        Setting(
            key: "flush.seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 1,
            meaning: "shortest pause between two flushes into PostgreSQL", apply: { $0.flushInterval = .seconds($1) }),
        Setting(
            key: "flush.most-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 60,
            meaning: "longest such pause: one is 15 times as long as the flush before it took",
            apply: { $0.longestFlushInterval = .seconds($1) }),
        Setting(
            key: "flush.keep-minutes", unit: "minutes", lowest: 0, highest: 43_200, standard: 60,
            meaning: "how long what PostgreSQL got is kept, in case it loses it; 0 keeps nothing",
            apply: { $0.kept.seconds = Int64($1) * 60 }),
        Setting(
            key: "flush.keep-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 40, standard: 1 << 30,
            meaning: "how large that may grow before the oldest goes", apply: { $0.kept.capBytes = $1 }),
        Setting(
            key: "schedule.seconds", unit: "seconds", lowest: 1, highest: 86_400, standard: 30,
            meaning: "pause between two looks at what is due", apply: { $0.scheduleInterval = .seconds($1) }),
    ]

    /// The one setting that is no number.
    private static let origins = "THRONG_INTAKE_ORIGINS"

    /// One line a setting, for the manual.
    static var help: String {
        let numbers = all.map { "  \($0.variable) (int, \($0.standard), \($0.unit))\n      \($0.meaning)" }
        let text = """
              \(origins) (text, *)
                  origins whose web pages may send events, such as "https://shop.example https://www.shop.example"
            """
        return (numbers + [text]).joined(separator: "\n")
    }

    /// Takes the settings over.
    ///
    /// - Throws: `ValidationError` for an unknown variable, no whole number, or one out of range.
    static func apply(to options: inout DaemonOptions, environment: [String: String]) throws {
        let known = Set(all.map(\.variable)).union(Fault.variables).union([origins])
        for name in environment.keys.sorted() where name.hasPrefix("THRONG_") && !known.contains(name) {
            throw ValidationError(
                "The environment has \(name), which throng does not know. `throng serve --help` lists the ones it knows."
            )
        }
        let reader = ConfigReader(
            provider: EnvironmentVariablesProvider(
                environmentVariables: environment.filter { known.contains($0.key) }))
        for setting in all where environment[setting.variable] != nil {
            let key = ConfigKey("throng.\(setting.key)")
            guard let value = reader.int(forKey: key), (setting.lowest...setting.highest).contains(value) else {
                throw ValidationError(
                    "\(setting.variable) takes a whole number of \(setting.unit) from \(setting.lowest) to "
                        + "\(setting.highest).")
            }
            setting.apply(&options, value)
        }
        if let text = reader.string(forKey: "throng.intake.origins") {
            guard let listed = CrossOrigin(text) else {
                throw ValidationError(
                    "\(origins) takes * or origins separated by spaces, each a scheme and a host without a path.")
            }
            options.origins = listed
        }
    }
}
