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
        commandName: "audit", abstract: "Says what all that was released tells.", usage: "throng audit [<options>]",
        discussion: """
            It reads the reports that partners got (--released; --plan says how their numbers were drawn), or the released \
            tables of a database, and estimates each number, and sums and differences of up to --size of a period, as well as \
            anybody could. It looks whether equal questions have equal numbers, parts add up, days scatter as their noise says, \
            margins are wide enough, and no number of few devices is shown. It shares no code with what makes releases.

            A term of --combination: a coefficient, a metric, devices, events or a sum, a period and buckets; semicolons \
            between. What --json prints has the digest of each file: sign it as you sign other records.

            It ends with 2 where a promise was not kept, with 3 where all that was examined were, and something was not.

            EXAMPLES
              throng audit --released reports --plan plan.yaml
              throng audit --combination "1 visits devices 2026-11-21 os=ios; -1 visits devices 2026-11-20"
            """)

    @Option(help: ArgumentHelp("A folder with delivered reports.", valueName: "dir")) var released: String?
    @OptionGroup var place: Place
    @Option(name: .customLong("plan"), help: ArgumentHelp("The plan in force, one for each app.", valueName: "file"))
    var plans: [String] = []

    @Option(help: "The most numbers that are combined: 2 to 4.") var size = 2

    @Option(name: .customLong("combination"), help: ArgumentHelp("A combination to estimate.", valueName: "terms"))
    var combinations: [String] = []

    @Flag(help: "Lists the best estimate of every number.") var estimates = false
    @Flag(help: "Prints the audit as JSON.") var json = false

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
            let releases = try await DatabaseAccess.releases(place) { store in return try await store.allReleases() }
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
        for name in names.sorted() where !name.hasSuffix(".sig") {
            var isFolder = false as ObjCBool
            let isThere = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
            guard endings.contains(where: { name.hasSuffix($0) }) else {
                if isThere, !isFolder.boolValue { input.add(file: [], name: name) }
                continue
            }
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + name) else {
                throw CommandFailure("\(folder)/\(name) can't be read.")
            }
            input.add(file: [UInt8](bytes), name: name, digest: SHA256.hash(data: bytes).lowerHex)
        }
        guard !input.sources.isEmpty else { throw CommandFailure("\(folder) holds no report in JSON, CSV or HTML.") }
    }
}

extension AuditInput {
    /// Adds a release as the ledger has it: its numbers, and what its header says of its metric.
    mutating func add(_ release: Release) {
        let header = release.header
        let layout = header.layout
        let label = (PeriodCalendar(timeZone: layout.timeZone) ?? .utc).label(of: header.period)
        let named = "\(layout.id) k \(header.threshold.devices)"
        know(
            AuditMetric(
                layout, named: named, threshold: header.threshold, events: header.events.map { Set($0.map(\.text)) },
                audience: layout.purpose.text, reach: header.reach))
        let source = "\(layout.metric) \(label)"
        var numbers: [AuditNumber] = []
        for cell in release.cells {
            let kept = layout.dimensions.indices.filter(cell.margin.keeps)
            var buckets: [String: Set<String>] = [:]
            for (place, bucket) in zip(kept, layout.buckets(of: cell.cell, in: cell.margin)) {
                buckets[layout.dimensions[place].name.text] = [layout.dimensions[place].labels[bucket].text]
            }
            func state(_ measure: AuditMeasure, _ value: Double, _ margin: Double?) {
                numbers.append(
                    AuditNumber(
                        source: source, app: layout.app.text, metric: layout.metric.text, layout: named,
                        period: AuditPeriod(label), measure: measure, buckets: buckets, value: value, margin: margin))
            }
            state(.events, Double(cell.count), header.margin(of: cell.margin).map { Double($0) })
            for (place, sum) in layout.sums.enumerated() {
                let unit = (0..<sum.decimals).reduce(1.0) { unit, _ in unit * 10 }
                state(
                    .sum(sum.name), Double(cell.sums[place]) / unit,
                    header.margin(of: cell.margin, measure: place + 1).map { Double($0) / unit })
            }
            if let devices = cell.firsts ?? cell.reach?.devices {
                state(.devices, Double(devices), header.deviceMargin(of: cell.margin).map { Double($0) })
            }
        }
        add(
            numbers, from: AuditSource(name: source, digest: "\(release.digest)"),
            cost: (header.margins?.cost).flatMap { Double($0) })
        if let bound = header.chosenBound { bounds["\(layout.app)/\(layout.metric)/\(label)"] = Int64(bound) }
    }
}
