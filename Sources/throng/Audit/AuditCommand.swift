import ArgumentParser
import Foundation
import ThrongAudit
import ThrongPlan
import ThrongRelease
import ThrongStore
import ThrongTable

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Plays the attacker on everything that was released, and says what can be worked out.",
        discussion: """
            With --released it reads the files that partners got, and nothing else: every JSON report below the folder, \
            of all partners and periods together, and manifests for what they say of coverage. Otherwise it reads the \
            released tables of a database (--database), or of a data directory's private PostgreSQL (--data), and nothing \
            else.

            It eliminates, bounds with linear and integer programs, and compares over periods and partners. A pin is a \
            withheld number that is derived exactly or proved to be under k; each comes with the published numbers that \
            give it away and how they combine. A withheld number that turns out to be k or more is a notice.

            With --plan it also uses what the public plan says: fields and rules, events and clients, bounds, clips and k. \
            From these it works out what several metrics count together, whatever they call it, and attacks their numbers \
            as one table. A plan that was edited is given in all of its versions, each but the first with the time from \
            which on it was in force: --plan old.yaml --plan new.yaml@2026-03-02T12:00:00Z. Of plans it does not have it \
            knows what a database's releases say of themselves: which events they count, and buckets by name.

            With --table it attacks tables of one's own, as `throng suppress` writes them: columns count, value where there \
            is one, and status, every other column a dimension. --threshold is their k, and --hierarchy what codes add up \
            to. Several tables are attacked together, as sums over the same leaves.

            With --metrics it also compares pages of /metrics that somebody read one after the other: of counters that \
            are not sampled, each rise by less than --threshold tells of so few events, and when they came.

            Releases with a margin are left out, and counted: their numbers are off on purpose, so that nothing follows exactly.

            It shares no code with what makes releases.

            EXIT CODES
              0  nothing could be pinned
              1  the files or the database can't be read
              2  something could be pinned
            """)

    @Option(help: ArgumentHelp("A folder with delivered reports.", valueName: "dir"))
    var released: String?

    @Option(
        help: ArgumentHelp("A protected table; several are linked, as sums over the same leaves.", valueName: "file"))
    var table: [String] = []

    @Option(
        help: ArgumentHelp(
            "A page of /metrics that was read; several of one process, in order.", valueName: "file"))
    var metrics: [String] = []

    @Option(help: "With --table and --metrics: k.")
    var threshold: Int64 = 10

    @OptionGroup var levels: HierarchyFiles
    @OptionGroup var place: Place
    @Option(
        name: .customLong("plan"),
        help: ArgumentHelp(
            "A plan, or one of its versions: FILE@TIME was in force from then on.", valueName: "file"))
    var plans: [String] = []

    @Option(help: "Seconds for the whole audit.")
    var seconds: Double = 300

    @Option(help: "Percent: an interval this close around a hidden value is too close.")
    var p: Int64 = 10

    @Flag(help: "Counts every withheld number that can be derived as a pin, also those of at least k.")
    var derivable = false

    @Flag(help: "Prints the audit as JSON.")
    var json = false

    func validate() throws {
        let hasPlace = place.data != nil || place.database != nil
        guard released == nil || !hasPlace else {
            throw ValidationError("--released stands alone: name files or a database, not both.")
        }
        guard table.isEmpty || (released == nil && !hasPlace && plans.isEmpty) else {
            throw ValidationError("--table stands alone: it is neither reports nor a database, and has no plan.")
        }
        guard seconds > 0, (0...100).contains(p) else {
            throw ValidationError("--seconds takes more than 0, --p takes 0 to 100.")
        }
    }

    func run() async throws {
        var options = AuditOptions()
        options.seconds = seconds
        options.closeness = p
        options.derivableIsPin = derivable
        var (input, counted) = try await input()
        let versions = try plans.map(PlanInForce.init)
        for (_, versions) in Dictionary(grouping: versions, by: \.plan.app.name) {
            // What one version says of buckets need not hold for another's numbers: the audit reads these by period.
            if versions.count == 1 { try input.learn(versions[0].plan) }
        }
        if input.plan.ties.isEmpty { input.tie(counted) }
        input.add(
            readings: try metrics.map { .init(text: try TextFile.read($0), name: $0) }, threshold: threshold)
        let report = Auditor(options: options).audit(
            input, knowing: versions.map { KnownPlan($0.plan, since: $0.since) })
        if json { try Terminal.json(report) } else { Terminal.data(report.text) }
        if !report.holds { throw ExitCode(2) }
    }

    /// What was published, and what the releases' own headers say of the events behind it.
    private func input() async throws -> (AuditInput, [AuditedEvents]) {
        if !table.isEmpty { return (try Self.tables(table, threshold, try levels.read()), []) }
        if let released { return (try Self.files(below: released), []) }
        if !metrics.isEmpty, place.data == nil, place.database == nil { return (AuditInput(), []) }
        let releases = try await DatabaseAccess.use(place) { settings in
            let store = ReleaseStore(settings)
            defer { store.close() }
            return try await store.allReleases()
        }
        guard !releases.isEmpty else { throw CommandFailure("Nothing was released there yet.") }
        var input = AuditInput()
        let exact = releases.filter { $0.header.margins == nil }
        for header in releases.map(\.header) where header.margins != nil {
            let (layout, period) = (header.layout, header.period)
            input.margined.insert("\(layout.app)/\(layout.metric) \(period.kind.rawValue) \(period.start.value)")
        }
        for release in exact { input.add(release) }
        return (input, AuditedEvents.all(exact.map(\.header)))
    }

    private static func tables(
        _ files: [String], _ threshold: Int64, _ hierarchies: [String: [Hierarchy]]
    ) throws -> AuditInput {
        var input = AuditInput()
        let tables = try files.map { AuditInput.OwnTable(text: try TextFile.read($0), name: $0) }
        input.add(tables: tables, threshold: threshold) { dimension, code in
            (hierarchies[dimension] ?? [Hierarchy()]).map { $0.path(from: code) }
        }
        guard input.unread.isEmpty else { throw CommandFailure(input.unread.joined(separator: "\n")) }
        return input
    }

    private static func files(below folder: String) throws -> AuditInput {
        var input = AuditInput()
        guard let names = FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) else {
            throw CommandFailure("\(folder): there is no such folder, or it can't be read.")
        }
        var manifests: [AuditInput.Manifest] = []
        for name in names.sorted() where name.hasSuffix(".json") {
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + name) else {
                throw CommandFailure("\(folder)/\(name) can't be read.")
            }
            if name.hasSuffix(".manifest.json") {
                manifests.append(AuditInput.Manifest(bytes: [UInt8](bytes), name: name))
            } else {
                input.add(report: [UInt8](bytes), name: name)
            }
        }
        guard !input.sources.isEmpty else {
            throw CommandFailure("\(folder) holds no JSON report. Deliver reports as json to have them audited.")
        }
        input.add(manifests: manifests)
        return input
    }
}
