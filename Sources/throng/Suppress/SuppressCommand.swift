import ArgumentParser
import Foundation
import ThrongSuppression
import ThrongTable

struct SuppressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suppress",
        abstract: "Protects a statistical table: withholds small cells and what would give them away.",
        discussion: """
            FILE is a CSV with a header. The columns named by --count, --value, --largest and --second are numbers, every \
            other column is a dimension; each row is a leaf cell. Sums over each dimension, and over the levels of its \
            hierarchy, are made here: bring no totals.

            A hierarchy is a CSV with a header and two columns: a code, and its parent.

            A cell is sensitive when it has fewer than --threshold contributors or, where --largest and --second are \
            given, when the second largest contributor could estimate the largest to within --p percent. What is \
            published lets nobody compute a sensitive cell, subtract their way to fewer than --threshold contributors, \
            or prove that a cell has fewer; every sensitive cell carries a witness, another table that agrees with \
            everything published.

            The result goes to --out: every occupied cell, with counts where it is published. The proof tells what could \
            be otherwise, row by row: keep it to yourself.

            EXIT CODES
              0  every sensitive cell is protected, with proof
              1  the table can't be read or protected
              2  written, but some cells carry no complete proof in the time allowed
            """)

    @Option(help: ArgumentHelp("The table.", valueName: "file"))
    var table: String

    @Option(
        help: ArgumentHelp("A dimension's hierarchy, as NAME=FILE; once a dimension.", valueName: "name=file"))
    var hierarchy: [String] = []

    @Option(help: "k: the smallest number of contributors of a published cell.")
    var threshold: Int64 = 10

    @Option(help: ArgumentHelp("The column that counts contributors.", valueName: "column"))
    var count = "count"

    @Option(help: ArgumentHelp("The column of a magnitude table's values.", valueName: "column"))
    var value: String?

    @Option(help: ArgumentHelp("The column of the largest contribution.", valueName: "column"))
    var largest: String?

    @Option(help: ArgumentHelp("The column of the second largest contribution.", valueName: "column"))
    var second: String?

    @Option(help: "Percent: how well nobody may know a value.")
    var p: Int64 = 10

    @Option(help: "What to withhold as little of as possible: cells, count or value.")
    var cost = "count"

    @Option(help: ArgumentHelp("Seconds to look for proofs.", valueName: "seconds"))
    var seconds: Double = 60

    @Option(help: "How many orders to try; the cheapest safe one is kept.")
    var attempts = 3

    @Flag(help: "Refuses what can't be proved in time instead of writing it.")
    var strict = false

    @Option(help: ArgumentHelp("Where the protected table goes; - is standard output.", valueName: "file"))
    var out = "-"

    @Option(help: ArgumentHelp("Where the proof goes, as JSON.", valueName: "file"))
    var proof: String?

    @Flag(help: "Prints the summary as JSON, on standard output; needs --out FILE.")
    var json = false

    func validate() throws {
        guard threshold >= 2 else { throw ValidationError("--threshold takes at least 2.") }
        guard (0...1000).contains(p) else { throw ValidationError("--p takes 0 to 1000 percent.") }
        guard seconds > 0, attempts >= 1 else { throw ValidationError("--seconds and --attempts take more than 0.") }
        guard TableCube.Rule.Cost(rawValue: cost) != nil else {
            throw ValidationError("--cost takes cells, count or value; found '\(cost)'.")
        }
        guard value != nil || (largest == nil && second == nil && cost != "value") else {
            throw ValidationError("--largest, --second and --cost value need --value.")
        }
        guard (largest == nil) == (second == nil) else {
            throw ValidationError("--largest and --second go together.")
        }
        guard !json || out != "-" else {
            throw ValidationError("--json needs --out FILE: both can't be standard output.")
        }
    }

    func run() async throws {
        let columns = Table.Columns(count: count, value: value, largest: largest, second: second)
        let read = try Table(csv: try text(of: table), file: table, columns: columns)
        let cube = try TableCube(
            of: read,
            hierarchies: try hierarchies(),
            rule: TableCube.Rule(
                threshold: threshold,
                percent: value == nil ? nil : p,
                cost: TableCube.Rule.Cost(rawValue: cost) ?? .count),
            knowsContributions: largest != nil,
            file: table)
        Terminal.talk("\(Terminal.grouped(cube.cells.count)) cells; looking for a pattern and its proof.")
        // The seed is secret: who knew it could rerun this and learn from the choice.
        let options = SuppressionOptions(
            seed: .random(in: .min ... .max), attempts: attempts, proof: .witnesses(seconds: seconds),
            isStrict: strict)
        let result = try ProtectedTable(cube, options: options)
        if out == "-" {
            FileHandle.standardOutput.write(Data(result.csv.utf8))
        } else {
            try Data(result.csv.utf8).write(to: URL(fileURLWithPath: out), options: .atomic)
        }
        if let proof {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try encoder.encode(result.proof).write(to: URL(fileURLWithPath: proof), options: .atomic)
        }
        try show(result.summary)
        if result.summary.unproved > 0 { throw ExitCode(2) }
    }

    private func show(_ summary: ProtectedTable.Summary) throws {
        if json { return try Terminal.json(summary) }
        Terminal.talk(
            Terminal.table([
                ("cells", Terminal.grouped(summary.cells)),
                ("published", Terminal.grouped(summary.published)),
                ("withheld, sensitive", Terminal.grouped(summary.sensitive)),
                ("withheld to protect them", Terminal.grouped(summary.complementary)),
                ("witnesses", Terminal.grouped(summary.witnesses)),
                ("without complete proof", Terminal.grouped(summary.unproved)),
            ]))
    }

    private func hierarchies() throws -> [String: Hierarchy] {
        var result: [String: Hierarchy] = [:]
        for option in hierarchy {
            guard let sign = option.firstIndex(of: "="), sign != option.startIndex else {
                throw ValidationError("--hierarchy takes NAME=FILE; found '\(option)'.")
            }
            let name = String(option[..<sign])
            let file = String(option[option.index(after: sign)...])
            guard result[name] == nil else { throw ValidationError("--hierarchy names '\(name)' twice.") }
            result[name] = try Hierarchy(csv: try text(of: file), file: file)
        }
        return result
    }

    private func text(of file: String) throws -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFailure("\(file): there is no such file, or it can't be read.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure("\(file) is not UTF-8; convert it, for example with iconv.")
        }
        return text
    }
}
