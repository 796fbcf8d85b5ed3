import ArgumentParser
import Foundation
import ThrongReport
import ThrongSchedule
import ThrongSystem
import ThrongWire

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Makes and lists the keys that sign reports.",
        discussion: """
            Where there is a key, `throng serve` and `throng report` put a signed manifest beside each report's files. The \
            private key is in signing/key.pem of the data directory, or where --key or THRONG_REPORT_KEY says; the public \
            ones are in keys.json beside it, which partners should get by another way than the reports. verify.html there \
            checks reports in a browser, without a network.

            EXAMPLE
              throng key new --data ./data
            """, subcommands: [KeyNewCommand.self, KeyListCommand.self])
}

struct KeyOption: ParsableArguments {
    @OptionGroup var data: DataOption

    @Option(help: ArgumentHelp("The private key's file, instead of signing/key.pem there.", valueName: "file"))
    var key: String?

    var folder: ReportKeyFolder { key.map { ReportKeyFolder(keyPath: $0) } ?? ReportKeyFolder(dataPath: data.path) }
}

struct KeyNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Makes a key that signs from now on; an earlier one stops.",
        discussion: """
            The earlier key's private part is deleted, its public part stays in keys.json with the times between which it \
            signed, so that what it signed can still be checked. A running daemon takes the new key for its next report. \
            Give partners the new keys.json. Prints the new key's id.

            EXAMPLE
              throng key new --data ./data
            """)

    @OptionGroup var option: KeyOption

    func run() async throws {
        let key = try option.folder.rotate(now: UnixClock.system.now)
        Terminal.data(key.id.hex)
        Terminal.talk("The private key is in \(option.folder.keyPath); give partners \(option.folder.listPath).")
    }
}

struct KeyListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the keys that sign and have signed, the present one last.",
        discussion: "EXAMPLE\n  throng key list --pem --data ./data")

    @OptionGroup var option: KeyOption
    @Flag(help: "Prints keys.json.") var json = false
    @Flag(help: "Prints the public part of one key as PEM, for openssl and for `throng verify`.") var pem = false
    @Argument(help: "With --pem: the key's id (default: the one that signs now).") var id: String?

    func validate() throws { guard id == nil || pem else { throw ValidationError("A key's id goes with --pem.") } }

    func run() async throws {
        let list = try option.folder.list()
        if pem {
            guard let entry = id.map({ id in list.keys.first { $0.key.id.hex == id } }) ?? list.current else {
                throw CommandFailure(
                    id.map { "\(option.folder.listPath) has no key \($0); `throng key list` lists them." }
                        ?? "There is no key. `throng key new` makes one.")
            }
            return Terminal.data(String(entry.key.pem.dropLast()))
        }
        if json { return Terminal.data(String(list.json.dropLast())) }
        for entry in list.keys {
            let from = entry.from.map(Terminal.instant) ?? ""
            let until = entry.until.map { "until " + Terminal.instant($0) } ?? "signs now"
            Terminal.data("\(entry.key.id)  from \(from)  \(until)")
        }
        if list.keys.isEmpty { Terminal.talk("There is no key. `throng key new` makes one.") }
    }
}

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Checks signed reports and proofs, offline.",
        discussion: """
            It says line by line what it checked: that each manifest was signed with one of the keys, at a time when that \
            key signed; that it is the manifest of the report and the period in its name; that every file that it lists is \
            there with the listed size and SHA-256; and that the folder holds nothing else: no further file, no folder, no \
            symbolic link.

            Of each report it says which periods lie between others and have no manifest. That is no fault: such a period may \
            have been left out with all its files, or was never reported.

            Of proofs of retention it says whether their entries follow each other by their digests. Several in one folder have \
            to tell the same of each entry.

            Get the keys from whoever runs the daemon by another way than the reports: a key that came with them proves nothing.

            EXIT CODES
              1  something is not as it was signed: lines that begin with "bad"
              2  the folder or the keys can't be read

            EXAMPLE
              throng verify ./reports --key keys.json
            """)

    @Argument(help: ArgumentHelp("The folder.", valueName: "dir")) var folder: String
    @Option(help: ArgumentHelp("The public keys: keys.json, or a key's PEM.", valueName: "file")) var key: String
    @Flag(help: "Prints the findings as JSON.") var json = false

    private struct Findings: Encodable {
        let good: Bool
        let reports: Int
        let series: [ReportSeries]
        let findings: [FolderCheck.Line]
    }

    private struct Proofs: Encodable {
        let good: Bool
        let proofs: Int
        let contents: [String]
        let findings: [FolderCheck.Line]
    }

    func run() async throws {
        guard let bytes = FileManager.default.contents(atPath: key) else {
            Terminal.talk("\(key.printable): there is no such file, or it can't be read.")
            throw ExitCode(2)
        }
        guard let keys = ReportKeyList(String(decoding: bytes, as: UTF8.self)) else {
            Terminal.talk(
                "\(key.printable) is neither a keys.json (throng-keys/1) nor the PEM of an Ed25519 public key. A private key checks "
                    + "nothing: ask whoever runs the daemon for the public one.")
            throw ExitCode(2)
        }
        let check: FolderCheck
        do {
            if try RetentionProofCheck.concerns(folder) {
                return try verify(RetentionProofCheck(of: folder, keys: keys, ignoring: key))
            }
            check = try FolderCheck(of: folder, keys: keys, ignoring: key)
        } catch let error as ReportError {
            Terminal.talk(Self.reason(folder, error))
            throw ExitCode(2)
        }
        if json {
            try Terminal.json(
                Findings(good: check.isGood, reports: check.reports, series: check.series, findings: check.lines))
        } else {
            Self.say(check.lines)
            for series in check.series {
                let names = [series.report, series.app, series.partner].map(\.printable)
                Terminal.data("has  \(names[0]) of \(names[1]) for \(names[2]): \(series.finding)")
            }
        }
        Terminal.talk(
            check.isGood
                ? "\(Terminal.count(check.reports, "report")), all as signed."
                : check.reports == 0
                    ? "There is no signed report here."
                    : "Not everything is as it was signed. Reports without a fault: \(check.goodReports) of "
                        + "\(check.reports).")
        if !check.isGood { throw ExitCode(1) }
    }

    private static func say(_ lines: [FolderCheck.Line]) {
        for line in lines { Terminal.data("\(line.isGood ? "ok " : "bad")  \(line.subject): \(line.finding)") }
    }

    private func verify(_ check: RetentionProofCheck) throws {
        if json {
            try Terminal.json(
                Proofs(good: check.isGood, proofs: check.proofs, contents: check.contents, findings: check.lines))
        } else {
            Self.say(check.lines)
            for content in check.contents { Terminal.data("has  \(content)") }
        }
        guard check.isGood else {
            Terminal.talk("Not everything is as it was signed and written down.")
            throw ExitCode(1)
        }
        Terminal.talk("\(Terminal.count(check.proofs, "proof")) of retention, all as signed.")
    }

    private static func reason(_ folder: String, _ error: ReportError) -> String {
        guard case .system(let call, let found, let code) = error else { return "\(folder) can't be read: \(error)" }
        let (folder, path) = (folder.printable, found.printable)
        return switch code {
        case ENOENT where path == folder: "\(folder): there is no such folder."
        case ENOTDIR: "\(folder) is a file. Name the folder that it is in."
        case EACCES: "\(path) may not be read by this user."
        default: "\(path) can't be read: \(call) failed with error \(code)."
        }
    }
}
