import ArgumentParser
import Foundation
import Logging
import ThrongCrowd
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongServer
import ThrongStore
import ThrongSystem

struct TryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "try", abstract: "Shows a plan at work: a made-up crowd, and you.",
        discussion: """
            In a minute it counts, releases and reports eight weeks of a crowd that is made up from the plan, in a directory of \
            its own. Then a page shows each batch that you post, as it was counted, and the plan's mistakes whenever you save it.

            Without a plan it takes the sample's shop, of two data sets that are combined at random (resampled).

            EXAMPLES
              throng try plan.yaml
              throng try plan.yaml --audience 500 --devices devices.ndjson.gz
              throng try --once --json
            """)

    @Argument(help: "The plan's file (default: the sample's shop).") var plan: String?
    @OptionGroup var source: CrowdSource

    @Option(help: ArgumentHelp("Devices a day (default: the plan's audience, up to 1500).", valueName: "devices"))
    var audience: Int?

    @Option(help: ArgumentHelp("Days up to yesterday (default: 57 or half a minute's).", valueName: "days"))
    var days: Int?

    @Option(help: "The same seed, the same crowd.") var seed: UInt64 = 20_261_121

    @Option(help: ArgumentHelp("The page's port on 127.0.0.1 (default: 8080, if free).", valueName: "port"))
    var port: Int?

    @Option(help: ArgumentHelp("A directory for trials (default: \(Place.standardData)-try).", valueName: "dir"))
    var data: String?

    @Option(help: ArgumentHelp("Where reports go (default: in the data directory).", valueName: "dir")) var out: String?
    @Flag(help: "Opens the page in a browser.") var open = false
    @Flag(help: "Ends once the reports are made.") var once = false
    @Flag(help: "The daemon speaks TLS, by a certificate that it makes.") var tls = false
    @Flag(help: "Prints the summary as JSON.") var json = false

    /// The most devices of a plan that names no number on the command line.
    private static let mostDevices = 1500
    private static let mostDays = 57

    func validate() throws {
        if let audience, audience < 1 { throw ValidationError("--audience takes at least 1.") }
        if let days, !(1...60 ~= days) { throw ValidationError("--days takes 1 to 60.") }
        if let port, !(1...65_535 ~= port) { throw ValidationError("--port takes 1 to 65535.") }
    }

    func run() async throws {
        let started = ContinuousClock.now
        let (file, source) = try sample()
        let read = try PlanFiles.sayingProblems(by: { Terminal.talk($0) }) { try PlanFiles.source(file) }
        let plan = read.plan.forMadeUpCrowd()
        let devices = audience ?? min(plan.app.audience, Self.mostDevices)
        var crowd = TrialCrowd(plan: plan, crowd: try source.made(for: plan), devices: devices, seed: seed)
        // A port that can't be had is said before the minute's work; which of the free ones, after it.
        if port != nil { _ = try ServeProcess.freePort(port) }
        let house = try await TrialHouse(data)
        defer { house.leave() }
        try house.write(read.bytes)
        _ = try ReportKeyFolder(dataPath: house.path).rotate(now: UnixClock.system.now)
        crowd.headers = try house.headers(for: plan)
        var summary = try await make(crowd, in: house)
        summary.seconds = Int((ContinuousClock.now - started) / .seconds(1))
        Terminal.talk("Starting throng serve; its log is \(house.path)/serve.log.")
        let certificate = tls ? try TrialCertificate(in: house.path) : nil
        let serve = try ServeProcess(
            plan: house.plan, data: house.path, log: house.path + "/serve.log", tls: certificate)
        do {
            try await serve.waitUntilReady()
            if let certificate { Terminal.talk("\n\(certificate.advice)") }
            if once { try await post(crowd, to: serve, certificate, &summary) }
            try show(summary, in: house)
            if !once { try await stay(read, crowd, summary, source, house, serve, certificate) }
        } catch {
            // The first error matters more than how the end went.
            try? serve.stop()
            throw error
        }
        try serve.stop()
    }

    /// The plan's file and the crowd: the sample's where no plan is named.
    private func sample() throws -> (String, CrowdSource) {
        if let plan { return (plan, source) }
        let folders = ["Deploy/sample", "/usr/share/throng/sample"]
        guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: $0 + "/shop.yaml") }) else {
            throw CommandFailure(
                "There is no sample in \(folders.joined(separator: " or ")). Name a plan: throng try plan.yaml.")
        }
        var source = source
        if source.devices == nil, source.shares == nil { source.crowd = source.crowd ?? folder }
        return (folder + "/shop.yaml", source)
    }

    /// Counts, releases and reports all days before any daemon looks at what is due.
    private func make(_ crowd: TrialCrowd, in house: TrialHouse) async throws -> TrialSummary {
        let wanted = days ?? Self.mostDays
        let count = days == nil ? try crowd.affordable(of: wanted) : wanted
        let past = crowd.past(count)
        Terminal.talk(
            "Making up \(Terminal.count(crowd.devices, "device")) on each of \(Terminal.count(count, "day")), for \(crowd.plan.app.title)."
        )
        return try await house.cluster().lend { settings in
            let owner = Connection(settings)
            defer { owner.close() }
            _ = try await Migrator(owner).migrate()
            let tally = try await crowd.count(past, into: try house.hastySettings())
            Terminal.talk("Releasing and reporting.")
            let made = try await house.release(crowd.plan, crowd, past, out: out)
            return TrialSummary(
                devices: crowd.devices, days: count, eventsCounted: tally.counted,
                eventsRefused: tally.refused.values.reduce(0, +), refusals: tally.refused,
                cellsPublished: made.published, cellsWithheld: made.withheld, reports: made.files)
        }
    }

    /// Posts some batches over HTTP, as clients do.
    private func post(
        _ crowd: TrialCrowd, to serve: ServeProcess, _ certificate: TrialCertificate?, _ summary: inout TrialSummary
    ) async throws {
        let batches = crowd.fresh(50, seed: seed)
        let bar = ProgressBar("posting over HTTP", total: batches.reduce(0) { $0 + $1.events }, unit: "events")
        var sender = try BatchSender(to: serve.url, authorities: certificate?.certificate)
        sender.headers += crowd.headers
        let tally = try await sender.send(batches, progress: bar)
        bar.finish()
        try await serve.waitUntilFlushed()
        summary.eventsAcknowledged = tally.accepted
    }

    /// Serves the page until Ctrl-C.
    private func stay(
        _ read: RunningPlan, _ crowd: TrialCrowd, _ summary: TrialSummary, _ source: CrowdSource, _ house: TrialHouse,
        _ serve: ServeProcess, _ certificate: TrialCertificate?
    ) async throws {
        let port = try ServeProcess.freePort(port)
        let settings = try house.cluster().settings
        let file = plan ?? read.path
        let feed = TryoutFeed(plan: TryoutPlan(file, crowd.plan, .counting))
        let desk = TryoutProxy(
            feed, plan: crowd.plan, daemon: serve.url, authorities: certificate?.certificate, settings: settings,
            folder: house.path)
        defer { desk.close() }
        let pages = summary.reports.filter { $0.hasSuffix(".html") }
        feed.set(summary.pages(of: crowd.plan))
        let watched = WatchedPlan(
            file, bytes: read.bytes, house: house, serve: serve, desk: desk, feed: feed, crowd: crowd,
            makeCrowd: { try source.made(for: $0) })
        try await letIn(crowd.plan, to: serve, settings)
        crowd.sayHeaders()
        let (address, opens) = ("http://127.0.0.1:\(port)/try", open)
        var logger = Logger(label: "throng.try")
        logger.logLevel = .error
        try await TryoutServer(desk, example: { await watched.example() }, made: pages, logger: logger).run(
            port: port,
            again: [(.milliseconds(150), { await watched.look() }), (.milliseconds(300), { await desk.look() })]
        ) {
            Terminal.talk(
                "\nThe page is alive at \(address) until you press Ctrl-C. Post to http://127.0.0.1:\(port)/v1/batches."
            )
            if opens { Self.openBrowser(address) }
        }
    }

    private static func openBrowser(_ address: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch { Terminal.talk("No browser could be opened: \(error). Open the address by hand.") }
    }

    /// Gives tokens to everybody who may look at the daemon's own pages.
    private func letIn(_ plan: Plan, to serve: ServeProcess, _ settings: ConnectionSettings) async throws {
        let store = AccessStore(settings)
        defer { store.close() }
        let now = UnixClock.system.now
        var lines: [(String, String)] = []
        let partners = plan.partners.filter { !$0.isEverybody }.map {
            ($0.title, AccessRole.partner($0.name, of: plan.app.name))
        }
        for (title, role) in partners + [("Analyst", .analysis), ("Operator", .operations)] {
            let secret = AccessSecret()
            let token = AccessToken(id: secret.id, role: role, note: "trial", createdAt: now, expiresAt: now + 86_400)
            try await store.add(token, secret)
            lines.append((title, secret.text))
        }
        Terminal.talk("\nThe daemon's pages are at \(serve.portal). Sign in with one of these tokens:")
        Terminal.talk(Terminal.table(lines))
        if partners.count < plan.partners.count {
            Terminal.talk("Everybody reads \(serve.portal)public/\(plan.app.name).")
        }
    }

    private func show(_ summary: TrialSummary, in house: TrialHouse) throws {
        if json { return try Terminal.json(summary) }
        summary.show(keys: ReportKeyFolder(dataPath: house.path).listPath)
    }
}

/// The results of a trial.
struct TrialSummary: Encodable {
    let devices, days: Int
    /// The events of days that are over.
    let eventsCounted, eventsRefused: Int
    let refusals: [String: Int]
    /// Yesterday's numbers.
    let cellsPublished, cellsWithheld: Int
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
            Terminal.table([
                ("days", "\(days) of up to \(Terminal.grouped(devices)) devices, made up"),
                ("events counted", Terminal.grouped(eventsCounted)),
                ("events refused", Terminal.grouped(eventsRefused) + (listed.isEmpty ? "" : "  (\(listed))")),
                ("numbers published", "\(Terminal.grouped(cellsPublished)) of yesterday"),
                ("numbers withheld", Terminal.grouped(cellsWithheld) + "  (small groups and empty ones look the same)"),
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
    func pages(of plan: Plan) -> [TryoutFeed.Report] {
        // What is made of shorter periods is known once these are over.
        let ready = plan.reports.filter { report in
            report.insights.contains { name in
                plan.insight(name).flatMap { plan.metric($0.metric) }?.period == report.period
            }
        }
        let now = ready.map { (title: $0.title, kind: PeriodKind?.some($0.period), address: "/try/now/\($0.name)") }
        let made = reports.filter { $0.hasSuffix(".html") }.enumerated().map { place, path in
            let title = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
            return (title: title, kind: PeriodKind?.none, address: "/try/made/\(place)")
        }
        return now + made.reversed()
    }
}
