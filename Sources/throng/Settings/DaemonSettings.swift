import ArgumentParser
import Foundation
import ThrongCredentials
import ThrongIngest
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongServer
import ThrongSystem

/// The translation of settings into the options of `throng serve`.
enum DaemonSettings {
    static let numbers: [NumberSetting<DaemonOptions>] = [
        .init(
            key: "intake.windows-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 50, standard: 4 << 30,
            meaning: "memory for windows of which batches are still accepted, about, beyond which clients get 503",
            apply: { options, bytes in
                options.bounds.windowBytes = bytes
                // More devices bring more networks.
                options.quotas.bytes = max(options.quotas.bytes, bytes / 64)
            }),
        .init(
            key: "intake.network-identifiers", unit: "identifiers", lowest: 0, highest: 1 << 30, standard: 10_000,
            meaning: "new identifiers of one network (/24, /48) at once and in an hour, with 100 events each; 0: any",
            apply: { $0.quotas.bound(identifiers: $1) }),
        .init(
            key: "intake.idle-seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 75,
            meaning: "how long a connection may say nothing", apply: { $0.idleTimeout = .seconds($1) }),
        .init(
            key: "stop.drain-seconds", unit: "seconds", lowest: 0, highest: 600, standard: 0,
            meaning: "how long before a stop /readyz answers 503, while what comes is still taken",
            apply: { $0.drain = .seconds($1) }),
        .init(
            key: "journal.cap-bytes", unit: "bytes", lowest: 1 << 20, highest: 1 << 50, standard: 4 << 30,
            meaning: "size of what PostgreSQL lacks beyond which clients get 503; kept flushes take a quarter more",
            apply: { options, bytes in
                options.journal.capBytes = bytes
                options.kept.capBytes = max(bytes / 4, 64 << 20)
            }),
        .init(
            key: "flush.seconds", unit: "seconds", lowest: 1, highest: 3600, standard: 1,
            meaning: "shortest pause between two flushes into PostgreSQL", apply: { $0.flushInterval = .seconds($1) }),
        .init(
            key: "flush.keep-minutes", unit: "minutes", lowest: 0, highest: 43_200, standard: 60,
            meaning: "how long what PostgreSQL got is kept, in case it loses it; 0 keeps nothing",
            apply: { $0.kept.seconds = Int64($1) * 60 }),
    ]

    /// A daemon by its settings, and all that would be refused of them.
    ///
    /// - Parameter settings: without problems of their file.
    /// - Returns: options that hold where there are no problems, and the problems.
    static func daemon(_ settings: Settings) -> (options: DaemonOptions, problems: [any Error]) {
        var problems: [any Error] = settings.unknownVariables.map { ValidationError($0) }
        func trying(_ work: () throws -> Void) { do { try work() } catch { problems.append(error) } }
        problems += LocalPaths.problems(of: settings)
        var sources: [RunningPlan] = []
        trying { sources = try PlanFiles.sources(settings.value(of: .plan)?.texts ?? []) }
        var options = DaemonOptions(plans: sources.map(\.plan), dataPath: settings.dataPath)
        options.sources = sources
        options.database = settings.value(of: .database)?.text
        trying { if let value = settings.value(of: .listen) { options.listen = try endpoint(value) } }
        trying { if let value = settings.value(of: .metrics) { options.metrics = try endpoint(value) } }
        trying { if let value = settings.value(of: .portal) { options.portal = try endpoint(value) } }
        trying { options.tls = try tls(settings) }
        trying { try setMembers(of: &options, settings) }
        for setting in numbers + testNumbers { trying { try setting.take(from: settings, to: &options) } }
        trying { try setTexts(of: &options, settings) }
        trying { try ReportVariables.apply(to: &options.reports, plans: options.plans, settings: settings) }
        trying { try setAttesters(of: &options, settings) }
        trying { options.traces = try traces(settings, percent: options.traces.percent) }
        for setting in [Setting.log, .logFormat] { trying { _ = try settings.choice(of: setting) } }
        return (options, problems)
    }

    /// Refuses what `throng serve` would refuse whatever it counts: one environment is for all commands.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ settings: Settings) throws {
        if let problem = settings.unknownVariables.first { throw ValidationError(problem) }
        if let problem = LocalPaths.problems(of: settings).first { throw problem }
        var unused = DaemonOptions(plans: [], dataPath: ".")
        for setting in numbers + testNumbers { try setting.take(from: settings, to: &unused) }
        try setTexts(of: &unused, settings)
    }

    private static func setTexts(of options: inout DaemonOptions, _ settings: Settings) throws {
        if let value = settings.value(of: .origins) {
            guard let listed = CrossOrigin(value.text) else {
                throw ValidationError(
                    "\(value.place) takes * or origins separated by spaces, each a scheme and a host without a path.")
            }
            options.origins = listed
        }
        if let value = settings.value(of: .proxies) { options.proxies = try listed(value) }
        if let value = settings.value(of: .forwarders) { options.forwarders = try listed(value) }
        options.metricsHosts =
            settings.value(of: .metricsHosts).map { $0.text.split(separator: " ").map(String.init) } ?? []
    }

    private static func setAttesters(of options: inout DaemonOptions, _ settings: Settings) throws {
        // The problem of missing plans is told already.
        guard let value = settings.value(of: .attesters), !options.plans.isEmpty else { return }
        do throws(CredentialSettingsError) {
            options.credentials = try CredentialSettings(
                path: value.text, apps: options.plans.map(\.app.name), secrets: options.reports.delivery.secrets)
        } catch { throw ValidationError("\(value.place): \(error).") }
    }

    private static func setMembers(of options: inout DaemonOptions, _ settings: Settings) throws {
        options.memberAuthorities = settings.value(of: .memberAuthorities)?.text
        if let value = settings.value(of: .members) {
            guard !value.text.hasPrefix("unix:") else {
                throw ValidationError(
                    "\(value.place) takes a host and a port: daemons on other machines connect to it.")
            }
            options.members = try endpoint(value)
            try refuseOwnFolders(of: options.plans, value)
        }
        guard let value = settings.value(of: .advertised) else { return }
        let url = URL(string: value.text)
        guard options.members != nil, let scheme = url?.scheme, ["http", "https"].contains(scheme), url?.host != nil,
            url?.path == ""
        else {
            throw ValidationError(
                """
                \(value.place) takes http or https, a host and a port, without a path, such as http://throng-0.throng:7080, \
                and needs --members; found '\(AddressText.shown(value.text).prefix(60))'.
                """)
        }
        options.advertised = value.text
    }

    /// Whichever daemon has the lease delivers: a folder of one's own would get some of a partner's reports.
    private static func refuseOwnFolders(of plans: [Plan], _ members: SettingValue) throws {
        for plan in plans {
            for report in plan.reports {
                for case .folder(let path) in report.deliveries where !path.hasPrefix("/") {
                    throw ValidationError(
                        "The report \(report.name) of \(plan.app.name) goes to the folder \(path), which each daemon "
                            + "has for itself, and \(members.place) says that there are several. Name an absolute "
                            + "folder that all of them reach, or an address.")
                }
            }
        }
    }

    private static func tls(_ settings: Settings) throws -> TLSFiles? {
        let authorities = settings.value(of: .clientAuthorities)?.text
        switch (settings.value(of: .certificate), settings.value(of: .key)) {
        case (let certificate?, let key?):
            var files = TLSFiles(certificate: certificate.file, key: key.text, clientAuthorities: authorities)
            files.isForSubdomains = certificate.isForSubdomains
            return files
        case (nil, nil):
            guard authorities == nil else { throw TLSError.authoritiesWithoutTLS }
            return nil
        case (let one?, nil), (nil, let one?):
            throw ValidationError(
                "--tls-certificate and --tls-key go together: name both, or neither; found \(one.place) alone.")
        }
    }

    private static func traces(_ settings: Settings, percent: Int) throws -> TraceOptions {
        var options = TraceOptions()
        options.percent = percent
        guard let value = settings.value(of: .traces) else { return options }
        if value.text.hasPrefix("/") {
            options.place = .file(value.text)
        } else if let address = TraceOptions.Collector(value.text) {
            options.place = .collector(address)
        } else {
            throw ValidationError(
                """
                \(value.place) takes the address of a collector on this machine, such as \
                http://127.0.0.1:4318/v1/traces, or the absolute path of a file; found \
                '\(AddressText.shown(value.text).prefix(60))'. Traces tell single requests: have a collector here pass them \
                on where they may go.
                """)
        }
        return options
    }

    private static func listed(_ value: SettingValue) throws -> Proxies {
        guard let listed = Proxies(value.text) else {
            throw ValidationError(
                """
                \(value.place) takes addresses, networks and unix, separated by spaces, such as "10.0.0.0/8 2001:db8::7 unix"; \
                a network's address has no bits behind its length.
                """)
        }
        return listed
    }

    private static func endpoint(_ value: SettingValue) throws -> DaemonOptions.Endpoint {
        guard let endpoint = DaemonOptions.Endpoint(value.text) else {
            throw ValidationError(
                """
                \(value.place) takes a host and a port such as 127.0.0.1:8080, or a Unix socket such as \
                unix:/run/throng/clients, an absolute path of at most 107 bytes; found '\(AddressText.shown(value.text))'.
                """)
        }
        return endpoint
    }

    // Bounds and paces that only tests change, to make something happen sooner or in less space.
    //
    // Each is a variable of the environment alone, such as `THRONG_TEST_SCHEDULE_SECONDS`: no file, no help and no page
    // has it, and an operator has no use for it. What it means and its default are those of what it sets.

    static let testNumbers: [NumberSetting<DaemonOptions>] = [
        .init(test: "intake-bodies-bytes", "bytes", 1 << 20...1 << 40) { $0.bodiesBytes = $1 },
        .init(test: "intake-request-seconds", "seconds", 1...3600) { $0.requestDeadline = .seconds($1) },
        .init(test: "journal-segment-bytes", "bytes", 1 << 16...1 << 30) { $0.journal.segmentBytes = $1 },
        .init(test: "journal-queue-bytes", "bytes", 1 << 16...1 << 30) { $0.journal.queueBytes = $1 },
        .init(test: "journal-checkpoint-bytes", "bytes", 0...1 << 40) { $0.journal.checkpointBytes = $1 },
        .init(test: "flush-most-seconds", "seconds", 1...3600) { $0.longestFlushInterval = .seconds($1) },
        .init(test: "schedule-seconds", "seconds", 1...86_400) { $0.scheduleInterval = .seconds($1) },
        .init(test: "traces-percent", "percent", 0...100) { $0.traces.percent = $1 },
    ]

    /// Those of deliveries, which `throng report make` reads, too.
    static let testReportNumbers: [NumberSetting<ReportSettings>] = [
        .init(test: "deliver-seconds", "seconds", 1...3600) { $0.delivery.fileSeconds = Int64($1) },
        .init(test: "deliver-retry-seconds", "seconds", 1...3600) { $0.delivery.retrySeconds = Int64($1) },
        .init(test: "deliver-tries", "tries", 1...100) { $0.delivery.tries = $1 },
    ]

    static var testVariables: [String] {
        testNumbers.map(\.setting.variable) + testReportNumbers.map(\.setting.variable)
    }
}

extension Settings {
    var dataPath: String { Place.absolute(value(of: .data)?.text ?? Place.standardData) }

    /// One of the words that a setting allows; nil where nobody says.
    ///
    /// - Throws: `ValidationError` for another one.
    func choice(of setting: Setting) throws -> String? {
        guard let value = value(of: setting), case .choice(let words) = setting.kind else { return nil }
        guard words.contains(value.text) else {
            throw ValidationError(
                "\(value.place) takes \(words.joined(separator: ", ")); found '\(value.text.prefix(60))'.")
        }
        return value.text
    }
}

enum ReportVariables {
    /// Takes the settings over.
    ///
    /// - Throws: `ValidationError` for no whole number, one out of range, or a plan's host that is not allowed.
    static func apply(to reports: inout ReportSettings, plans: [Plan], settings: Settings) throws {
        for setting in DaemonSettings.testReportNumbers { try setting.take(from: settings, to: &reports) }
        func text(_ setting: Setting) -> String? { settings.value(of: setting)?.text }
        if let path = text(.reportKey) { reports.signing = ReportKeyFolder(keyPath: path) }
        reports.printer = PagePrinter(environment: settings.environment)
        if let path = text(.authorities) { reports.delivery.authorities = path }
        if let text = text(.hosts) { reports.delivery.hosts = names(text) }
        if let text = text(.privateHosts) { reports.delivery.privateHosts = names(text) }
        if let value = settings.value(of: .mail) {
            guard let route = DeliveryOptions.MailRoute(value.text) else {
                throw ValidationError(
                    """
                    \(value.place) takes a server and the address that mails come from, such as \
                    "smtps://throng@mail.shop.example reports@shop.example"; the user's password is in the file secrets/smtp of \
                    the data directory.
                    """)
            }
            reports.delivery.mail = route
        }
        try check(plans, against: reports.delivery)
    }

    /// Host names without the port that needs no mention.
    private static func names(_ text: String) -> Set<String> {
        Set(text.lowercased().split(separator: " ").map { $0.hasSuffix(":443") ? String($0.dropLast(4)) : String($0) })
    }

    /// A plan alone makes nobody send anything anywhere: the operator allows each host.
    private static func check(_ plans: [Plan], against delivery: DeliveryOptions) throws {
        for plan in plans {
            for report in plan.reports {
                for place in report.deliveries {
                    let host: String
                    switch place {
                    case .folder: continue
                    case .http(let http): host = http.authority
                    case .mail(let address, place: _): host = address.domain
                    }
                    guard delivery.hosts.contains(host) else {
                        throw ValidationError(
                            """
                            Report \(report.name) of \(plan.app.name) goes to \(host), which \(Setting.hosts.variable) does not \
                            list. Add it there, separated by a space, if reports may be sent to it.
                            """)
                    }
                    if case .mail = place, delivery.mail == nil {
                        throw ValidationError(
                            """
                            Report \(report.name) of \(plan.app.name) goes by mail, and \(Setting.mail.variable) names no server. \
                            Set it, such as to "smtps://throng@mail.shop.example reports@shop.example".
                            """)
                    }
                }
            }
        }
    }
}

extension NumberSetting {
    fileprivate init(
        test name: String, _ unit: String, _ range: ClosedRange<Int>,
        apply: @escaping @Sendable (inout Options, Int) -> Void
    ) {
        self.init(
            key: "test.\(name)", unit: unit, lowest: range.lowerBound, highest: range.upperBound, standard: 0,
            meaning: "", apply: apply)
    }
}
