import ArgumentParser
import Foundation
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct RetentionProveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Writes down what age took, what goes next and what was promised, signed.",
        usage: "throng retention prove [<options>]",
        discussion: """
            With --out it writes three files into a folder: a page to read (….proof.md), the same as JSON (….proof.json), and its \
            signature (….proof.sig) with the key that signs reports. `throng verify FOLDER --key keys.json` checks them offline. \
            Without --out the JSON goes to standard output, and nobody vouches for it.

            Each entry's digest covers the one before it. A proof of a part of them begins and ends with digests that proofs of \
            other times have to have, too: keep them in one folder, and `throng verify` compares them.

            It ends with 2 where something should be gone by now, with 1 where the chain is broken; a proof of that is written.

            EXAMPLE
              throng retention prove --from 2026-10-01 --out ./proofs --data ./data
            """)

    @OptionGroup var plans: PlanFiles
    @OptionGroup var place: Place

    @Option(help: ArgumentHelp("Only what went on this day (UTC) or later.", valueName: "date"))
    var from: String?

    @Option(help: ArgumentHelp("Only what went on this day (UTC) or earlier.", valueName: "date"))
    var to: String?

    @Option(help: ArgumentHelp("The folder for the files; it is made where there is none.", valueName: "dir"))
    var out: String?

    @Option(help: ArgumentHelp("The private key's file (default: that of reports).", valueName: "file"))
    var key: String?

    func run() async throws {
        let stretch = try self.stretch()
        let plans = plans.files.isEmpty ? [] : try plans.read()
        let signing = try self.signing()
        let key = out == nil ? nil : try signing.current()
        if out != nil, key == nil {
            throw CommandFailure(
                "There is no key at \(signing.keyPath), and a proof that nobody signed proves nothing. `throng key new` makes one; "
                    + "--key names another. Without --out the document is printed unsigned.")
        }
        let standing = try await DatabaseAccess.releases(place) { store in
            return try await RetentionStore(store.connection).standing(plans)
        }
        let proof = RetentionProof(
            of: standing, from: stretch.from, to: stretch.to, made: UnixClock.system.now, key: key?.publicKey.id)
        if let out, let key {
            for path in try ReportFolder(path: out).deliver(proof.files(signedWith: key)) { Terminal.data(path) }
        } else {
            Terminal.data(String(proof.json(page: nil).dropLast()))
            Terminal.talk("Nobody signed this. With --out it is signed, so that others can check it.")
        }
        Terminal.talk(
            proof.entries.isEmpty
                ? "No entry of the ledger is of that time: \(Self.count(Int(proof.head.place))) in all."
                : "\(Self.count(proof.entries.count)) of \(proof.head.place), the last digest is \(proof.head.digest.lowerHex)."
        )
        if let place = proof.broken { throw CommandFailure(RetentionCommand.Ledger.broken(at: place)) }
        if proof.overdue > 0 {
            Terminal.talk(RetentionCommand.Status.overdue(proof.overdue))
            throw ExitCode(2)
        }
    }

    private static func count(_ entries: Int) -> String { RetentionCommand.Ledger.count(entries) }

    private func signing() throws -> ReportKeyFolder {
        if let key { return ReportKeyFolder(keyPath: key) }
        let settings = try Settings.ofMachine()
        try DaemonSettings.check(settings)
        var reports = ReportSettings(dataPath: place.dataPath)
        try ReportVariables.apply(to: &reports, plans: [], settings: settings)
        return reports.signing
    }

    private func stretch() throws -> (from: UnixSeconds?, to: UnixSeconds?) {
        func day(_ text: String?, _ option: String) throws -> Int64? {
            guard let text else { return nil }
            guard let date = CalendarDate(text) else {
                throw ValidationError("\(option) '\(text)' is no date: write 2026-11-20.")
            }
            return date.daysSince1970
        }
        let (first, last) = (try day(from, "--from"), try day(to, "--to"))
        if let first, let last, first > last {
            throw ValidationError("--from \(from ?? "") is after --to \(to ?? ""): nothing lies in between.")
        }
        return (first.map { UnixSeconds($0 * 86_400) }, last.map { UnixSeconds(($0 + 1) * 86_400) })
    }
}
