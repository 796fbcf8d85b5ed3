import Foundation
import Logging
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The data directory of a trial: emptied before each, marked as made up, and left behind for whoever wants to look.
struct TrialHouse {
    let path: String

    /// Names a directory; nothing is touched.
    init(_ path: String) {
        self.path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The plan's file as the trial's daemon reads it: the last that was right.
    var plan: String { path + "/plan.yaml" }

    /// The private PostgreSQL.
    ///
    /// - Throws: `ClusterError`.
    func cluster() throws -> PrivateCluster {
        var logger = Logger(label: "throng")
        logger.logLevel = .warning
        return try PrivateCluster(directory: path + "/postgres", logger: logger)
    }

    /// The settings by which the past is made: commits wait for no disk, as all of it can be made up again.
    ///
    /// - Throws: `ClusterError`.
    func hastySettings() throws -> ConnectionSettings {
        ConnectionSettings(
            connectionString: try cluster().settings.connectionString + " options='-c synchronous_commit=off'")
    }

    /// The secret that the daemon of these data draws from.
    func secret() throws -> TieSecret { try TieSecret.kept(at: path + "/" + ReleaseSecret.name) }

    func reportScheduler(_ store: ReleaseStore) -> ReportScheduler {
        ReportScheduler(
            store: store, rules: .system, folder: path,
            printer: PagePrinter(environment: ProcessInfo.processInfo.environment))
    }

    /// Makes an empty directory that nobody else can have put there; one that an earlier trial left is emptied, any other is
    /// left alone.
    func prepare() async throws {
        let files = FileManager.default
        try DataDirectory.checkTrust(in: path)
        if files.fileExists(atPath: path) {
            let names = try files.contentsOfDirectory(atPath: path)
            guard names.isEmpty || MadeUpMark.isThere(in: path) else {
                throw CommandFailure("\(path) holds something else than an earlier trial; name another --data.")
            }
            guard !DataDirectory.isHeld(path) else {
                throw CommandFailure("A trial runs in \(path); end it by Ctrl-C first, or name another --data.")
            }
            try await cluster().remove()
            try files.removeItem(atPath: path)
        }
        let parent = (path as NSString).deletingLastPathComponent
        if !parent.isEmpty { try files.createDirectory(atPath: parent, withIntermediateDirectories: true) }
        // The server's user has to come through; others have no business here.
        guard mkdir(path, getuid() == 0 ? 0o711 : 0o700) == 0 else {
            throw CommandFailure("\(path) can't be made (\(String(cString: strerror(errno)))); name another --data.")
        }
        guard MadeUpMark.put(in: path) else {
            throw CommandFailure("\(path) can't be written; name another --data.")
        }
    }

    /// Writes the plan that the daemon reads.
    func write(_ bytes: [UInt8]) throws {
        guard FileManager.default.createFile(atPath: plan, contents: Data(bytes)) else {
            throw CommandFailure("\(plan) can't be written; name another --data.")
        }
    }

    /// Releases everything that is over, and makes the reports of each kind's last periods.
    ///
    /// - Returns: the numbers of yesterday that were published and withheld, and the files that were made.
    func release(_ plan: Plan, _ crowd: TrialCrowd, _ days: [Period], out: String?) async throws -> (
        published: Int, withheld: Int, files: [String]
    ) {
        let store = ReleaseStore(try hastySettings())
        defer { store.close() }
        let now = UnixClock.system.now
        let made = try await ReleaseScheduler(store: store, rules: .system, secret: try secret())
            .releaseDue(of: plan, now: crowd.today.start, ignoringGrace: true).filter { $0.period == crowd.yesterday }
        let scheduler = reportScheduler(store)
        var files: [String] = []
        for report in plan.reports {
            for period in lastPeriods(of: report, plan, days).reversed() {
                func lacking(_ error: PrintError) { Terminal.talk("\(error)") }
                do {
                    if let out {
                        files += try await scheduler.write(
                            report, plan: plan, period: period, now: now, to: out, lacking: lacking)
                    } else {
                        files += try await scheduler.deliver(
                            report, plan: plan, period: period, now: now, lacking: lacking)
                    }
                } catch let error as ReportSchedulerError {
                    Terminal.talk("\(error)")
                }
            }
        }
        return (made.reduce(0) { $0 + $1.published }, made.reduce(0) { $0 + $1.withheld }, files)
    }

    /// The last periods of a report's kind that are over, the latest first: those that were counted as a whole, or else the
    /// latest one.
    private func lastPeriods(of report: Report, _ plan: Plan, _ days: [Period]) -> [Period] {
        guard let first = days.first, let yesterday = days.last else { return [] }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        func before(_ period: Period) -> Period { calendar.period(report.period, containing: period.start - 1) }
        var latest = calendar.period(report.period, containing: yesterday.start)
        if latest.end > yesterday.end { latest = before(latest) }
        var periods = [latest]
        while periods.count < Self.mostPeriods, let last = periods.last, before(last).start >= first.start {
            periods.append(before(last))
        }
        return periods
    }

    /// The periods of which a report is made.
    private static let mostPeriods = 3
}
