import ArgumentParser
import Foundation
import Logging
import ThrongJournal
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

/// The place of the data: a data directory with its private PostgreSQL, or a PostgreSQL of the operator's.
struct Place: ParsableArguments {
    @Option(help: ArgumentHelp("The data directory (default: \(Place.standardData)).", valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL to use, as a URL or keywords; without it a private one runs in the data directory.",
            valueName: "url")) var database: String?

    static var standardData: String {
        if getuid() == 0 { return "/var/lib/throng" }
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        return (ProcessInfo.processInfo.environment["XDG_STATE_HOME"] ?? home + "/.local/state") + "/throng"
    }

    var dataPath: String { Self.absolute(data ?? Self.standardData) }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

/// The data directory of a command that needs no database.
struct DataOption: ParsableArguments {
    @Option(help: ArgumentHelp("The data directory (default: \(Place.standardData)).", valueName: "dir"))
    var data: String?

    var path: String { data ?? Place.standardData }
}

enum DatabaseAccess {
    /// Lends the settings of the operator's PostgreSQL, or of the data directory's private one, which is started for
    /// the length of the call where it does not run.
    static func use<Value: Sendable>(
        _ place: Place, _ body: (ConnectionSettings) async throws -> Value
    ) async throws -> Value {
        if let database = place.database { return try await body(ConnectionSettings(connectionString: database)) }
        let directory = place.dataPath + "/postgres"
        guard FileManager.default.fileExists(atPath: directory) else {
            throw CommandFailure(
                "There is no PostgreSQL under \(place.dataPath). Name the data directory of a `throng serve` with --data, "
                    + "or a PostgreSQL with --database.")
        }
        try DataDirectory.checkTrust(in: place.dataPath)
        let cluster = try PrivateCluster.quiet(in: directory)
        return try await cluster.processID == nil ? cluster.lend(body) : body(cluster.settings)
    }

    /// Lends a connection for the length of the call.
    ///
    /// - Parameter open: as the owner of the schema unless given.
    static func connect<Value: Sendable>(
        _ place: Place, _ open: (ConnectionSettings) -> Connection = { Connection($0) },
        _ body: (Connection) async throws -> Value
    ) async throws -> Value {
        try await use(place) { settings in
            let connection = open(settings)
            defer { connection.close() }
            return try await body(connection)
        }
    }

    /// Lends the store of releases for the length of the call.
    static func releases<Value: Sendable>(
        _ place: Place, _ body: (ReleaseStore) async throws -> Value
    ) async throws -> Value {
        try await use(place) { settings in
            let store = ReleaseStore(settings)
            defer { store.close() }
            return try await body(store)
        }
    }
}

extension PrivateCluster {
    /// Returns the private PostgreSQL of a folder; it logs warnings and nothing less.
    static func quiet(in directory: String, from level: Logger.Level = .warning) throws -> PrivateCluster {
        var logger = Logger(label: "throng")
        logger.logLevel = level
        return try PrivateCluster(directory: directory, logger: logger)
    }

    /// Runs it for the length of the call.
    func lend<Value: Sendable>(_ body: (ConnectionSettings) async throws -> Value) async throws -> Value {
        try await start()
        do {
            let value = try await body(settings)
            try await stop()
            return value
        } catch {
            // The first error matters more than how the end went.
            try? await stop()
            throw error
        }
    }
}

extension DaemonID: ExpressibleByArgument { package init?(argument: String) { self.init(argument) } }

extension Connection {
    /// Opens a connection for statements that go through tables of any size.
    static func patient(_ settings: ConnectionSettings) -> Connection {
        Connection(ConnectionSettings(connectionString: settings.connectionString, statementTimeoutSeconds: 86_400))
    }
}

/// The secret that releases draw their noise from, so that the same question has the same draw.
enum ReleaseSecret {
    static let name = "installation.secret"

    /// The secret of a data directory, where it is made if there is none; nil where there is no such directory.
    ///
    /// - Throws: `TieSecretError`.
    static func find(dataPath: String) throws -> TieSecret? {
        guard FileManager.default.fileExists(atPath: dataPath) else { return nil }
        return try TieSecret.kept(at: dataPath + "/" + name)
    }
}

/// The plans that a command works with.
struct PlanFiles: ParsableArguments {
    @Option(name: .customLong("plan"), help: ArgumentHelp("A plan; give it once for each app.", valueName: "file"))
    var files: [String] = []

    func read() throws -> [Plan] { try Self.sources(files).map(\.plan) }

    static func sources(_ files: [String]) throws -> [RunningPlan] {
        guard !files.isEmpty else {
            throw ValidationError("Name at least one plan: --plan FILE. Deploy/sample/shop.yaml is an example.")
        }
        var sources: [RunningPlan] = []
        for file in files {
            let source = try source(file)
            guard !sources.contains(where: { $0.plan.app.name == source.plan.app.name }) else {
                throw CommandFailure(
                    "\(file): there is already a plan for the app \(source.plan.app.name); keep one of the two.")
            }
            sources.append(source)
        }
        return sources
    }

    static func read(_ file: String) throws -> Plan { try source(file).plan }

    static func source(_ file: String) throws -> RunningPlan {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFailure("\(file): there is no such file, or it can't be read.")
        }
        return RunningPlan(plan: try Plan(bytes: bytes, file: file), bytes: Array(bytes), path: Place.absolute(file))
    }

    /// Runs what reads plans; says the problems of a plan that has any, and ends with 2.
    static func sayingProblems<Value>(
        by say: (String) -> Void = { Terminal.data($0) }, _ work: () throws -> Value
    ) throws -> Value {
        do { return try work() } catch let problems as PlanProblems {
            for problem in problems.all { say(problem.description) }
            throw ExitCode(2)
        }
    }

    static func sayWhatIsNotInForce(_ plans: [Plan], _ connection: Connection) async throws {
        for known in try await PlanRegistry(connection).inForce() {
            guard let plan = plans.first(where: { $0.app.name == known.app }), plan.version != known.plan else {
                continue
            }
            Terminal.talk(
                """
                warning: this is plan \(plan.version.short) of \(known.app), and plan \(known.plan.short) is in force since \
                \(Terminal.instant(known.since)). Daemons release and report by that one; what is released is what both allow.
                """)
        }
    }
}

struct PeriodOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A day, month, week or hour of the app's calendar: 2026-11-20, 2026-11, 2026-W47, 2026-11-20T10:00.",
            valueName: "period")) var period: String?

    func period(of plan: Plan) throws -> Period? { try period.map { try Self.period($0, of: plan) } }

    /// The period of an app's calendar that a text names.
    static func period(_ period: String, of plan: Plan) throws -> Period {
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone), let found = calendar.period(labelled: period)
        else {
            throw ValidationError(
                "'\(period)' is no period: write 2026-11-20 (a day), 2026-11 (a month), 2026-W47 (a week) or "
                    + "2026-11-20T10:00 (an hour).")
        }
        return found
    }
}

/// Refuses an address where the command line takes a path: taken for a folder of that name, it would be made here.
enum LocalPaths {
    /// Options whose values may be addresses, or anybody's words.
    private static let others: Set = ["--database", "--advertise", "--note", "--name"]
    /// Commands whose `--to` is a daemon's address, and one that takes the words of another program.
    private static let (senders, runners) = (Set(["replay", "bench"]), Set(["conform"]))

    static func problem(in words: some Collection<String>) -> String? {
        let command = words.first ?? ""
        guard !runners.contains(command) else { return nil }
        var option: String?
        for word in words {
            var (place, value) = (option, word[...])
            option = nil
            if word.hasPrefix("--") {
                guard let sign = word.firstIndex(of: "=") else {
                    option = word
                    continue
                }
                (place, value) = (String(word[..<sign]), word[word.index(after: sign)...])
            }
            if let place, others.contains(place) || place == "--to" && senders.contains(command) { continue }
            if let problem = AddressText.problem(ofPath: value) { return "\(place ?? "The command line"): \(problem)." }
        }
        return nil
    }
}

/// The names of commands, to say which one somebody meant.
enum CommandNames {
    /// The problem with the words behind the program's name, where one of them should be a command and is none; nil otherwise.
    static func problem(in words: some Collection<String>, of root: any ParsableCommand.Type) -> String? {
        var command = root
        var path = [root._commandName]
        for word in words {
            let children = command.configuration.subcommands
            guard !children.isEmpty, command.configuration.defaultSubcommand == nil, !word.hasPrefix("-"),
                word != "help"
            else { return nil }
            let named = children.map { ($0._commandName, $0) }
            guard let (name, child) = named.first(where: { $0.0 == word }) else {
                let nearest = NearestName.nearest(to: word, among: named.map(\.0))
                let meant = nearest.map { "; did you mean `\((path + [$0]).joined(separator: " "))`?" } ?? "."
                return
                    "There is no command '\(word.prefix(60))'\(meant) `\(path.joined(separator: " ")) --help` lists all."
            }
            command = child
            path.append(name)
        }
        return nil
    }
}

/// The versions that `throng --version` prints: the program's, and those of every format that it reads or writes.
enum Versions {
    /// The program's own, by Semantic Versioning; CHANGELOG.md says what each one brought.
    static let throng = "0.1.0"

    /// The version of the compiler that built it, as far as a program can ask for that.
    static var swift: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    static var formats: [(name: String, version: String)] {
        [
            ("plan", "\(Plan.format)"), ("wire", "v\(Batch.protocolVersion)"), ("journal", Journal.format),
            ("database", "schema \(Migration.all.last?.version ?? 0)"), ("report", ReportDocument.jsonFormat),
            ("manifest", ReportManifest.format), ("proof", RetentionProof.format), ("backup", BackupList.version),
            ("built with", "Swift \(swift)"),
        ]
    }

    /// The program's version on a line of its own, then a line for each format.
    static var text: String {
        let lines = formats.map { name, version in name.padded(to: 12) + version }
        return (["throng \(throng)"] + lines).joined(separator: "\n")
    }
}

extension String {
    /// The text with spaces behind it, so that columns line up.
    func padded(to length: Int) -> String { self + String(repeating: " ", count: Swift.max(0, length - count)) }
}

extension Terminal {
    /// 2026-11-20T06:00:00Z.
    static func instant(_ time: UnixSeconds) -> String { Instant.text(time) }
}
