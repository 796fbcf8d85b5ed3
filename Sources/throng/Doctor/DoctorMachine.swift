import Foundation
import Logging
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The parts of a machine that `throng doctor` looks at without asking anybody.
struct DoctorMachine {
    let settings: Settings

    private var path: String { settings.dataPath }

    var program: DoctorFinding {
        let text = "throng \(Versions.throng), built with Swift \(Versions.swift)"
        guard Fault.variables.isEmpty else {
            return DoctorFinding(
                "program", .look, "\(text), a debug build: slow, for tests and a first look",
                "Deploy/package deb makes the one to install")
        }
        return DoctorFinding("program", .good, text)
    }

    // MARK: Files

    var directory: DoctorFinding {
        do { try DataDirectory.checkTrust(in: path) } catch {
            return DoctorFinding("data", .wrong, "\(error)", "chown it to the user of `throng serve`, and chmod 700")
        }
        guard FileManager.default.fileExists(atPath: path) else {
            return DoctorFinding("data", .good, "\(path) is not there yet; the first start makes it")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            return DoctorFinding(
                "data", .wrong, "\(path) can't be read and written by this user",
                "run this as the user of `throng serve`, or chown the folder to it")
        }
        return DoctorFinding("data", .good, path)
    }

    /// The files that settings name, a start or a delivery needs, and nobody here can read; a sentence each.
    var unreadable: [String] {
        let files: [Setting] = [.certificate, .key, .memberAuthorities, .clientAuthorities, .authorities]
        return files.compactMap { setting in
            guard let value = settings.value(of: setting), AddressText.problem(ofPath: value.text) == nil,
                access(value.file, R_OK) != 0
            else { return nil }
            let why = errno == ENOENT ? "is not there; put it there" : "can't be read by this user; chown or chmod it"
            return "\(value.place): \(value.file) \(why), or name another file."
        }
    }

    var rules: DoctorFinding {
        let rules = UserAgentRules.system
        guard rules.version != "missing" else {
            return DoctorFinding(
                "uap-core", .wrong,
                "\(rules.path) is not there, or no file of uap-core's: nobody can read a user agent",
                "apt-get install uap-core")
        }
        return DoctorFinding("uap-core", .good, "\(rules.path), version \(rules.version)")
    }

    /// The certificate's files; nil without TLS.
    var certificate: DoctorFinding? {
        guard let key = settings.value(of: .key)?.text, let certificate = settings.value(of: .certificate)?.file else {
            return nil
        }
        for file in [certificate, key] where access(file, R_OK) != 0 {
            return DoctorFinding(
                "TLS", .wrong, "\(file) can't be read by this user", "chown it to the user of `throng serve`")
        }
        var facts = stat()
        if stat(key, &facts) == 0, facts.st_mode & 0o007 != 0 {
            return DoctorFinding("TLS", .wrong, "everybody on this machine may read \(key)", "chmod o= \(key)")
        }
        return DoctorFinding("TLS", .good, certificate)
    }

    // MARK: Space

    var space: DoctorFinding? {
        // The folder may not be there yet; its disk is that of the first folder above it.
        var folder = path
        while folder.count > 1, !FileManager.default.fileExists(atPath: folder) {
            folder = (folder as NSString).deletingLastPathComponent
        }
        var facts = statvfs()
        guard statvfs(folder, &facts) == 0 else {
            return DoctorFinding("space", .look, "the system does not say how much is free in \(folder)")
        }
        let free = Int64(clamping: UInt64(facts.f_bavail) * UInt64(facts.f_frsize))
        let cap =
            Setting.named("journal.cap-bytes").flatMap { settings.value(of: $0) }.flatMap { Int64($0.text) } ?? 4 << 30
        let text = "\(free >> 20) MiB free in \(folder)"
        if free < 1 << 30 {
            return DoctorFinding("space", .wrong, text, "make room: below 1 GiB clients are soon told to wait")
        }
        guard free >= cap + cap / 4 else {
            return DoctorFinding(
                "space", .look, text,
                "the journal may take \(cap >> 20) MiB and a quarter more while PostgreSQL is away: make room, or lower journal.cap-bytes"
            )
        }
        return DoctorFinding("space", .good, text)
    }

    // MARK: Backups

    var backups: DoctorFinding? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let marks = BackupMarks(dataPath: path)
        let cure = "throng backup --help says how; a timer is in Deploy/systemd"
        do {
            guard let made = try marks.last(.made) else {
                return DoctorFinding("backups", .look, "none was ever made here", cure)
            }
            let days = (UnixClock.system.now - made) / 86_400
            if let failed = try marks.last(.failed), failed > made {
                return DoctorFinding("backups", .wrong, "the last one failed; one was made \(days) days ago", cure)
            }
            let isOld = abs(days) > 2
            return DoctorFinding("backups", isOld ? .look : .good, "one was made \(days) days ago", isOld ? cure : nil)
        } catch { return DoctorFinding("backups", .wrong, "\(error)", cure) }
    }
}

/// A daemon that runs on this machine, as its page for Prometheus shows it.
struct DoctorDaemon {
    let settings: Settings

    private var address: String { settings.value(of: .metrics)?.text ?? Setting.metrics.standard }

    var findings: [DoctorFinding] {
        get async {
            do {
                let answer = try await HTTPConnection().answer(
                    to: OutgoingRequest(.get, "http://\(address)/metrics"), within: .seconds(5), bodyLimit: 16 << 20)
                guard answer.status == 200 else { throw CommandFailure("it answers \(answer.status)") }
                return read(MetricsPage(String(decoding: answer.body, as: UTF8.self)))
            } catch {
                return [
                    DoctorFinding(
                        "daemon", .look, "none answers at http://\(address)/metrics: \(error)",
                        "throng serve starts one; where it runs elsewhere, name its --metrics")
                ]
            }
        }
    }

    private func read(_ page: MetricsPage) -> [DoctorFinding] {
        var findings = [DoctorFinding("daemon", .good, "one answers at http://\(address)/metrics")]
        if page.value("throng_database_up") == 0 {
            findings.append(
                DoctorFinding(
                    "daemon", .wrong, "it does not reach PostgreSQL, and keeps events in its journal",
                    "start PostgreSQL, or mend --database"))
        }
        for (round, value) in page.values("throng_round_failing", by: "round") where value == 1 {
            findings.append(
                DoctorFinding("daemon", .wrong, "its round \(round) fails", "its log says why: journalctl -u throng"))
        }
        return findings + [certificate(page), refusals(page)].compactMap { $0 }
    }

    private func certificate(_ page: MetricsPage) -> DoctorFinding? {
        guard let end = page.value("throng_certificate_end_timestamp_seconds"), end > 0 else { return nil }
        let days = (Int64(end) - UnixClock.system.now.value) / 86_400
        return days >= 14
            ? DoctorFinding("TLS", .good, "the daemon's certificate is good for \(days) days")
            : DoctorFinding(
                "TLS", days < 1 ? .wrong : .look, "the daemon's certificate is good for \(max(0, days)) days",
                "renew it; the daemon reads the new file by itself")
    }

    /// More than one event in twenty that changed no counter: a client and the plan differ.
    private func refusals(_ page: MetricsPage) -> DoctorFinding? {
        let refused = page.values("throng_events_refused_total", by: "reason")
        let accepted = page.values("throng_events_accepted_total", by: "app").map(\.value).reduce(0, +)
        let sum = refused.map(\.value).reduce(0, +)
        guard sum + accepted > 0, let most = refused.max(by: { $0.value < $1.value }) else { return nil }
        let percent = Int(100 * sum / (sum + accepted))
        guard sum * 20 > sum + accepted else {
            return DoctorFinding("events", .good, "\(percent) % of all since its start were refused")
        }
        return DoctorFinding(
            "events", .look, "\(percent) % of all since its start were refused, most as \(most.label)",
            "compare what clients send with the plan; POST /v1/preview says what becomes of an event")
    }
}

/// The text that Prometheus reads.
struct MetricsPage {
    private let lines: [Substring]

    init(_ text: String) { lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") } }

    /// The value of a metric without labels, or of its first line.
    func value(_ name: String) -> Double? { found(name).first.flatMap { Double($0.value) } }

    func values(_ name: String, by label: String) -> [(label: String, value: Double)] {
        found(name).compactMap { labels, value in
            guard let number = Double(value) else { return nil }
            let text = labels.split(separator: "\"", omittingEmptySubsequences: false)
            let place = text.indices.first { text[$0].hasSuffix("\(label)=") && text.indices.contains($0 + 1) }
            return (place.map { String(text[$0 + 1]) } ?? "", number)
        }
    }

    private func found(_ name: String) -> [(labels: Substring, value: Substring)] {
        lines.compactMap { line in
            guard line.hasPrefix(name), let space = line.lastIndex(of: " ") else { return nil }
            let labels = line[..<space].dropFirst(name.count)
            guard labels.isEmpty || labels.first == "{" else { return nil }
            return (labels, line[line.index(after: space)...])
        }
    }
}

/// The PostgreSQL of a daemon, as `throng doctor` finds it, and the clocks that both go by.
struct DoctorDatabase {
    let settings: Settings
    /// The first supported version of PostgreSQL.
    private static let oldest = 15

    var findings: [DoctorFinding] {
        get async {
            if let database = settings.value(of: .database) {
                return await asked(ConnectionSettings(connectionString: database.text), "the one of \(database.place)")
            }
            let directory = settings.dataPath + "/postgres"
            guard FileManager.default.fileExists(atPath: directory) else { return [programs] }
            do {
                let cluster = try PrivateCluster.quiet(in: directory, from: .error)
                guard cluster.processID != nil else {
                    return [
                        DoctorFinding("PostgreSQL", .good, "the private one does not run; `throng serve` starts it")
                    ]
                }
                return await asked(cluster.settings, "the private one")
            } catch { return [DoctorFinding("PostgreSQL", .wrong, "\(error)", "apt-get install postgresql")] }
        }
    }

    /// The programs of a PostgreSQL that a first start needs.
    private var programs: DoctorFinding {
        let folder = "/usr/lib/postgresql"
        // A folder that is not there has no version in it.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let found = versions.filter { access("\(folder)/\($0)/bin/initdb", X_OK) == 0 }.compactMap { Int($0) }
        guard let newest = found.max(), newest >= Self.oldest else {
            return DoctorFinding(
                "PostgreSQL", .wrong, "none is set, and none of \(Self.oldest) or later is installed for a private one",
                "apt-get install postgresql, or name one by --database")
        }
        return DoctorFinding(
            "PostgreSQL", .good, "none is set; the first start makes a private one of version \(newest)")
    }

    private func asked(_ connection: ConnectionSettings, _ name: String) async -> [DoctorFinding] {
        do {
            let (version, missing) = try await standing(connection)
            let found = "\(name) answers, version \(version / 10_000).\(version % 10_000)"
            guard version >= Self.oldest * 10_000 else {
                return [
                    DoctorFinding(
                        "PostgreSQL", .wrong, "\(found), which is not supported",
                        "upgrade it to \(Self.oldest) or later")
                ]
            }
            guard missing == 0 else {
                return [
                    DoctorFinding(
                        "PostgreSQL", .look, "\(found), and lacks \(missing) migrations",
                        "throng database --migrate, as the schema's owner")
                ]
            }
            return [
                DoctorFinding("PostgreSQL", .good, "\(found), which is supported, with this version's schema"),
                try await clock(connection),
            ]
        } catch {
            return [
                DoctorFinding(
                    "PostgreSQL", .wrong, "\(name) can't be asked: \(error)",
                    "see whether it runs and lets this user in; events wait in the journal meanwhile")
            ]
        }
    }

    /// The server's version, and how many migrations it lacks where it is not too old for them.
    private func standing(_ settings: ConnectionSettings) async throws -> (version: Int, missing: Int) {
        let connection = Connection(settings)
        defer { connection.close() }
        let version = try await connection.run { $0.serverVersion }
        guard version >= Self.oldest * 10_000 else { return (version, 0) }
        return (version, try await Migrator(connection).status().count { $0.appliedAt == nil })
    }

    private func clock(_ settings: ConnectionSettings) async throws -> DoctorFinding {
        let store = DatabaseClock(settings)
        defer { store.close() }
        guard let doubt = try await MachineClock().look(store) else {
            return DoctorFinding("clock", .good, "the time of day is believed")
        }
        return DoctorFinding(
            "clock", .wrong, "\(doubt)", "set the clock; where it is right: throng doctor --confirm-clock DATE")
    }
}
