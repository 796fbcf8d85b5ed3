import ArgumentParser
import Foundation
import ThrongReport
import ThrongSystem

struct SuppressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suppress",
        abstract: "Withholds a table's small cells, and what gives them away.",
        usage: "throng suppress --table <file> --out <file> [<options>]",
        discussion: """
            A table is a CSV with a header and no totals: numbers in the columns of --count, --value, --largest and --second, \
            dimensions in the others. A hierarchy is one of two columns, a code and its parent. A cell is sensitive if it \
            has fewer than --threshold contributors, or if the second largest could estimate the largest to within --p percent.

            The proof and the secret are for you alone; by the same secret two runs hide the same cells. \
            THRONG_SUPPRESS_SECRET may hold it, in 64 hexadecimal digits. It ends with 2 where a cell lacks a complete proof.

            EXAMPLE
              throng suppress --table table.csv --new-secret secret --out safe.csv
            """)

    @Option(help: ArgumentHelp("The table; several are decided together.", valueName: "file"))
    var table: [String]

    @Option(help: ArgumentHelp("The finer table that all are sums of; read only.", valueName: "file"))
    var leaves: String?

    @OptionGroup var levels: HierarchyFiles

    @Option(help: ArgumentHelp("k: the fewest contributors of a cell.", valueName: "k"))
    var threshold: Int64 = 10

    @Option(help: ArgumentHelp("The column that counts contributors.", valueName: "column"))
    var count = "count"

    @Option(help: ArgumentHelp("The column of amounts.", valueName: "column"))
    var value: String?

    @Option(help: ArgumentHelp("The column of the largest contribution.", valueName: "column"))
    var largest: String?

    @Option(help: ArgumentHelp("The column of the second largest.", valueName: "column"))
    var second: String?

    @Option(help: "The p of the p % rule, for amounts.")
    var p: Int64 = 10

    @Option(
        help: "Cost of a cell: count, value, equal.",
        transform: { text in
            guard let cost = TableCube.Rule.Cost(rawValue: text) else {
                throw ValidationError("--cost takes count, value or equal; found '\(text)'.")
            }
            return cost
        })
    var cost = TableCube.Rule.Cost.count

    @Flag(help: "Finds the least cost; for up to 500 cells.")
    var exact = false

    @Option(help: ArgumentHelp("Seconds to look for proofs.", valueName: "seconds"))
    var seconds: Double = 60

    @Option(help: "Orders to try; the best is kept.")
    var attempts = 3

    @Flag(help: "Writes nothing that lacks a proof.")
    var strict = false

    @Option(help: ArgumentHelp("The result, once a table (default: standard output).", valueName: "file"))
    var out: [String] = []

    @Option(help: ArgumentHelp("The secret of an earlier run.", valueName: "file"))
    var secret: String?

    @Option(help: ArgumentHelp("Makes one in a new file, and uses it.", valueName: "file"))
    var newSecret: String?

    @Option(help: ArgumentHelp("The proof's place, as JSON.", valueName: "file"))
    var proof: String?

    @Flag(help: "Prints the summary as JSON; needs --out FILE.")
    var json = false

    func validate() throws {
        guard threshold >= 2 else { throw ValidationError("--threshold takes at least 2.") }
        guard (0...1000).contains(p) else { throw ValidationError("--p takes 0 to 1000 percent.") }
        guard seconds > 0, attempts >= 1 else { throw ValidationError("--seconds and --attempts take more than 0.") }
        guard value != nil || (largest == nil && second == nil && cost != .value) else {
            throw ValidationError("--largest, --second and --cost value need --value.")
        }
        guard (largest == nil) == (second == nil) else {
            throw ValidationError("--largest and --second go together.")
        }
        guard !json || !outputs.contains("-") else {
            throw ValidationError("--json needs --out FILE: both can't be standard output.")
        }
        guard !table.isEmpty, outputs.count == table.count else {
            throw ValidationError("--out names \(out.count) files for \(table.count) tables; name one for each.")
        }
        guard secret == nil || newSecret == nil else {
            throw ValidationError("--secret uses a secret and --new-secret makes one: name one of them.")
        }
    }

    private var outputs: [String] { out.isEmpty && table.count == 1 ? ["-"] : out }

    func run() async throws {
        let columns = Table.Columns(count: count, value: value, largest: largest, second: second)
        func read(_ file: String) throws -> LinkedTables.Named {
            .init(try Table(csv: try TextFile.read(file), file: file, columns: columns), file: file)
        }
        let tables = try table.map(read)
        let linked = try leaves.map { try LinkedTables(tables, leaves: try read($0)) } ?? LinkedTables(tables)
        let cube = try TableCube(
            of: linked,
            hierarchies: try levels.read(),
            rule: TableCube.Rule(
                threshold: threshold,
                percent: value == nil ? nil : p,
                cost: cost),
            knowsContributions: largest != nil)
        for named in tables { describe(named.table, cube) }
        let ties = try ties()
        let line = ProgressLine()
        // The seed is secret: who knew it could rerun this and learn from the choice.
        let options = SuppressionOptions(
            seed: (ties ?? TieSecret()).seed(
                for: "suppress", cube.members.flatMap(\.dimensions).map { Array($0.utf8) }),
            attempts: attempts, seconds: seconds, isStrict: strict, progress: { line.show($0) })
        defer { line.clear() }
        let result = try ProtectedTable(cube, options: options, leastWithin: exact ? seconds : nil)
        line.clear()
        for (place, file) in outputs.enumerated() {
            let text = Data(result.csv(of: place).utf8)
            if file == "-" {
                FileHandle.standardOutput.write(text)
            } else {
                try text.write(to: URL(fileURLWithPath: file), options: .atomic)
            }
        }
        if let proof {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            try encoder.encode(result.proof).write(to: URL(fileURLWithPath: proof), options: .atomic)
        }
        try show(result.summary)
        if ties == nil {
            Terminal.talk(
                "warning: drawn without a secret: another run may hide other cells, and who sees both can work out what either "
                    + "hides. Publish one of them only, or use --secret; --new-secret FILE makes one")
        }
        if result.summary.unproved > 0 { throw ExitCode(2) }
    }

    /// Returns the secret that two runs have in common; nil draws anew.
    private func ties() throws -> TieSecret? {
        if let newSecret { return try TieSecret.made(at: newSecret, as: .suppressSecret) }
        if let secret { return try TieSecret(file: secret, as: .suppressSecret) }
        guard let text = ProcessInfo.processInfo.environment[Self.variable] else { return nil }
        guard let secret = TieSecret(hex: text) else {
            throw ValidationError("\(Self.variable) takes 64 hexadecimal digits, as --new-secret writes them.")
        }
        return secret
    }

    private static let variable = "THRONG_SUPPRESS_SECRET"

    /// Prints what was understood of the table: a column that was forgotten shows up here, as a dimension.
    private func describe(_ table: Table, _ cube: TableCube) {
        let codes = table.dimensions.indices.map { dimension in Set(table.rows.map { $0.codes[dimension] }) }
        Terminal.talk(
            "\(Terminal.count(table.rows.count, "row")), \(Terminal.count(cube.cells.count, "cell")) with all sums; "
                + "dimensions: "
                + zip(table.dimensions, codes).map { "\($0) (\(Terminal.grouped($1.count)))" }.joined(separator: ", "))
        if value != nil, largest == nil {
            Terminal.talk(
                "warning: without --largest and --second no value is checked for who makes up most of it; only counts "
                    + "decide what is sensitive")
        }
        for (dimension, codes) in zip(table.dimensions, codes) where codes.count > 8 {
            guard codes.count * 2 > table.rows.count, codes.allSatisfy({ Double($0) != nil }) else { continue }
            Terminal.talk(
                "warning: '\(dimension)' holds numbers and is taken as a dimension; name it with --value, --largest or "
                    + "--second, or drop the column")
        }
    }

    private func show(_ summary: ProtectedTable.Summary) throws {
        if json { return try Terminal.json(summary) }
        func share(_ part: Double?) -> String { part.map { String(format: "%.1f %%", $0 * 100) } ?? "" }
        func withheld(_ group: ProtectedTable.Summary.Withheld) -> String {
            let ofValue = group.shareOfValue.map { ", \(share($0)) of the values" } ?? ""
            return "\(Terminal.grouped(group.cells))  (\(share(group.shareOfCells)) of the cells, "
                + "\(share(group.shareOfCount)) of the counts\(ofValue))"
        }
        let levels = summary.levels.map { level -> (String, String) in
            let name = level.dimensions == 0 ? "publishable totals" : "publishable, split by \(level.dimensions)"
            let part = Double(level.published) / Double(max(level.publishable, 1))
            let ofValue = level.shareOfValue.map { ", \(share($0)) of their values" } ?? ""
            let published = "\(Terminal.grouped(level.published)) of \(Terminal.grouped(level.publishable)) published"
            return (name, "\(published)  (\(share(part)), \(share(level.shareOfCount)) of their counts\(ofValue))")
        }
        let proofs =
            "\(Terminal.grouped(summary.proofs.needed))  (\(share(summary.proofs.byCircuits)) by circuits, "
            + "\(share(summary.proofs.byPrograms)) by programs, \(share(summary.proofs.missing)) missing)"
        var lines: [(String, String)] = [
            ("cells", Terminal.grouped(summary.cells)),
            ("published", Terminal.grouped(summary.published)),
            ("withheld, sensitive", withheld(summary.sensitive)),
            ("withheld to protect them", withheld(summary.complementary)),
        ]
        lines += levels
        lines += [
            ("proofs", proofs),
            ("cells without complete proof", Terminal.grouped(summary.unproved)),
            ("seconds", String(format: "%.2f", summary.seconds)),
        ]
        Terminal.talk(Terminal.table(lines))
    }
}
