import ArgumentParser
import ThrongPlan
import ThrongStore
import ThrongSystem

struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Brings a PostgreSQL to this version's schema.", usage: "throng database [<options>]",
        discussion: """
            Without a flag it lists the migrations and whether they were applied, and says on standard error where the \
            system catalogues are open to analysts. It ends with 2 where a migration is missing.

            Run --migrate as the role that shall own the schema; it makes the roles throng_ingest, throng_reporter and \
            throng_analyst.

            --distribute is for more cells than one PostgreSQL takes. Run it once, on the coordinator of a cluster of \
            Citus, as a superuser, after --migrate; what was counted goes along, and daemons may go on meanwhile: their \
            flushes wait. The roles throng_ingest and throng_reporter get the right to log in, without a password, because \
            the coordinator speaks to nodes as them: let nobody but the coordinator in as these (pg_hba.conf on each node).

            EXAMPLE
              throng database --migrate --database postgresql://db.example/throng
            """)

    @OptionGroup var place: Place
    @Flag(help: "Applies the migrations that are missing.") var migrate = false
    @Flag(help: "Hands the counters over to the nodes of a cluster of Citus.") var distribute = false

    @Option(help: "With --distribute: into how many parts the counters are hashed; each daemon's are in one of them.")
    var parts = 32

    @Flag(help: "Prints the list as JSON.") var json = false

    private struct Line: Encodable {
        let migration: String
        let appliedAt: UnixSeconds?
    }

    func validate() throws {
        guard [migrate, distribute, json].count(where: { $0 }) <= 1 else {
            throw ValidationError("Name one of --migrate, --distribute and --json.")
        }
        guard (1...1024).contains(parts) else {
            throw ValidationError("--parts is \(parts); 1 to 1024 are allowed, several for each node")
        }
    }

    func run() async throws {
        if migrate { return try await applyMigrations() }
        if distribute { return try await handOver() }
        try await sayStatus()
    }

    private func applyMigrations() async throws {
        let applied = try await DatabaseAccess.connect(place) { connection in
            return try await Migrator(connection).migrate()
        }
        for name in applied { Terminal.data("applied \(name)") }
        Terminal.talk(applied.isEmpty ? "The schema is up to date." : "The schema is up to date now.")
    }

    private func handOver() async throws {
        let nodes = try await DatabaseAccess.connect(place) { connection in
            try await Migrator(connection).verify()
            let distribution = Distribution(connection)
            try await distribution.distribute(parts: parts)
            return try await distribution.nodes()
        }
        Terminal.talk("The counters are on \(nodes) nodes now.")
    }

    private func sayStatus() async throws {
        let (lines, isConfined, nodes) = try await DatabaseAccess.connect(place) { connection in
            let migrator = Migrator(connection)
            let lines = try await migrator.status().map { Line(migration: $0.migration.name, appliedAt: $0.appliedAt) }
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
                "PostgreSQL's catalogues are open to analysts: sizes and statistics say what releases withhold. "
                    + "As a superuser, run: select throng.confine_analysts(true)")
        }
        if nodes > 0 { Terminal.talk("The counters are on \(nodes) nodes of a cluster of Citus.") }
        if lines.contains(where: { $0.appliedAt == nil }) { throw ExitCode(2) }
    }
}
