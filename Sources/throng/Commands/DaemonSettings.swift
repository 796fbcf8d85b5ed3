import ArgumentParser
import Configuration
import ThrongCounting
import ThrongDelivery
import ThrongFaults
import ThrongIntake
import ThrongJournal
import ThrongPlan
import ThrongReport
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
            key: "intake.windows-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 50, standard: 4 << 30,
            meaning: "memory for windows of which batches are still accepted, about, beyond which clients get 503",
            apply: { $0.bounds.windowBytes = $1 }),
        Setting(
            key: "intake.refusals-bytes", unit: "bytes", lowest: 0, highest: 1 << 40, standard: 64 << 20,
            meaning: "memory for refusals that repeated batches are told again, beyond which they are only numbered",
            apply: { $0.bounds.refusalBytes = $1 }),
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
        Setting(
            key: "deliver.seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 60,
            meaning: "how long a file may take to be sent", apply: { $0.delivery.fileSeconds = Int64($1) }),
        Setting(
            key: "deliver.retry-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 30,
            meaning: "pause after a delivery's first try; each is twice the one before, up to an hour",
            apply: { $0.delivery.retrySeconds = Int64($1) }),
        Setting(
            key: "deliver.tries", unit: "tries", lowest: 1, highest: 100, standard: 12,
            meaning: "when a delivery is given up", apply: { $0.delivery.tries = $1 }),
    ]

    /// The settings that are no numbers, with what the manual says of them.
    private static let texts: [(variable: String, meaning: String)] = [
        (
            origins,
            """
            (text, *)
                  origins whose web pages may send events, such as "https://shop.example https://www.shop.example"
            """
        ),
        (reportKey, "(path, signing/key.pem in the data directory)\n      the key that signs reports' manifests"),
        (
            chromium, "(path, the first of chromium and its like on the PATH)\n      what prints reports as PDF"
        ),
        (
            hosts,
            """
            (text, none)
                  hosts that reports may be sent to, such as "partner.example partner.example:8443"
            """
        ),
        (
            privateHosts,
            "(text, none)\n      those of them that may be at loopback, private and other special addresses"
        ),
        (authorities, "(path, none)\n      certificates in PEM that vouch for partners, beside the system's"),
        (
            secrets,
            "(path, secrets in the data directory)\n      a folder with a file for each header Authorization of a plan"
        ),
    ]
    private static let origins = "THRONG_INTAKE_ORIGINS"
    private static let reportKey = "THRONG_REPORT_KEY"
    private static let chromium = "THRONG_CHROMIUM"
    private static let hosts = "THRONG_DELIVER_HOSTS"
    private static let privateHosts = "THRONG_DELIVER_PRIVATE_HOSTS"
    private static let authorities = "THRONG_DELIVER_CA"
    private static let secrets = "THRONG_DELIVER_SECRETS"

    /// One line a setting, for the manual.
    static var help: String {
        let numbers = all.map { "  \($0.variable) (int, \($0.standard), \($0.unit))\n      \($0.meaning)" }
        return (numbers + texts.map { "  \($0.variable) \($0.meaning)" }).joined(separator: "\n")
    }

    /// Takes the settings over.
    ///
    /// - Throws: `ValidationError` for an unknown variable, no whole number, or one out of range.
    static func apply(to options: inout DaemonOptions, environment: [String: String]) throws {
        let known = Set(all.map(\.variable)).union(Fault.variables).union(texts.map(\.variable))
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
        if let path = environment[reportKey] { options.reportKey = path }
        options.printer = PagePrinter(environment: environment)
        if let path = environment[authorities] { options.delivery.authorities = path }
        if let path = environment[secrets] { options.delivery.secrets = path }
        if let text = environment[hosts] { options.delivery.hosts = names(text) }
        if let text = environment[privateHosts] { options.delivery.privateHosts = names(text) }
        try checkHosts(of: options)
    }

    /// Host names without the port that needs no mention.
    private static func names(_ text: String) -> Set<String> {
        Set(
            text.lowercased().split(separator: " ").map {
                $0.hasSuffix(":443") ? String($0.dropLast(4)) : String($0)
            })
    }

    /// A plan alone makes nobody send anything anywhere: the operator allows each host.
    private static func checkHosts(of options: DaemonOptions) throws {
        for plan in options.plans {
            for report in plan.reports {
                for case .http(let http) in report.deliveries where !options.delivery.hosts.contains(http.authority) {
                    throw ValidationError(
                        "Report \(report.name) of \(plan.app.name) goes to \(http.authority), which \(hosts) does not "
                            + "list. Add it there, separated by a space, if reports may be sent to it.")
                }
            }
        }
    }
}
