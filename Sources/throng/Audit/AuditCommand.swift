import ArgumentParser
import Crypto
import Foundation
import ThrongAudit
import ThrongPlan
import ThrongRelease
import ThrongStore
import ThrongSystem

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Says what everything that was released tells, and whether promises were kept.",
        discussion: """
            With --released it reads the files that partners got, and nothing else: every report in JSON, CSV and HTML \
            below the folder, of all partners and periods together. With --plan it knows how these numbers were drawn. \
            Otherwise it reads the released tables of a database (--database), or of a data directory's private \
            PostgreSQL (--data), which say that themselves.

            It works out the noise of each number by an arithmetic of its own, and the best unbiased estimate of each \
            number and of all sums and differences of up to --size numbers of a period. It looks whether equal \
            questions have equal numbers, parts add up, days scatter as their noise says, stated margins are wide enough, and no \
            number of few devices is shown.

            --combination estimates one more: terms with semicolons between, each a coefficient, a metric, a measure \
            (devices, events or a sum's name), a period and buckets, such as \
            "1 visits devices 2026-11-21 os=ios; -1 visits devices 2026-11-20 os=ios".

            The first line says what was examined. It shares no code with what makes releases. To file the result, \
            keep what --json prints, which has the digest of each file, and sign it as you sign other records.

            EXIT CODES
              0  every promise was kept
              1  the files or the database can't be read
              2  some promise was not kept
              3  every promise that was examined was kept, and something was not examined
            """)

    @Option(help: ArgumentHelp("A folder with delivered reports.", valueName: "dir"))
    var released: String?

    @OptionGroup var place: Place
    @Option(
        name: .customLong("plan"),
        help: ArgumentHelp("The plan in force, one for each app.", valueName: "file"))
    var plans: [String] = []

    @Option(help: "The most numbers of a period that are combined: 2 to 4.")
    var size = 2

    @Option(
        name: .customLong("combination"), help: ArgumentHelp("A combination to estimate.", valueName: "terms"))
    var combinations: [String] = []

    @Flag(help: "Lists the best estimate of every number.")
    var estimates = false

    @Flag(help: "Prints the audit as JSON.")
    var json = false

    func validate() throws {
        guard released == nil || (place.data == nil && place.database == nil) else {
            throw ValidationError("--released stands alone: name files or a database, not both.")
        }
        guard (2...4).contains(size) else { throw ValidationError("--size takes 2 to 4.") }
        for text in combinations where AuditCombination(text) == nil {
            throw ValidationError(
                "--combination '\(text)': each term is a coefficient, a metric, a measure, a period and buckets.")
        }
    }

    func run() async throws {
        var options = AuditOptions()
        options.size = size
        options.combinations = combinations.compactMap { AuditCombination($0) }
        options.listsEstimates = estimates
        var input = AuditInput()
        for plan in plans { try input.learn(PlanFiles.read(plan)) }
        if let released {
            try Self.read(released, into: &input)
        } else {
            let releases = try await DatabaseAccess.releases(place) { store in
                return try await store.allReleases()
            }
            guard !releases.isEmpty else { throw CommandFailure("Nothing was released there yet.") }
            for release in releases.sorted(by: { $0.header.period < $1.header.period }) { input.add(release) }
        }
        let report = Auditor(options: options).audit(input)
        if json { try Terminal.json(report) } else { Terminal.data(report.text) }
        if report.exitCode != 0 { throw ExitCode(report.exitCode) }
    }

    private static func read(_ folder: String, into input: inout AuditInput) throws {
        guard let names = FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) else {
            throw CommandFailure("\(folder): there is no such folder, or it can't be read.")
        }
        let endings = [".json", ".csv", ".html"]
        for name in names.sorted() where endings.contains(where: { name.hasSuffix($0) }) {
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + name) else {
                throw CommandFailure("\(folder)/\(name) can't be read.")
            }
            input.add(
                file: [UInt8](bytes), name: name, digest: SHA256.hash(data: bytes).lowerHex)
        }
        guard !input.sources.isEmpty else {
            throw CommandFailure("\(folder) holds no report in JSON, CSV or HTML.")
        }
    }
}
