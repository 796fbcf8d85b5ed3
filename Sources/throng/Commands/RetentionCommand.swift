import ArgumentParser
import Foundation
import ThrongPlan
import ThrongStore
import ThrongSystem

struct RetentionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retention",
        abstract: "Shows what age takes next, and took; proves it.",
        discussion: """
            A running `throng serve` takes what has reached its age once a day. These commands look, and take nothing.

            EXAMPLE
              throng retention status --data ./data
            """,
        subcommands: [Status.self, RetentionProveCommand.self])
}

extension RetentionCommand {
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

        @Flag(help: "Says what age took, and whether the chain of its entries holds.")
        var ledger = false

        @Option(help: ArgumentHelp("With --ledger: an app; without it the entries of all.", valueName: "name"))
        var app: String?

        @Flag(help: "Prints the list as JSON; a ledger with its digests.")
        var json = false

        private struct Line: Encodable {
            let app: String
            let metric: String
            let term: String
            let due: String
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
            if late > 0 {
                throw CommandFailure(Self.overdue(late))
            }
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

        private struct Line: Encodable {
            let place: Int64
            let at: String
            let app: String
            let kind: String
            let subject: String
            let term: String
            let from: String?
            let to: String?
            let rows: Int64
            let digest: String
        }

        func say() async throws {
            let entries = try await DatabaseAccess.releases(place) { store in
                return try await DeletionStore(store.connection).entries()
            }
            let shown = entries.filter { entry in app.map { entry.app == $0 || entry.app == "*" } ?? true }
            if json {
                try Terminal.json(
                    shown.map { entry in
                        Line(
                            place: entry.place, at: Terminal.instant(entry.taken), app: entry.app, kind: entry.kind,
                            subject: entry.subject, term: entry.term,
                            from: entry.period.map { Terminal.instant($0.lowerBound) },
                            to: entry.period.map { Terminal.instant($0.upperBound) }, rows: entry.rows,
                            digest: entry.digest.lowerHex)
                    })
            } else {
                for entry in shown {
                    let about = entry.period.map {
                        ", of \(Terminal.instant($0.lowerBound)) to \(Terminal.instant($0.upperBound))"
                    }
                    Terminal.data(
                        "\(entry.place)  \(Terminal.instant(entry.taken))  \(entry.app) \(entry.subject): "
                            + "\(Terminal.grouped(Int(entry.rows))) \(Self.noun(entry.kind)) \(entry.term)\(about ?? "")"
                    )
                }
                if shown.isEmpty { Terminal.talk("Age has taken nothing yet.") }
            }
            if let place = DeletionEntry.firstBroken(in: entries) {
                throw CommandFailure(Self.broken(at: place))
            }
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

        private static func noun(_ kind: String) -> String {
            ["coverage": "hours of totals"][kind] ?? kind
        }
    }
}
