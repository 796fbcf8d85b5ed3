import ArgumentParser
import Configuration
import ThrongCounting
import ThrongCredentials
import ThrongDelivery
import ThrongFaults
import ThrongIntake
import ThrongJournal
import ThrongPlan
import ThrongServer

/// The settings of `throng serve` that have no option, read once from the environment.
enum DaemonSettings {
    private static let numbers: [EnvironmentSetting<DaemonOptions>] = [
        .init(
            key: "intake.body-bytes", unit: "bytes", lowest: 1024, highest: 64 << 20, standard: 1 << 20,
            meaning: "largest body, unpacked", apply: { $0.limits.bodyBytes = $1 }),
        .init(
            key: "intake.bodies-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 40, standard: 256 << 20,
            meaning: "memory for bodies that are still arriving, beyond which clients get 503",
            apply: { $0.bodiesBytes = $1 }),
        .init(
            key: "intake.windows-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 50, standard: 4 << 30,
            meaning: "memory for windows of which batches are still accepted, about, beyond which clients get 503",
            apply: { $0.bounds.windowBytes = $1 }),
        .init(
            key: "intake.refusals-bytes", unit: "bytes", lowest: 0, highest: 1 << 40, standard: 64 << 20,
            meaning: "memory for refusals that repeated batches are told again, beyond which they are only numbered",
            apply: { $0.bounds.refusalBytes = $1 }),
        .init(
            key: "intake.network-identifiers", unit: "identifiers", lowest: 0, highest: 1 << 30, standard: 10_000,
            meaning: "most identifiers that one network (/24, /48) brings in a window; 0 bounds nothing",
            apply: { $0.quotas.identifiers = $1 == 0 ? nil : $1 }),
        .init(
            key: "intake.network-events", unit: "events", lowest: 0, highest: 1 << 40, standard: 1_000_000,
            meaning: "most events that one network brings in a window; 0 bounds nothing",
            apply: { $0.quotas.events = $1 == 0 ? nil : $1 }),
        .init(
            key: "intake.networks-bytes", unit: "bytes", lowest: 1 << 16, highest: 1 << 40, standard: 64 << 20,
            meaning: "memory for what networks have brought, about, beyond which new identifiers are not noted",
            apply: { $0.quotas.bytes = $1 }),
        .init(
            key: "intake.events-per-batch", unit: "events", lowest: 1, highest: 100_000, standard: 1000,
            meaning: "most events of a batch", apply: { $0.limits.eventsPerBatch = $1 }),
        .init(
            key: "intake.string-bytes", unit: "bytes", lowest: 64, highest: 1 << 20, standard: 2048,
            meaning: "longest string", apply: { $0.limits.stringBytes = $1 }),
        .init(
            key: "intake.depth", unit: "levels", lowest: 4, highest: 64, standard: 8,
            meaning: "deepest nesting", apply: { $0.limits.depth = $1 }),
        .init(
            key: "intake.count-per-event", unit: "occurrences", lowest: 1, highest: 1_000_000, standard: 1_000_000,
            meaning: "largest count of one event", apply: { $0.limits.countPerEvent = $1 }),
        .init(
            key: "intake.request-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 30,
            meaning: "how long a request may take to arrive", apply: { $0.requestDeadline = .seconds($1) }),
        .init(
            key: "intake.idle-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 75,
            meaning: "how long a connection may say nothing", apply: { $0.idleTimeout = .seconds($1) }),
        .init(
            key: "stop.drain-seconds", unit: "seconds", lowest: 0, highest: 600, standard: 0,
            meaning: "how long before a stop /readyz answers 503, while what comes is still taken",
            apply: { $0.drain = .seconds($1) }),
        .init(
            key: "journal.cap-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 50, standard: 4 << 30,
            meaning: "size of what PostgreSQL lacks beyond which clients get 503", apply: { $0.journal.capBytes = $1 }),
        .init(
            key: "journal.segment-bytes", unit: "bytes", lowest: 1 << 16, highest: 1 << 30, standard: 64 << 20,
            meaning: "size at which a segment is closed", apply: { $0.journal.segmentBytes = $1 }),
        .init(
            key: "journal.queue-bytes", unit: "bytes", lowest: 1 << 16, highest: 1 << 30, standard: 32 << 20,
            meaning: "size of what waits for the disk beyond which clients get 503; twice as much is left free on it",
            apply: { $0.journal.queueBytes = $1 }),
        .init(
            key: "journal.checkpoint-bytes", unit: "bytes", lowest: 0, highest: 1 << 40, standard: 32 << 20,
            meaning: "after so much what is known of open windows is written down, for a quick start; 0 never does",
            apply: { $0.journal.checkpointBytes = $1 }),
        .init(
            key: "flush.seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 1,
            meaning: "shortest pause between two flushes into PostgreSQL", apply: { $0.flushInterval = .seconds($1) }),
        .init(
            key: "flush.most-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 60,
            meaning: "longest such pause: one is 15 times as long as the flush before it took",
            apply: { $0.longestFlushInterval = .seconds($1) }),
        .init(
            key: "flush.keep-minutes", unit: "minutes", lowest: 0, highest: 43_200, standard: 60,
            meaning: "how long what PostgreSQL got is kept, in case it loses it; 0 keeps nothing",
            apply: { $0.kept.seconds = Int64($1) * 60 }),
        .init(
            key: "flush.keep-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 40, standard: 1 << 30,
            meaning: "how large that may grow before the oldest goes", apply: { $0.kept.capBytes = $1 }),
        .init(
            key: "schedule.seconds", unit: "seconds", lowest: 1, highest: 86_400, standard: 30,
            meaning: "pause between two looks at what is due", apply: { $0.scheduleInterval = .seconds($1) }),
    ]

    private static let origins = "THRONG_INTAKE_ORIGINS"
    private static let proxies = "THRONG_INTAKE_PROXIES"
    private static let attesters = "THRONG_ATTESTERS"
    private static let forwarders = "THRONG_INTAKE_FORWARDERS"
    private static let memberAuthorities = "THRONG_MEMBERS_AUTHORITIES"
    private static let clientAuthorities = "THRONG_INTAKE_CLIENT_AUTHORITIES"
    /// Other commands', which one environment may hold beside these.
    private static let others = ["THRONG_SUPPRESS_SECRET"]

    /// One entry a setting, for the manual.
    static var help: String {
        let entries =
            numbers.map(\.help) + ReportVariables.numbers.map(\.help) + [
                """
                  \(origins) (text, *)
                      origins whose web pages may send events, such as "https://shop.example https://www.shop.example"
                """,
                """
                  \(proxies) (text, none)
                      proxies whose connections begin with a header of the PROXY protocol, version 2: addresses, networks \
                and unix for those by the Unix socket, such as "10.0.0.0/8 2001:db8::7 unix"
                """,
                """
                  \(forwarders) (text, none)
                      proxies whose X-Forwarded-For says where the clients of their requests are, such as "127.0.0.1"; nobody \
                else's is looked at
                """,
                """
                  \(clientAuthorities) (path, none)
                      certificates in PEM: only who has one of theirs may connect where clients post, such as your proxies
                """,
                """
                  \(memberAuthorities) (path, the system's)
                      certificates in PEM that vouch for other daemons, where these speak TLS
                """,
                """
                  \(attesters) (path, none)
                      a file that says, by app, who vouches for devices that ask for credentials
                """,
                """
                  \(ReleaseSecret.variable) (path, installation.secret in the data directory)
                      by what equally useful numbers are chosen; made where there is none
                """,
            ] + ReportVariables.texts.map { "  \($0.variable) \($0.meaning)" }
        return entries.joined(separator: "\n")
    }

    /// Takes the settings over.
    ///
    /// - Throws: `ValidationError` for an unknown variable, no whole number, or one out of range.
    static func apply(to options: inout DaemonOptions, environment: [String: String]) throws {
        let own =
            numbers.map(\.variable) + [
                origins, proxies, forwarders, attesters, clientAuthorities, memberAuthorities, ReleaseSecret.variable,
            ]
        let known = Set(own + others + ReportVariables.known).union(Fault.variables)
        for name in environment.keys.sorted() where name.hasPrefix("THRONG_") && !known.contains(name) {
            throw ValidationError(
                "The environment has \(name), which throng does not know. `throng serve --help` lists the ones it knows."
            )
        }
        for setting in numbers { try setting.take(from: environment, to: &options) }
        if let text = environment[origins] {
            guard let listed = CrossOrigin(text) else {
                throw ValidationError(
                    "\(origins) takes * or origins separated by spaces, each a scheme and a host without a path.")
            }
            options.origins = listed
        }
        if let text = environment[proxies] { options.proxies = try listed(text, proxies) }
        if let text = environment[forwarders] { options.forwarders = try listed(text, forwarders) }
        options.memberAuthorities = environment[memberAuthorities]
        if let path = environment[ReleaseSecret.variable] { options.releaseSecret = path }
        try ReportVariables.apply(to: &options.reports, plans: options.plans, environment: environment)
        // Other commands check the environment without plans.
        if let path = environment[attesters], !options.plans.isEmpty {
            do throws(CredentialSettingsError) {
                options.credentials = try CredentialSettings(
                    path: path, apps: options.plans.map(\.app.name), secrets: options.reports.delivery.secrets)
            } catch {
                throw ValidationError("\(attesters): \(error).")
            }
        }
    }

    private static func listed(_ text: String, _ variable: String) throws -> Proxies {
        guard let listed = Proxies(text) else {
            throw ValidationError(
                """
                \(variable) takes addresses, networks and unix, separated by spaces, such as "10.0.0.0/8 2001:db8::7 unix"; \
                a network's address has no bits behind its length.
                """)
        }
        return listed
    }

    /// Has clients asked for certificates, where the environment says so.
    ///
    /// - Throws: ``TLSError/authoritiesWithoutTLS``.
    static func askClients(of options: inout DaemonOptions, environment: [String: String]) throws {
        guard let path = environment[clientAuthorities] else { return }
        guard options.tls != nil else { throw TLSError.authoritiesWithoutTLS }
        options.tls?.clientAuthorities = path
    }

    /// Refuses what `throng serve` would refuse: one environment is for all commands.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ environment: [String: String]) throws {
        var unused = DaemonOptions(plans: [], dataPath: ".")
        try apply(to: &unused, environment: environment)
    }
}

/// A setting that is a whole number and has no option: a variable of the environment.
struct EnvironmentSetting<Options>: Sendable {
    let key: String
    let unit: String
    let lowest: Int
    let highest: Int
    let standard: Int
    let meaning: String
    let apply: @Sendable (inout Options, Int) -> Void

    /// THRONG_INTAKE_BODY_BYTES for intake.body-bytes.
    var variable: String {
        "THRONG_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_")
    }

    /// What the manual says of it.
    var help: String { "  \(variable) (int, \(standard), \(unit))\n      \(meaning)" }

    /// Takes the value over where there is one.
    ///
    /// - Throws: `ValidationError` where it is no whole number, or out of range.
    func take(from environment: [String: String], to options: inout Options) throws {
        guard let text = environment[variable] else { return }
        let reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: [variable: text]))
        guard let value = reader.int(forKey: ConfigKey("throng.\(key)")), (lowest...highest).contains(value) else {
            throw ValidationError("\(variable) takes a whole number of \(unit) from \(lowest) to \(highest).")
        }
        apply(&options, value)
    }
}
