import ArgumentParser
import Foundation
import ThrongPlan
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention", abstract: "Shows what age takes next, and took; proves it.",
        discussion: """
            A running `throng serve` takes what has reached its age once a day. These commands look, and take nothing.

            EXAMPLE
              throng retention status --data ./data
            """, subcommands: [Status.self, RetentionProveCommand.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What goes next of each metric, by which promise, and what is overdue; or what age took.",
            usage: "throng retention status [<options>]",
            discussion: """
                Promises of former plans are among them: they hold for what was counted under them. Ends with 1 where something is \
                overdue: a day and two hours after its age; or where an app's promises can't be read, of which then what its \
                plan says is here.

                With --ledger, what age took: when, of what, by which promise, and how much; and whether the chain holds. Each \
                entry's digest covers the one before it, so that none can be changed or taken out without changing all after \
                it. Keep the last digest: a later ledger has to hold it. Ends with 1 where the chain is broken.

                EXAMPLES
                  throng retention status --plan plan.yaml --data ./data
                  throng retention status --ledger --data ./data
                """)

        @OptionGroup var plans: PlanFiles
        @OptionGroup var place: Place
        @Flag(help: "Says what age took, and whether the chain of its entries holds.") var ledger = false

        @Option(help: ArgumentHelp("With --ledger: an app; without it the entries of all.", valueName: "name"))
        var app: String?

        @Flag(help: "Prints the list as JSON; a ledger with its digests.") var json = false

        private struct Line: Encodable {
            let app, metric, term, due: String
            let releases: Int64
            let overdue: Bool
        }

        func validate() throws {
            guard ledger || app == nil else { throw ValidationError("--app goes with --ledger.") }
        }

        func run() async throws {
            if ledger { return try await Ledger(place: place, app: app, json: json).say() }
            let plans = plans.files.isEmpty ? [] : try plans.read()
            let now = UnixClock.system.now
            let outlook = try await DatabaseAccess.releases(place) { store in
                return try await RetentionStore(store.connection).outlook(plans)
            }
            let lines = outlook.due.map {
                Line(
                    app: $0.app.text, metric: $0.metric.text, term: $0.term, due: Terminal.instant($0.at),
                    releases: $0.releases, overdue: $0.isOverdue(at: now))
            }
            if json {
                try Terminal.json(lines)
            } else if lines.isEmpty {
                Terminal.talk("Nothing that was released is left to be taken.")
            } else {
                Terminal.data(
                    Terminal.table(
                        lines.map { line in
                            (
                                "\(line.due)\(line.overdue ? "  OVERDUE" : "")",
                                "\(line.app) \(line.metric), \(line.term), of "
                                    + Terminal.count(Int(line.releases), "release")
                            )
                        }))
            }
            for trouble in outlook.troubles { Terminal.talk("\(trouble.app): \(trouble.reason)") }
            let late = lines.count { $0.overdue }
            if let app = outlook.troubles.first?.app {
                throw CommandFailure("The promises of \(app) can't be read, so that age takes nothing of it.")
            }
            if late > 0 { throw CommandFailure(Self.overdue(late)) }
        }

        static func overdue(_ late: Int) -> String {
            "\(Terminal.count(late, "promise")) overdue. Is `throng serve` running, with a clock that it believes, and is "
                + "the schedule on? Its log says why a round failed."
        }
    }

    /// The entries of what age took, as `--ledger` says them.
    struct Ledger {
        let place: Place
        /// Nil for the entries of all apps.
        let app: String?
        let json: Bool

        func say() async throws {
            let entries = try await DatabaseAccess.releases(place) { store in
                return try await DeletionStore(store.connection).entries()
            }
            let shown = entries.filter { entry in app.map { entry.app == $0 || entry.app == "*" } ?? true }
            if json {
                try Terminal.json(shown.map { LedgerLine($0) })
            } else {
                for entry in shown {
                    let covers = entry.period.map { "; covers \($0.spanWords)" } ?? ""
                    Terminal.data(
                        "\(entry.place)  \(Terminal.instant(entry.taken))  \(entry.appWords): \(entry.words); "
                            + "promise: \(entry.term)\(covers)")
                }
                if shown.isEmpty { Terminal.talk("Age has taken nothing yet.") }
            }
            if let place = DeletionEntry.firstBroken(in: entries) { throw CommandFailure(Self.broken(at: place)) }
            if let last = entries.last, !json {
                Terminal.talk(
                    "The chain holds: \(Self.count(entries.count)), the last digest is \(last.digest.lowerHex).")
            }
        }

        static func count(_ entries: Int) -> String {
            entries == 1 ? "1 entry" : "\(Terminal.grouped(entries)) entries"
        }

        static func broken(at place: Int64) -> String {
            "The chain is broken at entry \(place): it, or one before it, is not what was written. Restore throng.deletion "
                + "from a backup, and find out who may write to it."
        }
    }
}

struct RetentionProveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Writes down what age took, what goes next and what was promised, signed.",
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
    @Option(help: ArgumentHelp("Only what went on this day (UTC) or later.", valueName: "date")) var from: String?
    @Option(help: ArgumentHelp("Only what went on this day (UTC) or earlier.", valueName: "date")) var to: String?

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
        typealias Ledger = RetentionCommand.Ledger
        Terminal.talk(
            proof.entries.isEmpty
                ? "No entry of the ledger is of that time: \(Ledger.count(Int(proof.head.place))) in all."
                : "\(Ledger.count(proof.entries.count)) of \(proof.head.place), the last digest is \(proof.head.digest.lowerHex)."
        )
        if let place = proof.broken { throw CommandFailure(Ledger.broken(at: place)) }
        if proof.overdue > 0 {
            Terminal.talk(RetentionCommand.Status.overdue(proof.overdue))
            throw ExitCode(2)
        }
    }

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
