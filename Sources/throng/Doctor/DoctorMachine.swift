import Foundation
import ThrongJournal
import ThrongPlan
import ThrongSystem

/// The parts of a machine that `throng doctor` looks at without asking anybody.
struct DoctorMachine {
    private let settings: Settings
    private let path: String

    init(_ settings: Settings) {
        self.settings = settings
        path = settings.dataPath
    }

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
        do {
            try DataDirectory.checkTrust(in: path)
        } catch {
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
                access(value.text, R_OK) != 0
            else { return nil }
            let why = errno == ENOENT ? "is not there; put it there" : "can't be read by this user; chown or chmod it"
            return "\(value.place): \(value.text) \(why), or name another file."
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
        guard let key = settings.value(of: .key)?.text, let certificate = settings.value(of: .certificate)?.text else {
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
        guard let made = marks.last(.made) else {
            return DoctorFinding("backups", .look, "none was ever made here", cure)
        }
        let days = (UnixClock.system.now - made) / 86_400
        if let failed = marks.last(.failed), failed > made {
            return DoctorFinding("backups", .wrong, "the last one failed; one was made \(days) days ago", cure)
        }
        return DoctorFinding(
            "backups", days > 2 ? .look : .good, "one was made \(days) days ago", days > 2 ? cure : nil)
    }
}
