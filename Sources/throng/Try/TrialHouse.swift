import Foundation
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The data directory of a trial: its own while it runs, emptied before, marked as made up, and left behind for whoever wants
/// to look.
struct TrialHouse {
    let path: String
    /// The descriptor of the directory, whose lock no other trial gets meanwhile.
    private let lock: Int32

    /// Takes a directory, and empties it of what an earlier trial left.
    ///
    /// - Parameters:
    ///   - named: where nil, it is the first of nine standard ones that no trial runs in.
    ///   - standard: the first of these; the others are named after it.
    init(_ named: String?, else standard: String = Place.standardData + "-try") async throws {
        let places = named.map { [$0] } ?? [standard] + (2...9).map { "\(standard)-\($0)" }
        for place in places.map(Place.absolute) {
            guard let lock = try Self.lock(place) else { continue }
            (path, self.lock) = (place, lock)
            do { try await empty() } catch {
                leave()
                throw error
            }
            return
        }
        throw CommandFailure(
            "A trial runs in \(places.joined(separator: ", ")); end it by Ctrl-C first, or name another --data.")
    }

    /// Makes a directory that nobody else can have put there, and locks it; nil where a trial or a daemon runs in it.
    private static func lock(_ path: String) throws -> Int32? {
        let files = FileManager.default
        func failed() -> CommandFailure {
            CommandFailure("\(path) can't be made (\(String(cString: strerror(errno)))); name another --data.")
        }
        try DataDirectory.checkTrust(in: path)
        let parent = (path as NSString).deletingLastPathComponent
        if !parent.isEmpty { try files.createDirectory(atPath: parent, withIntermediateDirectories: true) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failed() }
        // Nobody else can have put another one there in the meantime.
        try DataDirectory.checkTrust(in: path)
        let lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw failed() }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0, !DataDirectory.isHeld(path) else {
            close(lock)
            return nil
        }
        return lock
    }

    /// Leaves the directory to whoever comes next.
    func leave() { close(lock) }

    /// Removes what an earlier trial left, and marks the directory; one that holds anything else is left alone.
    private func empty() async throws {
        let files = FileManager.default
        guard try files.contentsOfDirectory(atPath: path).isEmpty || MadeUpMark.isThere(in: path) else {
            throw CommandFailure("\(path) holds something else than an earlier trial; name another --data.")
        }
        guard MadeUpMark.put(in: path) else { throw CommandFailure("\(path) can't be written; name another --data.") }
        try await cluster().remove()
        for name in try files.contentsOfDirectory(atPath: path) where name != MadeUpMark.name {
            try files.removeItem(atPath: path + "/" + name)
        }
        // The server's user has to come through; others have no business here.
        fchmod(lock, getuid() == 0 ? 0o711 : 0o700)
    }

    /// The plan's file as the trial's daemon reads it: the last that was right.
    var plan: String { path + "/plan.yaml" }

    /// The private PostgreSQL.
    ///
    /// - Throws: `ClusterError`.
    func cluster() throws -> PrivateCluster { try .quiet(in: path + "/postgres") }

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
                    files += try await scheduler.writeOrDeliver(
                        report, plan: plan, period: period, now: now, to: out, lacking: lacking)
                } catch let error as ReportSchedulerError { Terminal.talk("\(error)") }
            }
        }
        return (made.reduce(0) { $0 + $1.published }, made.reduce(0) { $0 + $1.withheld }, files)
    }

    /// The last periods of a report's kind that are over, the latest first: those that were counted as a whole, or else the
    /// latest one.
    private func lastPeriods(of report: Report, _ plan: Plan, _ days: [Period]) -> [Period] {
        guard let first = days.first, let yesterday = days.last else { return [] }
        let calendar = plan.calendar
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
