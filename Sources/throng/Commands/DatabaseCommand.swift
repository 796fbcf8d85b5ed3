import ArgumentParser
import ThrongPlan
import ThrongPostgres
import ThrongStore

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Brings a PostgreSQL to this version's schema, or says where it stands.",
        subcommands: [MigrateCommand.self, StatusCommand.self, DistributeCommand.self])
}

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Applies the migrations that are missing.",
        discussion:
            "Run it as the role that shall own the schema; it makes the roles throng_ingest, throng_reporter and throng_analyst."
    )

    @OptionGroup var place: Place

    func run() async throws {
        let applied = try await DatabaseAccess.use(place) { settings in
            let connection = Connection(settings)
            defer { connection.close() }
            return try await Migrator(connection).migrate()
        }
        for name in applied { Terminal.data("applied \(name)") }
        Terminal.talk(applied.isEmpty ? "The schema is up to date." : "The schema is up to date now.")
    }
}

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Lists the migrations and whether they were applied.",
        discussion: """
            Exit code 2 where some are missing. Says on standard error where the system catalogues are open to analysts.
            """)

    @OptionGroup var place: Place

    @Flag(help: "Prints the list as JSON.")
    var json = false

    private struct Line: Encodable {
        let migration: String
        let appliedAt: UnixSeconds?
    }

    func run() async throws {
        let (lines, isConfined, nodes) = try await DatabaseAccess.use(place) { settings in
            let connection = Connection(settings)
            defer { connection.close() }
            let migrator = Migrator(connection)
            let lines = try await migrator.status().map {
                Line(migration: $0.migration.name, appliedAt: $0.appliedAt)
            }
            let isComplete = !lines.contains { $0.appliedAt == nil }
            guard isComplete else { return (lines, true, Int64(0)) }
            return (lines, try await migrator.isConfined(), try await Distribution(connection).nodes())
        }
        if json {
            try Terminal.json(lines)
        } else {
            for line in lines { Terminal.data("\(line.migration): \(line.appliedAt == nil ? "missing" : "applied")") }
        }
        if !isConfined {
            Terminal.talk(
                """
                PostgreSQL's catalogues are open to analysts: sizes and statistics say what releases withhold. As a \
                superuser, run: select throng.confine_analysts(true)
                """)
        }
        if nodes > 0 { Terminal.talk("The counters are on \(nodes) nodes of a cluster of Citus.") }
        if lines.contains(where: { $0.appliedAt == nil }) { throw ExitCode(2) }
    }
}

struct DistributeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distribute",
        abstract: "Hands the counters over to the nodes of a cluster of Citus.",
        discussion: """
            For more cells than one PostgreSQL takes. Run it once, on the coordinator, as a superuser, after throng database migrate; \
            what was counted goes along, and daemons may go on meanwhile: their flushes wait. The roles throng_ingest and \
            throng_reporter get the right to log in, without a password, because the coordinator speaks to nodes as them: let \
            nobody but the coordinator in as these (pg_hba.conf on each node).
            """)

    @OptionGroup var place: Place

    @Option(help: "Into how many parts the counters are hashed by daemon; each daemon's are in one of them.")
    var parts = 32

    func validate() throws {
        guard (1...1024).contains(parts) else {
            throw ValidationError("--parts is \(parts); 1 to 1024 are allowed, several for each node")
        }
    }

    func run() async throws {
        let nodes = try await DatabaseAccess.use(place) { settings in
            let connection = Connection(settings)
            defer { connection.close() }
            try await Migrator(connection).verify()
            let distribution = Distribution(connection)
            try await distribution.distribute(parts: parts)
            return try await distribution.nodes()
        }
        Terminal.talk("The counters are on \(nodes) nodes now.")
    }
}
