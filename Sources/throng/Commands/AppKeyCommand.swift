import ArgumentParser
import Foundation
import ThrongIngest
import ThrongPlan
import ThrongReport
import ThrongSystem

struct AppKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Makes, lists and revokes what an app's clients and backends send with.",
        discussion: """
            A client's key is no secret: who has the client can read it. It tells clients apart, so that an old or a copied one \
            can be turned away. A backend's secret lets only who has it send. Both are in app-keys of the data directory, \
            the secret as a hash only. A running daemon sees a change within a second; each daemon has a file of its own.

            EXAMPLE
              throng app key list shop --data ./data
            """,
        subcommands: [New.self, List.self, Revoke.self])
}

extension AppKeyCommand {
    struct Target: ParsableArguments {
        @Argument(help: ArgumentHelp("The app's name, as in its plan.", valueName: "app"))
        var app: String

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

        @Option(help: ArgumentHelp("What you call it, such as ios or orders.", valueName: "name"))
        var name: String

        @Flag(help: "Makes a secret for a backend.")
        var backend = false

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

        @Flag(help: "Prints them as JSON.")
        var json = false

        private struct Line: Encodable {
            let id: String
            let name: String
            let kind: String
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

        @Argument(help: ArgumentHelp("As the list shows it.", valueName: "id"))
        var id: String

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
