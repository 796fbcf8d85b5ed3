import ArgumentParser
import Foundation
import ThrongIngest
import ThrongJournal
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Makes keys of an app's clients; deletes an app.",
        discussion: "EXAMPLE\n  throng app key new shop --name ios --data ./data",
        subcommands: [AppKeyCommand.self, AppDeleteCommand.self])
}

struct AppDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes an app for good: all that is kept of it here.",
        discussion: """
            Stop `throng serve` first, in an orderly way, and take the app's plan out of its --plan: a running daemon would count \
            on, and bring back what it has in memory. With --database, log in as the owner of the schema.

            It goes through folders that reports were delivered to, the data directory and PostgreSQL, in this order, and may be \
            run again where it was cut short. What stays is that the app was deleted: `throng retention status --ledger` and `throng \
            retention prove` tell it. What can't be reached from here, such as what partners got, is listed at the end.

            With the private PostgreSQL all tables are then written anew, so that no file holds what was deleted. That takes as \
            much disk as the largest table, and some time. Your own PostgreSQL is left to its vacuum.

            It ends with 2 where something of it is left that this machine can reach.

            EXAMPLE
              throng app delete shop --data ./data
            """)

    @Argument(help: ArgumentHelp("The app's name, as in its plan.", valueName: "name")) var name: String
    @OptionGroup var place: Place
    @Flag(help: "Does not ask for the name to be typed again.") var yes = false

    @Option(help: ArgumentHelp("Goes on without this daemon's data directory; once for each.", valueName: "id"))
    var without: [DaemonID] = []

    func run() async throws {
        let app = AppName(name)
        let data = try openData()
        defer { data.unlock() }
        // Data of the app that a backup has read by now must not get a key when the app's keys are gone.
        let hold = try BackupPlace.hold(BackupKeys(dataPath: place.dataPath))
        defer { withExtendedLifetime(hold) {} }
        let (went, left, rest) = try await DatabaseAccess.connect(place, Connection.patient) { connection in
            guard try await Migrator(connection).status().allSatisfy({ $0.appliedAt != nil }) else {
                throw CommandFailure(
                    "The database has an older schema than this program. Run `throng database --migrate`, and this again. Nothing was "
                        + "deleted.")
            }
            return try await delete(app, from: data, AppStore(connection), DeletionStore(connection))
        }
        for line in went { Terminal.data(line) }
        if !rest.isEmpty {
            Terminal.talk("What can't be reached from here:")
            for line in rest { Terminal.talk("  " + line) }
        }
        if !left.isEmpty {
            Terminal.talk("What is left, and you have to look at:")
            for line in left { Terminal.talk("  " + line) }
        }
        Terminal.talk(
            "\(name) is deleted. `throng retention prove` tells it. Take its plan out of `throng serve`, or it is counted anew."
        )
        if !left.isEmpty { throw ExitCode(2) }
    }

    /// The data directory, held until the command ends: no daemon starts meanwhile.
    private func openData() throws -> DataDirectory {
        guard FileManager.default.fileExists(atPath: place.dataPath + "/daemon.id") else {
            throw CommandFailure(
                "\(place.dataPath) is no data directory. Name that of the daemon that counted for \(name) with --data: its "
                    + "journal and keys have to go, too.")
        }
        do { return try DataDirectory(path: place.dataPath) } catch JournalError.inUse(_) {
            throw CommandFailure(
                "A daemon works in \(place.dataPath). It would bring back what is deleted. Stop it, run this again, and start it "
                    + "without the plan of \(name). Nothing was deleted.")
        }
    }

    /// Deletes; says what went, and what can't be reached.
    private func delete(
        _ app: AppName, from data: DataDirectory, _ store: AppStore, _ deletions: DeletionStore
    ) async throws -> (went: [String], left: [String], rest: [String]) {
        let apps = try await store.apps()
        guard let known = apps.first(where: { $0.name == app }) else {
            let names = apps.filter(\.isKept).map(\.name.text).joined(separator: ", ")
            throw CommandFailure(
                "Nothing is known of an app \(name.printable). "
                    + (names.isEmpty ? "There is none." : "There is \(names)."))
        }
        try await checkNobodyElse(store, data)
        try await checkFlushed(store, data)
        let deliveries = try await store.deliveries(of: app)
        try confirm(known, deliveries)
        let (copies, left, unreached) = try removeCopies(deliveries)
        var rest = unreached
        let forgotten = try data.forget(app)
        try AppKeyFile(dataPath: data.path).change { $0.forget(app) }
        let rows = known.isKept ? try await store.delete(app, copies: copies) : []
        try await deletions.note(
            backupKeys: forgotten.backupKeys, app: app.text, subject: "everything", term: "the app was deleted")
        try BackupKeys(dataPath: data.path).forgetDestroyed()
        if place.database == nil {
            Terminal.talk("Writing the tables anew…")
            try await store.scrub()
        } else {
            rest.append(
                "pages and the write-ahead log of your PostgreSQL: `vacuum full` as a superuser writes tables anew")
        }
        rest += [
            "dumps of the database, replicas, and snapshots of the disk",
            "what `throng backup keys` wrote before: with it backups can still be read. Export the keys anew in its place",
            "blocks of the disk that the file system has not used again",
            "the plan itself, logs, secrets for deliveries, and metrics that Prometheus has kept: they name the app",
        ]
        let went = rows.map { "\($0.kind): \(Terminal.grouped(Int($0.rows)))" }
        let local = [
            "keys of windows: \(Terminal.grouped(forgotten.windows))",
            "layouts of the journal: \(Terminal.grouped(forgotten.layouts))",
            "keys of backups: \(Terminal.grouped(forgotten.backupKeys))",
            "kept flushes, of all apps: \(Terminal.grouped(forgotten.flushedBytes)) bytes",
        ]
        return (went + local, left, rest)
    }

    /// No other daemon may hold a part that would be left.
    private func checkNobodyElse(_ store: AppStore, _ data: DataDirectory) async throws {
        let mine = DaemonID(data.daemon)
        let others = try await store.silences().filter { $0.daemon != mine }
        if let running = others.first(where: { $0.silence < 180 }) {
            throw CommandFailure(
                "Daemon \(running.daemon) was heard of \(running.silence) s ago, and works in another data directory than "
                    + "\(place.dataPath). Stop it, and run this where its data directory is. Nothing was deleted.")
        }
        guard let one = others.first(where: { !without.contains($0.daemon) }) else { return }
        throw CommandFailure(
            "Daemon \(one.daemon), which was not heard of for \(one.silence) s, has counted into this database from another data "
                + "directory than \(place.dataPath): its journal may hold \(name). Run this there. Where that directory is gone: "
                + "--without \(one.daemon). Nothing was deleted.")
    }

    /// Throws where the journal holds more than PostgreSQL, or can't be read: the next start would flush what waits
    /// there, or could not read it.
    private func checkFlushed(_ store: AppStore, _ data: DataDirectory) async throws {
        let watermark = try await store.watermark(of: DaemonID(data.daemon)) ?? .start
        let end: JournalPosition
        do {
            end = try data.journalEnd(watermark: watermark)
        } catch { throw CommandFailure("The journal can't be read to its end, so that nothing was deleted. \(error)") }
        guard end <= watermark else {
            throw CommandFailure(
                "PostgreSQL lacks \(Terminal.count(Int(end.value - watermark.value), "batch")) of the journal, of whatever app. "
                    + "Start `throng serve`, let it flush, stop it in an orderly way, and run this again. Nothing was deleted."
            )
        }
    }

    private func confirm(_ known: KnownApp, _ deliveries: [AppDelivery]) throws {
        if let deleted = known.deletedAt, !known.isKept {
            Terminal.talk(
                "PostgreSQL has nothing of \(name) since \(Terminal.instant(deleted)); what else there is goes now.")
        }
        guard !yes else { return }
        let reports = Set(deliveries.map(\.report)).count
        Terminal.talk(
            "This deletes all that is kept of \(name): counters, releases, labels, \(Terminal.count(reports, "delivered report")), "
                + "and its part of \(place.dataPath). It can't be undone. Type the app's name to go on: ",
            newline: false)
        guard readLine() == name else { throw CommandFailure("That is not \(name). Nothing was deleted.") }
    }

    /// Takes reports out of the folders that they were delivered to; says how many files went, what a person has to
    /// look at, and what can't be reached.
    private func removeCopies(_ deliveries: [AppDelivery]) throws -> (files: Int, left: [String], rest: [String]) {
        var (files, left, rest) = (0, [String](), [String]())
        for (target, all) in Dictionary(grouping: deliveries, by: \.target).sorted(by: { $0.key < $1.key }) {
            guard let folder = all[0].folder else {
                rest.append("what was sent to \(target): \(Terminal.count(all.count, "report")). Ask whoever got them")
                continue
            }
            let path = ReportFolder(named: folder, in: place.dataPath).path
            let unnamed = all.count { $0.label == nil }
            let shared = all.filter(\.isShared)
            let stems = all.filter { !$0.isShared }.compactMap { delivery in
                delivery.label.map { ReportFile.stem(report: delivery.report.text, period: $0) }
            }
            let copies = DeliveredCopies(folder: path, stems: Set(stems))
            guard copies.isHere else {
                rest.append("\(path), which is not here: \(Terminal.count(all.count, "report")) at most")
                continue
            }
            files += try copies.remove(takingFolder: true)
            if unnamed > 0 {
                left.append(
                    "\(path): \(Terminal.count(unnamed, "report")) of earlier versions, with names that are not known")
            }
            for delivery in shared {
                left.append(
                    "\(path): \(delivery.report) of \(delivery.label ?? ""), where another app has files of these names"
                )
            }
        }
        return (files, left, rest)
    }
}

struct AppKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Makes, lists and revokes what an app's clients and backends send with.",
        discussion: """
            A client's key is no secret: who has the client can read it. It tells clients apart, so that an old or a copied one \
            can be turned away. A backend's secret lets only who has it send. Both are in app-keys of the data directory, \
            the secret as a hash only. A running daemon sees a change within a second; each daemon has a file of its own.

            EXAMPLE
              throng app key list shop --data ./data
            """, subcommands: [New.self, List.self, Revoke.self])

    struct Target: ParsableArguments {
        @Argument(help: ArgumentHelp("The app's name, as in its plan.", valueName: "app")) var app: String
        @OptionGroup var data: DataOption

        var file: AppKeyFile { AppKeyFile(dataPath: data.path) }

        /// Says so where no plan in force is for the app: its name may be mistyped.
        func sayWhetherKnown() {
            let plan = "\(data.path)/plans/\(app).yaml"
            guard !FileManager.default.fileExists(atPath: plan) else { return }
            Terminal.talk("The daemon there has not run by a plan for \(app.printable) yet.")
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a key for clients, or a secret for a backend, and prints it.",
            discussion: """
                A secret is shown once. Two of one name are good at a time: make the second, give it to the backend, and revoke \
                the first.

                EXAMPLES
                  throng app key new shop --name ios --data ./data
                  throng app key new shop --name orders --backend --data ./data
                """)

        @OptionGroup var target: Target
        @Option(help: ArgumentHelp("What you call it, such as ios or orders.", valueName: "name")) var name: String
        @Flag(help: "Makes a secret for a backend.") var backend = false

        func validate() throws {
            guard (1...64).contains(name.count), name == name.printable else {
                throw ValidationError("--name takes 1 to 64 printable characters.")
            }
        }

        func run() async throws {
            let (app, now) = (AppName(target.app), UnixClock.system.now)
            let made = try target.file.change { keys in
                backend ? keys.addSecret(of: app, name: name, now: now) : keys.addKey(of: app, name: name, now: now)
            }
            guard let made else {
                throw CommandFailure(
                    "\(target.app) has \(AppKeys.mostSecrets) secrets of the name \(name) that are good. Revoke one first: "
                        + "`throng app key list` shows them.")
            }
            target.sayWhetherKnown()
            if backend {
                Terminal.talk("Give this to the backend over a channel that you trust; it is not shown again.")
            }
            Terminal.data(made)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists an app's keys and secrets, those that were revoked, too.",
            discussion: "EXAMPLE\n  throng app key list shop --data ./data")

        @OptionGroup var target: Target
        @Flag(help: "Prints them as JSON.") var json = false

        private struct Line: Encodable {
            let id, name, kind: String
            let key: String?
            let made: String
            let revoked: String?

            init(_ entry: AppKeys.Entry) {
                (id, name) = (entry.id, entry.name)
                switch entry.kept {
                case .key(let text): (kind, key) = ("client", text)
                case .secretHash: (kind, key) = ("backend", nil)
                }
                made = Terminal.instant(entry.made)
                revoked = entry.revoked.map { Terminal.instant($0) }
            }
        }

        func run() async throws {
            let app = AppName(target.app)
            let lines = try target.file.read().entries.filter { $0.app == app }.map(Line.init)
            if json { return try Terminal.json(lines) }
            if lines.isEmpty { return Terminal.talk("There is none; `throng app key new` makes one.") }
            for line in lines {
                Terminal.data(
                    "\(line.id)  \(line.kind)  \(line.name)  made \(line.made)  "
                        + (line.revoked.map { "revoked \($0)" } ?? "good") + (line.key.map { "  \($0)" } ?? ""))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a key or a secret: within a second nothing counts any more that comes with it.",
            discussion: """
                What was counted stays. Clients that have it get revoked_key, and can still take back what they sent.

                EXAMPLE
                  throng app key revoke shop 3f9c1b7a --data ./data
                """)

        @OptionGroup var target: Target
        @Argument(help: ArgumentHelp("As the list shows it.", valueName: "id")) var id: String

        func run() async throws {
            let now = UnixClock.system.now
            let isKnown = try target.file.change { $0.revoke(id, of: AppName(target.app), now: now) }
            guard isKnown else {
                throw CommandFailure("\(target.app) has no '\(id)'. `throng app key list` shows what it has.")
            }
            Terminal.talk("Revoked.")
        }
    }
}
