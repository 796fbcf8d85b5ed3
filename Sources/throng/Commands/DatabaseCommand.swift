import ArgumentParser
import ThrongPlan
import ThrongPostgres
import ThrongStore

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Brings a PostgreSQL to this version's schema, or says where it stands.",
        subcommands: [MigrateCommand.self, StatusCommand.self])
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
        let (lines, isConfined) = try await DatabaseAccess.use(place) { settings in
            let connection = Connection(settings)
            defer { connection.close() }
            let migrator = Migrator(connection)
            let lines = try await migrator.status().map {
                Line(migration: $0.migration.name, appliedAt: $0.appliedAt)
            }
            let isComplete = !lines.contains { $0.appliedAt == nil }
            return (lines, isComplete ? try await migrator.isConfined() : true)
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
        if lines.contains(where: { $0.appliedAt == nil }) { throw ExitCode(2) }
    }
}
