import Testing
import ThrongAudit
import ThrongChance

@Suite("The attacker against every table there is")
struct BruteForceTests {
    /// A random table of 2 dimensions, and which of its cells are published.
    private struct Puzzle {
        let rows: [String]
        let columns: [String]
        let leaves: [Int64]
        let published: [Cell]
        let withheld: [Cell]

        struct Cell: Hashable {
            let name: [String: String]
            let leaves: [Int]
        }

        init(seed: UInt64) {
            var dice = SeededGenerator(seed: seed)
            let (height, width) = [(2, 2), (2, 3), (3, 3), (2, 4)][Int.random(in: 0..<4, using: &dice)]
            rows = (0..<height).map { "r\($0)" }
            columns = (0..<width).map { "c\($0)" }
            let most: Int64 = height * width > 6 ? 9 : 13
            var leaves = Array(repeating: Int64(0), count: height * width)
            for _ in 0..<Int64.random(in: 5...most, using: &dice) {
                // Skewed: half of the events fall into the first three leaves.
                let place =
                    Bool.random(using: &dice)
                    ? Int.random(in: 0..<3, using: &dice) : Int.random(in: 0..<leaves.count, using: &dice)
                leaves[place] += 1
            }
            self.leaves = leaves
            var cells: [Cell] = []
            for row in 0..<height {
                cells.append(Cell(name: ["row": "r\(row)"], leaves: (0..<width).map { row * width + $0 }))
            }
            for column in 0..<width {
                cells.append(Cell(name: ["column": "c\(column)"], leaves: (0..<height).map { $0 * width + column }))
            }
            for row in 0..<height {
                for column in 0..<width {
                    cells.append(
                        Cell(name: ["row": "r\(row)", "column": "c\(column)"], leaves: [row * width + column]))
                }
            }
            let mode = Int.random(in: 0..<3, using: &dice)
            var published = [Cell(name: [:], leaves: Array(leaves.indices))]
            var withheld: [Cell] = []
            for cell in cells {
                let value = cell.leaves.reduce(0) { $0 + leaves[$1] }
                let isShown = mode == 0 ? value >= 5 : mode == 1 ? Bool.random(using: &dice) : value >= 3 && value != 4
                if isShown { published.append(cell) } else { withheld.append(cell) }
            }
            self.published = published
            self.withheld = withheld
        }

        func value(_ cell: Cell) -> Int64 { cell.leaves.reduce(0) { $0 + leaves[$1] } }

        var input: AuditInput {
            var input = Town.input(
                ["row": rows, "column": columns],
                [
                    Town.family([:]), Town.family(["row": rows]), Town.family(["column": columns]),
                    Town.family(["row": rows, "column": columns]),
                ],
                published.map { Town.number(value($0), $0.name) })
            input.plan.publicZeros = ["visits"]
            return input
        }

        /// The range of each withheld cell over all tables of non-negative whole numbers that fit.
        var ranges: [Cell: (Int64, Int64)] {
            var ranges: [Cell: (Int64, Int64)] = [:]
            var table = Array(repeating: Int64(0), count: leaves.count)
            // A published cell is checked as soon as its last leaf is placed.
            let due = Dictionary(grouping: published) { $0.leaves.max() ?? 0 }
            func place(_ leaf: Int, _ left: Int64) {
                guard leaf < table.count else {
                    for cell in withheld {
                        let value = cell.leaves.reduce(0) { $0 + table[$1] }
                        let old = ranges[cell] ?? (value, value)
                        ranges[cell] = (min(old.0, value), max(old.1, value))
                    }
                    return
                }
                for value in 0...left {
                    table[leaf] = value
                    let fits = (due[leaf] ?? []).allSatisfy { cell in
                        cell.leaves.reduce(0) { $0 + table[$1] } == self.value(cell)
                    }
                    if fits { place(leaf + 1, left - value) }
                }
                table[leaf] = 0
            }
            place(0, leaves.reduce(0, +))
            return ranges
        }
    }

    /// "column=c1, row=r0", as the auditor names it.
    private func name(_ cell: Puzzle.Cell) -> String {
        cell.name.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }

    @Test("bounds are those of an enumeration: no false pin, no missed one", arguments: 0..<600)
    func enumeration(seed: Int) {
        let puzzle = Puzzle(seed: UInt64(seed) &* 7919 &+ 17)
        let report = Town.audit(puzzle.input)
        let ranges = puzzle.ranges
        let found = (report.pins + report.notices).filter { [.exact, .bounded, .derivable].contains($0.kind) }
        #expect(report.unproved == 0 && report.unexamined.isEmpty)
        var named: [String: AuditFinding] = [:]
        for finding in found where !finding.target.hasPrefix("what is withheld") {
            var target = finding.target
            if let range = target.firstRange(of: "such as ") { target = String(target[range.upperBound...]) }
            if let range = target.firstRange(of: ", when") { target = String(target[..<range.lowerBound]) }
            named[target] = finding
        }
        for cell in puzzle.withheld {
            guard let (least, most) = ranges[cell] else { continue }
            let finding = named[name(cell)]
            if most == 0 || (most >= Town.k && least < most) {
                #expect(
                    finding == nil,
                    "seed \(seed): false \(finding?.kind.rawValue ?? "") at \(name(cell)), truly \(least)…\(most)")
            } else if let finding {
                #expect(
                    finding.lower == least && finding.upper == most, "seed \(seed): \(name(cell)) is \(least)…\(most)")
                #expect((finding.kind == .bounded) == (least < most))
                for certificate in finding.certificates where certificate.claim == .equal {
                    #expect(certificate.isExact)
                }
            } else {
                // The same question under another name: a cell of the same leaves.
                #expect(
                    named.values.contains { $0.lower == least && $0.upper == most },
                    "seed \(seed): missed \(name(cell)), which is \(least)…\(most)")
            }
        }
    }
}
