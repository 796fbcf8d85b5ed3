import ArgumentParser
import Foundation
import Logging
import ThrongCrowd
import ThrongJournal
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem
import UnixSignals

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs the whole way once, from events to a report, on a private PostgreSQL.",
        discussion: """
            Starts `throng serve`, lets a crowd of real devices walk through a shop as real shoppers did, over HTTP, \
            then releases yesterday, reports it and stops. So that reports have something to compare with, some days \
            before are counted as well, without HTTP, and so is what looks at whole visits: a daemon knows that only when \
            their window is over. Devices and shoppers come from two data sets and are combined at random (resampled); \
            amounts, and how many devices came on which day, are made up.

            Each run starts from an empty data directory of its own.
            """)

    @Option(help: ArgumentHelp("The plan.", valueName: "file"))
    var plan = "Deploy/sample/shop.yaml"

    @Option(help: ArgumentHelp("The folder with devices.ndjson.gz and shop.csv.gz.", valueName: "dir"))
    var crowd = "Deploy/sample"

    @Option(help: ArgumentHelp("A data directory for the demonstration alone.", valueName: "dir"))
    var data = Place.standardData + "-demo"

    @Option(help: ArgumentHelp("Where the reports go (default: reports in the data directory).", valueName: "dir"))
    var out: String?

    @Option(help: "How many devices post.")
    var devices = 20_000

    @Option(help: "How many days are released: yesterday and those before it.")
    var days = 8

    @Option(help: "Which crowd: the same seed gives the same one.")
    var seed: UInt64 = 20_261_121

    @Flag(help: "Leaves the pages running for partners and you to look at, until Ctrl-C.")
    var keep = false

    @Flag(help: "Speaks TLS, by a certificate that openssl makes for this run.")
    var tls = false

    @Flag(help: "Prints the summary as JSON.")
    var json = false

    private struct Summary: Encodable {
        let devices: Int
        let eventsAcknowledged: Int
        let eventsRefused: Int
        let refusals: [String: Int]
        let eventsPerSecond: Int
        let cellsPublished: Int
        let cellsWithheld: Int
        let knownDevices: Int
        let uniqueDevicesBefore: Int
        let uniqueDevicesAfter: Int
        let dimensions: [String]
        let reports: [String]
    }

    func validate() throws {
        guard devices >= 1 else { throw ValidationError("--devices takes at least 1.") }
        guard 1...60 ~= days else { throw ValidationError("--days takes 1 to 60.") }
    }

    func run() async throws {
        let plan = try PlanFiles.read(plan)
        Terminal.talk("Reading devices and shoppers from \(crowd).")
        let crowd = try Crowd(folder: crowd)
        let bucketed = try crowd.uniqueBucketed(plan: plan)

        try await prepareData()
        _ = try ReportKeyFolder(dataPath: data).rotate(now: UnixClock.system.now)
        if days > 1 || !plan.purposesWithin.isEmpty { try await makePast(plan, crowd) }
        Terminal.talk("Starting throng serve with a private PostgreSQL in \(data).")
        let certificate = tls ? try DemoCertificate(in: data) : nil
        if let certificate { Terminal.talk("Speaking TLS by \(certificate.certificate), which nobody vouches for.") }
        let serve = try ServeProcess(plan: self.plan, data: data, log: data + "/serve.log", tls: certificate)
        let result: Result<Summary, any Error>
        do {
            result = .success(try await walk(plan, crowd, bucketed: bucketed, serve, certificate))
        } catch {
            result = .failure(error)
        }
        if keep, case .success(let summary) = result {
            try show(summary)
            if let certificate { Terminal.talk("\n\(certificate.advice)") }
            try await letIn(plan, to: serve)
            return try serve.stop()
        }
        try serve.stop()
        try show(try result.get())
    }

    /// Gives tokens to everybody who may look, and waits until somebody has seen enough.
    private func letIn(_ plan: Plan, to serve: ServeProcess) async throws {
        let store = AccessStore(try cluster().settings)
        defer { store.close() }
        let now = UnixClock.system.now
        var lines: [(String, String)] = []
        let partners = plan.partners.map { ($0.title, AccessRole.partner($0.name, of: plan.app.name)) }
        for (title, role) in partners + [("Analyst", .analysis), ("Operator", .operations)] {
            let secret = AccessSecret()
            let token = AccessToken(
                id: secret.id, role: role, note: "demonstration", createdAt: now, expiresAt: now + 86_400)
            try await store.add(token, secret)
            lines.append((title, secret.text))
        }
        Terminal.talk("\nThe pages are at \(serve.portal) until you press Ctrl-C. Sign in with one of these tokens:")
        Terminal.talk(Terminal.table(lines))
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) { break }
    }

    private func walk(
        _ plan: Plan,
        _ crowd: Crowd,
        bucketed: (unique: Int, dimensions: [DimensionName]),
        _ serve: ServeProcess,
        _ certificate: DemoCertificate?
    ) async throws -> Summary {
        try await serve.waitUntilReady()
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let now = UnixClock.system.now
        let yesterday = yesterday(calendar)
        let settings = try cluster().settings
        let making = ProgressBar("making the crowd ", total: devices, unit: "devices")
        let parcels = crowd.parcels(
            plan: plan, purposes: plan.purposesAtOnce, day: yesterday.start, now: now, devices: devices, seed: seed,
            progress: { making.advance(by: 1) })
        making.finish()

        let posting = ProgressBar("posting over HTTP", total: parcels.reduce(0) { $0 + $1.events }, unit: "events")
        let started = ContinuousClock.now
        let tally = try await BatchSender(to: serve.url, authorities: certificate?.certificate)
            .send(parcels, progress: posting)
        let seconds = (ContinuousClock.now - started) / .seconds(1)
        posting.finish()

        Terminal.talk("Waiting for PostgreSQL, then releasing \(calendar.label(of: yesterday)).")
        try await serve.waitUntilFlushed()
        let store = ReleaseStore(settings)
        defer { store.close() }
        let made = try await ReleaseScheduler(store: store, rules: .system, secret: try secret())
            .releaseDue(of: plan, now: now, ignoringGrace: true).filter { $0.period == yesterday }
        let scheduler = reportScheduler(store)
        func lacking(_ error: PrintError) { Terminal.talk("\(error)") }
        var paths: [String] = []
        for report in plan.reports where report.period == .day {
            if let out {
                paths += try await scheduler.write(
                    report, plan: plan, period: yesterday, now: now, to: out, lacking: lacking)
            } else {
                paths += try await scheduler.deliver(report, plan: plan, period: yesterday, now: now, lacking: lacking)
            }
        }
        return Summary(
            devices: devices,
            eventsAcknowledged: tally.accepted,
            eventsRefused: tally.refused,
            refusals: tally.refusals,
            eventsPerSecond: Int(Double(tally.sent) / seconds),
            cellsPublished: made.reduce(0) { $0 + $1.published },
            cellsWithheld: made.reduce(0) { $0 + $1.withheld },
            knownDevices: crowd.devices.count,
            uniqueDevicesBefore: crowd.uniqueRaw,
            uniqueDevicesAfter: bucketed.unique,
            dimensions: bucketed.dimensions.map(\.text),
            reports: paths)
    }

    /// The days before yesterday that are released too, the latest first.
    private func pastDays(before yesterday: Period, _ calendar: PeriodCalendar) -> [Period] {
        var past: [Period] = []
        while past.count < days - 1 {
            past.append(calendar.period(.day, containing: (past.last ?? yesterday).start - 1))
        }
        return past
    }

    /// Counts, releases and reports the days before yesterday, before any daemon looks at what is due: it would release
    /// a day that is not counted yet as it is. Counts visits of yesterday, too.
    private func makePast(_ plan: Plan, _ crowd: Crowd) async throws {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let yesterday = yesterday(calendar)
        let cluster = try cluster()
        try await cluster.start()
        do {
            let owner = Connection(cluster.settings)
            defer { owner.close() }
            _ = try await Migrator(owner).migrate()
            try await countPast(plan, crowd, before: yesterday, calendar, cluster.settings)
            let store = ReleaseStore(cluster.settings)
            defer { store.close() }
            _ = try await ReleaseScheduler(store: store, rules: .system, secret: try secret())
                .releaseDue(of: plan, now: yesterday.start, ignoringGrace: true)
            let scheduler = reportScheduler(store)
            for day in pastDays(before: yesterday, calendar).reversed() {
                for report in plan.reports where report.period == .day {
                    _ = try await scheduler.deliver(report, plan: plan, period: day, now: UnixClock.system.now) {
                        Terminal.talk("\($0)")
                    }
                }
            }
        } catch {
            // The first error matters more than how the end went.
            try? await cluster.stop()
            throw error
        }
        try await cluster.stop()
    }

    /// Returns the secret that the daemon of these data draws from.
    private func secret() throws -> TieSecret { try TieSecret.kept(at: data + "/" + ReleaseSecret.name) }

    private func cluster() throws -> PrivateCluster {
        var logger = Logger(label: "throng")
        logger.logLevel = .warning
        return try PrivateCluster(directory: data + "/postgres", logger: logger)
    }

    private func reportScheduler(_ store: ReleaseStore) -> ReportScheduler {
        ReportScheduler(
            store: store, rules: .system, folder: data,
            printer: PagePrinter(environment: ProcessInfo.processInfo.environment))
    }

    private func yesterday(_ calendar: PeriodCalendar) -> Period {
        calendar.period(.day, containing: calendar.period(.day, containing: UnixClock.system.now).start - 1)
    }

    /// Counts the days before yesterday, the oldest first, each with a crowd of its own that is a little smaller; and
    /// of yesterday what a daemon would count later than anybody waits.
    private func countPast(
        _ plan: Plan, _ crowd: Crowd, before yesterday: Period, _ calendar: PeriodCalendar,
        _ settings: ConnectionSettings
    ) async throws {
        let past = try PastDays(plan)
        let store = CounterStore(settings)
        defer { store.close() }
        var shapes = SeededGenerator(seed: seed)
        let order = pastDays(before: yesterday, calendar)
        let sizes = order.indices.map { ago -> Int in
            let share: Double = 0.94 - 0.025 * Double(min(ago, 12)) + 0.08 * shapes.fraction()
            return max(Int(Double(devices) * share), 1)
        }
        let visits = plan.purposesWithin
        let bar = ProgressBar(
            "counting the days before", total: sizes.reduce(visits.isEmpty ? 0 : devices, +), unit: "devices")
        var refused: [String: Int] = [:]
        for (ago, day) in order.enumerated().reversed() {
            let parcels = crowd.parcels(
                plan: plan, purposes: plan.purposes, day: day.start, now: day.end + 1, devices: sizes[ago],
                seed: seed + UInt64(ago) + 1, progress: { bar.advance(by: 1) })
            refused.merge(try await past.count(parcels, at: day.end + 1, into: store), uniquingKeysWith: +)
        }
        if !visits.isEmpty {
            let parcels = crowd.parcels(
                plan: plan, purposes: visits, day: yesterday.start, now: yesterday.end + 1, devices: devices,
                seed: seed, progress: { bar.advance(by: 1) })
            refused.merge(try await past.count(parcels, at: yesterday.end + 1, into: store), uniquingKeysWith: +)
        }
        bar.finish()
        if !refused.isEmpty { Terminal.talk("Refused of their events: \(Self.listed(refused))") }
    }

    /// An empty data directory that nobody else can have put there; one that an earlier demonstration left is emptied,
    /// any other is left alone.
    private func prepareData() async throws {
        let files = FileManager.default
        let mark = data + "/demo"
        try DataDirectory.checkTrust(in: data.hasPrefix("/") ? data : files.currentDirectoryPath + "/" + data)
        if files.fileExists(atPath: data) {
            let names = try files.contentsOfDirectory(atPath: data)
            guard names.isEmpty || files.fileExists(atPath: mark) else {
                throw CommandFailure("\(data) holds something else than an earlier demonstration; name another --data.")
            }
            try await cluster().remove()
            try files.removeItem(atPath: data)
        }
        let parent = (data as NSString).deletingLastPathComponent
        if !parent.isEmpty { try files.createDirectory(atPath: parent, withIntermediateDirectories: true) }
        // The server's user has to come through; others have no business here.
        guard mkdir(data, getuid() == 0 ? 0o711 : 0o700) == 0 else {
            throw CommandFailure("\(data) can't be made (\(String(cString: strerror(errno)))); name another --data.")
        }
        guard files.createFile(atPath: mark, contents: Data("made by throng demo; may be deleted\n".utf8)) else {
            throw CommandFailure("\(data) can't be written; name another --data.")
        }
    }

    /// "66 contribution_bound, 12 too_old".
    private static func listed(_ refusals: [String: Int]) -> String {
        refusals.sorted { $0.key < $1.key }.map { "\(Terminal.grouped($0.value)) \($0.key)" }.joined(separator: ", ")
    }

    private func show(_ summary: Summary) throws {
        if json { return try Terminal.json(summary) }
        let refusals = summary.refusals.isEmpty ? "" : "  (\(Self.listed(summary.refusals)))"
        Terminal.talk("")
        Terminal.data(
            Terminal.table([
                ("events acknowledged", Terminal.grouped(summary.eventsAcknowledged)),
                ("events refused", Terminal.grouped(summary.eventsRefused) + refusals),
                ("events per second", Terminal.grouped(summary.eventsPerSecond)),
                ("numbers published", Terminal.grouped(summary.cellsPublished)),
                (
                    "numbers withheld",
                    Terminal.grouped(summary.cellsWithheld) + "  (small and empty cells look the same)"
                ),
                (
                    "unique devices",
                    "\(Terminal.grouped(summary.uniqueDevicesBefore)) of \(Terminal.grouped(summary.knownDevices)) before bucketing, "
                        + "\(Terminal.grouped(summary.uniqueDevicesAfter)) after, by \(summary.dimensions.joined(separator: ", "))"
                ),
            ]))
        Terminal.data("\nReports (resampled sample data):")
        for path in summary.reports { Terminal.data("  \(path)") }
        let folders = Set(summary.reports.map { ($0 as NSString).deletingLastPathComponent }).sorted()
        Terminal.data("\nThey are signed. Check them as a partner would:")
        for folder in folders {
            Terminal.data("  throng verify \(folder) --key \(ReportKeyFolder(dataPath: data).listPath)")
        }
    }
}
