import Foundation
import ThrongIngest
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The data directory of a trial: its own while it runs, emptied before, marked as made up, and left behind for whoever wants
/// to look.
struct TrialHouse {
    let path: String
    /// The descriptor of the mark, whose lock no other trial gets meanwhile.
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
            try await empty()
            return
        }
        throw CommandFailure(
            "A trial runs in \(places.joined(separator: ", ")); end it by Ctrl-C first, or name another --data.")
    }

    /// Makes a directory that nobody else can have put there, and locks its mark; nil where a trial or a daemon runs in it.
    /// One that holds anything else than an earlier trial is left alone.
    private static func lock(_ path: String) throws -> Int32? {
        let files = FileManager.default
        try DataDirectory.checkTrust(in: path)
        let parent = (path as NSString).deletingLastPathComponent
        if !parent.isEmpty { try files.createDirectory(atPath: parent, withIntermediateDirectories: true) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CommandFailure("\(path) can't be made (\(String(cString: strerror(errno)))); name another --data.")
        }
        // Nobody else can have put another one there in the meantime.
        try DataDirectory.checkTrust(in: path)
        guard try files.contentsOfDirectory(atPath: path).isEmpty || MadeUpMark.isThere(in: path) else {
            throw CommandFailure("\(path) holds something else than an earlier trial; name another --data.")
        }
        // Not the directory itself, which commands lock for the length of a change.
        guard let lock = try SystemDisk.shared.lock(path + "/" + MadeUpMark.name) else { return nil }
        guard MadeUpMark.fill(lock) else { throw CommandFailure("\(path) can't be written; name another --data.") }
        guard DataDirectory.isHeld(path) else { return lock }
        SystemDisk.shared.unlock(lock)
        return nil
    }

    /// Leaves the directory to whoever comes next.
    func leave() { SystemDisk.shared.unlock(lock) }

    /// Removes what an earlier trial left.
    private func empty() async throws {
        let files = FileManager.default
        try await cluster().remove()
        for name in try files.contentsOfDirectory(atPath: path) where name != MadeUpMark.name {
            try files.removeItem(atPath: path + "/" + name)
        }
        // The server's user has to come through; others have no business here.
        chmod(path, getuid() == 0 ? 0o711 : 0o700)
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

    /// Returns the headers of posts by a plan: with a secret, which it makes, where not everybody's batches count.
    func headers(for plan: Plan) throws -> [(name: String, value: String)] {
        if plan.app.keys != .required, plan.purposes.allSatisfy({ $0.senders == .anybody }) { return [] }
        let secret = try AppKeyFile(dataPath: path).change {
            $0.addSecret(of: plan.app.name, name: "trial \(UUID())", now: UnixClock.system.now)
        }
        return secret.map { [("authorization", "Bearer \($0)")] } ?? []
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
                func lacking(_ error: PrintLack) { Terminal.talk("\(error)") }
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

/// A `throng serve` of our own: started, waited for, stopped.
final class ServeProcess: Sendable {
    let url: String
    /// The address at which people look.
    let portal: String
    private let metricsURL: String
    private let process = Process()
    private let logPath: String
    private let connection: HTTPConnection

    /// - Parameter tls: what it speaks TLS by; nil speaks plain HTTP.
    init(plan: String, data: String, log: String, tls: TrialCertificate?) throws {
        let ports = try Self.freePorts(3)
        let scheme = tls == nil ? "http" : "https"
        url = "\(scheme)://127.0.0.1:\(ports[0])"
        portal = "\(scheme)://127.0.0.1:\(ports[2])/"
        var rules = ConnectionRules()
        rules.authorities = tls?.certificate
        connection = HTTPConnection(rules)
        metricsURL = "http://127.0.0.1:\(ports[1])/metrics"
        logPath = log
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        guard let handle = FileHandle(forWritingAtPath: log) else {
            throw CommandFailure("\(log) can't be written; name another folder with --data.")
        }
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            [
                // The machine's own settings are no demonstration's.
                "serve", "--config", "/dev/null", "--plan", plan, "--data", data, "--listen", "127.0.0.1:\(ports[0])",
                "--metrics", "127.0.0.1:\(ports[1])", "--portal", "127.0.0.1:\(ports[2])", "--made-up",
            ] + (tls.map { ["--tls-certificate", $0.certificate, "--tls-key", $0.key] } ?? [])
        // A database that the environment names is no place for made up numbers.
        let options = Set(Setting.all.filter { $0.option != nil }.map(\.variable))
        process.environment = ProcessInfo.processInfo.environment.filter { !options.contains($0.key) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
    }

    func waitUntilReady() async throws {
        for _ in 0..<600 {
            guard process.isRunning else {
                let log = String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
                throw CommandFailure("throng serve ended at once:\n\(log)")
            }
            if await isReady() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw CommandFailure("throng serve was not ready within a minute; its log is \(logPath).")
    }

    /// Makes it read its plan anew.
    func reload() { kill(process.processIdentifier, SIGHUP) }

    func counts(by version: PlanVersion, of app: AppName) async -> Bool {
        // Nothing comes of one that starts anew just now.
        let answer = try? await connection.answer(
            to: OutgoingRequest(.get, "\(url)/v1/plan/\(app)"), within: .seconds(2), bodyLimit: 1 << 22)
        return answer?.status == 200 && String(decoding: answer?.body ?? [], as: UTF8.self).contains(version.hex)
    }

    /// Returns once PostgreSQL has everything that was acknowledged.
    func waitUntilFlushed() async throws {
        for _ in 0..<1200 {
            let answer = try await connection.answer(
                to: OutgoingRequest(.get, metricsURL), within: .seconds(10), bodyLimit: 1 << 20)
            if String(decoding: answer.body, as: UTF8.self).contains("\nthrong_journal_lag_batches 0.0\n") { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw CommandFailure("PostgreSQL did not catch up within two minutes; the log is \(logPath).")
    }

    func stop() throws {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure("throng serve ended with \(process.terminationStatus); its log is \(logPath).")
        }
    }

    private func isReady() async -> Bool {
        // Nothing comes of a daemon that does not listen yet.
        (try? await connection.status(of: OutgoingRequest(.get, url + "/readyz"), within: .seconds(2))) == 200
    }

    /// Returns a port that can be listened on: the one that is wanted, else 8080, else any.
    ///
    /// - Throws: ``CommandFailure`` where the wanted one is taken.
    static func freePort(_ wanted: Int?) throws -> Int {
        if let wanted {
            guard let port = port(wanted, keeping: nil) else {
                throw CommandFailure("Port \(wanted) is taken; name another --port, or none.")
            }
            return port
        }
        return try port(8080, keeping: nil) ?? freePorts(1)[0]
    }

    /// Ports that nobody listened on a moment ago.
    private static func freePorts(_ count: Int) throws -> [Int] {
        var descriptors: [Int32] = []
        defer { descriptors.forEach { close($0) } }
        return try (0..<count).map { _ in
            guard let port = port(0, keeping: { descriptors.append($0) }) else {
                throw CommandFailure("No free port on the loopback interface.")
            }
            return port
        }
    }

    /// Binds a port for a moment, any one for 0; nil where it is taken.
    private static func port(_ wanted: Int, keeping: ((Int32) -> Void)?) -> Int? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { if keeping == nil { close(descriptor) } }
        keeping?(descriptor)
        var yes: Int32 = 1
        // As a server does it: what waits for the end of an old connection is free.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(wanted).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
}

/// A certificate for this machine alone, which OpenSSL makes for one trial and nobody vouches for.
struct TrialCertificate {
    let certificate: String
    let key: String

    /// Makes it in a folder; it lasts for a month.
    ///
    /// - Throws: ``CommandFailure`` where there is no `openssl`, or it fails.
    init(in folder: String) throws {
        certificate = folder + "/tls-certificate.pem"
        key = folder + "/tls-key.pem"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", "/CN=Throng's trial", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
            certificate,
        ]
        let words = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = words
        try process.run()
        let said = String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure(
                "openssl, which makes the trial's certificate, failed: \(said)\nInstall it, or leave --tls out.")
        }
    }

    /// The ways by which a client comes to trust it.
    var advice: String {
        """
        TLS: nobody vouches for the certificate, so tell a client that you do:
          curl --cacert \(certificate) URL
          a browser: import \(certificate) as an authority, and remove it once you have seen enough
        """
    }
}
