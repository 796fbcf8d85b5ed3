import ArgumentParser
import Foundation
import ThrongReport
import ThrongSchedule
import ThrongSystem
import ThrongWire

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks signed reports and proofs, offline.",
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

    @Argument(help: ArgumentHelp("The folder.", valueName: "dir"))
    var folder: String

    @Option(help: ArgumentHelp("The public keys: keys.json, or a key's PEM.", valueName: "file"))
    var key: String

    @Flag(help: "Prints the findings as JSON.")
    var json = false

    private struct Findings: Encodable {
        let good: Bool
        let reports: Int
        let series: [Series]
        let findings: [Finding]

        struct Series: Encodable {
            let report: String
            let app: String
            let partner: String
            let kind: String
            let first: String
            let last: String
            let count: Int
            let missing: [String]
            let missingCount: Int
        }

        struct Finding: Encodable {
            let good: Bool
            let subject: String
            let finding: String

            init(_ line: FolderCheck.Line) { (good, subject, finding) = (line.isGood, line.subject, line.finding) }
        }
    }

    func run() async throws {
        guard let bytes = FileManager.default.contents(atPath: key) else {
            Terminal.talk("\(key.printable): there is no such file, or it can't be read.")
            throw ExitCode(2)
        }
        guard let keys = ReportKeyList(String(decoding: bytes, as: UTF8.self)) else {
            Terminal.talk(
                "\(key.printable) is neither a keys.json (throng-keys/1) nor the PEM of an Ed25519 public key. A private key checks "
                    + "nothing: ask whoever runs the daemon for the public one."
            )
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
                Findings(
                    good: check.isGood, reports: check.reports,
                    series: check.series.map {
                        .init(
                            report: $0.report, app: $0.app, partner: $0.partner, kind: $0.kind.rawValue,
                            first: $0.first, last: $0.last, count: $0.count, missing: $0.missing,
                            missingCount: $0.missingCount)
                    },
                    findings: check.lines.map(Findings.Finding.init)))
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
                Proofs(
                    good: check.isGood, proofs: check.proofs, contents: check.contents,
                    findings: check.lines.map(Findings.Finding.init)))
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

    private struct Proofs: Encodable {
        let good: Bool
        let proofs: Int
        let contents: [String]
        let findings: [Findings.Finding]
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
