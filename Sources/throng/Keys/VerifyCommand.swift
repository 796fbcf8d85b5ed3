import ArgumentParser
import Foundation
import ThrongReport

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks a folder of reports against their signed manifests, offline.",
        discussion: """
            It says line by line what it checked: that each manifest was signed with one of the keys, at a time when that \
            key signed; that it is the manifest of the report and the period in its name; that every file that it lists is \
            there with the listed size and SHA-256; and that the folder holds nothing else: no further file, no folder, no \
            symbolic link.

            FILE is keys.json or the PEM of one public key. Get it from whoever runs the daemon by another way than the \
            reports; a key that came with them proves nothing.

            EXIT CODES
              0   everything is as it was signed
              1   something is not; the lines that begin with "bad" say what
              2   the folder or the keys can't be read
              64  the command line is wrong
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
        let findings: [Finding]

        struct Finding: Encodable {
            let good: Bool
            let subject: String
            let finding: String
        }
    }

    func run() async throws {
        guard let bytes = FileManager.default.contents(atPath: key) else {
            Terminal.talk("\(key): there is no such file, or it can't be read.")
            throw ExitCode(2)
        }
        guard let keys = ReportKeyList(String(decoding: bytes, as: UTF8.self)) else {
            Terminal.talk(
                "\(key) is neither a keys.json (throng-keys/1) nor the PEM of an Ed25519 public key; a private key is none."
            )
            throw ExitCode(2)
        }
        let check: FolderCheck
        do {
            check = try FolderCheck(of: folder, keys: keys, ignoring: key)
        } catch {
            Terminal.talk("\(folder) can't be read: \(error)")
            throw ExitCode(2)
        }
        if json {
            try Terminal.json(
                Findings(
                    good: check.isGood, reports: check.reports,
                    findings: check.lines.map { .init(good: $0.isGood, subject: $0.subject, finding: $0.finding) }))
        } else {
            for line in check.lines {
                Terminal.data("\(line.isGood ? "ok " : "bad")  \(line.subject): \(line.finding)")
            }
        }
        Terminal.talk(
            check.isGood
                ? "\(Terminal.count(check.reports, "report")), all as signed."
                : "Not everything is as it was signed: \(check.goodReports) of "
                    + "\(Terminal.count(check.reports, "report")) is.")
        if !check.isGood { throw ExitCode(1) }
    }
}
