/// A table with the cells that may be published, and the proof that this is safe.
package struct ProtectedTable: Sendable {
    /// Every cell.
    package let cube: TableCube
    /// The cells that are published.
    package let pattern: SuppressionPattern
    /// The time that the search and the verification took.
    package let duration: Duration

    /// Protects a table, then checks the result with the engine's separate verification.
    ///
    /// - Parameter leastWithin: finds the least cost rather than a low one, and gives up after that many seconds; nil for
    ///   the engine's own search.
    /// - Throws: ``ProtectionError``, also if the verification finds anything at all.
    package init(_ cube: TableCube, options: SuppressionOptions, leastWithin: Double? = nil) throws(ProtectionError) {
        let start = ContinuousClock().now
        let pattern: SuppressionPattern
        do throws(SuppressionError) {
            pattern =
                if let leastWithin {
                    try ExactSuppression(seconds: leastWithin, seed: options.seed).pattern(for: cube.problem)
                } else {
                    try SuppressionEngine(options: options).pattern(for: cube.problem)
                }
        } catch {
            throw ProtectionError(error, cells: cube.cells)
        }
        if options.isStrict, !pattern.unproved.isEmpty {
            throw ProtectionError(.unproved(cells: pattern.unproved), cells: cube.cells)
        }
        options.progress?(SuppressionProgress(phase: .verifying))
        var random = SystemRandomNumberGenerator()
        let violations = PatternVerifier(cube.problem).violations(
            of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next())
        guard violations.isEmpty else { throw ProtectionError.unverified(faults: violations.count) }
        duration = ContinuousClock().now - start
        self.cube = cube
        self.pattern = pattern
    }

    /// A table as CSV: the dimensions, the count, the value where there is one, and the status.
    ///
    /// Every combination of codes has a line, and every sum comes before its parts. A withheld cell has no count and no
    /// value. A small one, an empty one and one that protects another look alike: a reader who could tell which cells
    /// are at least 1 would know more than the proof allows for. Beyond ``mostLines`` only what is published is
    /// written, in the same order.
    ///
    /// - Parameter number: the place of the table among the linked ones.
    package func csv(of number: Int = 0) -> String {
        let table = cube.members[number]
        var header = table.dimensions + ["count"]
        if cube.hasValues { header.append("value") }
        header.append("status")
        var text = Self.line(header)
        let ranks = table.codes.map { Dictionary(uniqueKeysWithValues: zip($0, $0.indices)) }
        var published: [[Int]: TableCube.Cell] = [:]
        for (place, cell) in cube.cells.enumerated() where cell.table == number && pattern.isPublished[place] {
            published[zip(cell.codes, ranks).map { $1[$0] ?? 0 }] = cell
        }
        let lines = table.codes.reduce(1) { min($0, Self.mostLines + 1) * $1.count }
        guard lines <= Self.mostLines else {
            for (_, cell) in published.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                text += line(cell.codes, cell)
            }
            return text
        }
        for place in 0..<lines {
            var rest = place
            var ranks = table.codes.map { _ in 0 }
            for dimension in table.codes.indices.reversed() {
                (rest, ranks[dimension]) = rest.quotientAndRemainder(dividingBy: table.codes[dimension].count)
            }
            text += line(zip(table.codes, ranks).map { $0[$1] }, published[ranks])
        }
        return text
    }

    /// The most lines of ``csv(of:)``, which make a few hundred megabytes.
    static let mostLines = 10_000_000

    private func line(_ codes: [String], _ cell: TableCube.Cell?) -> String {
        var fields = codes + [cell.map { String($0.count) } ?? ""]
        if cube.hasValues { fields.append(cell.map { Self.decimal($0.value, places: cube.decimals) } ?? "") }
        return Self.line(fields + [cell == nil ? "withheld" : "published"])
    }

    /// The proof: for every witness, the sensitive cells that it moves, and the rows that it changes with the amounts.
    package var proof: Proof {
        Proof(
            threshold: cube.problem.threshold,
            witnesses: pattern.witnesses.map { witness in
                Proof.Witness(
                    measure: witness.measure == 0 ? "count" : "value",
                    cells: witness.proves.map { cube.cells[Int($0.value)].codes },
                    changes: witness.changes.map { change in
                        let source = cube.sources[Int(change.leaf.value)]
                        return Proof.Change(file: source.file, row: source.row, amount: change.amount)
                    })
            },
            unproved: pattern.unproved.map { cube.cells[Int($0.value)].codes })
    }

    /// A proof that anyone with the table can check: add each witness's changes to the rows, and every published number
    /// stays the same. It tells what else small cells could be, so only those who have the table may see it.
    package struct Proof: Sendable, Hashable, Encodable {
        /// The least count to which each witness lifts its cells: one more than k.
        package let threshold: Int64
        /// Other tables.
        package let witnesses: [Witness]
        /// Sensitive cells without a complete proof.
        package let unproved: [[String]]

        /// One other table.
        package struct Witness: Sendable, Hashable, Encodable {
            /// count or value.
            package let measure: String
            /// The sensitive cells that it moves as far as is asked.
            package let cells: [[String]]
            /// The rows that differ.
            package let changes: [Change]
        }

        /// One row's difference.
        package struct Change: Sendable, Hashable, Encodable {
            /// The file that has the row.
            package let file: String
            /// The row of the file; the header is row 1.
            package let row: Int
            /// The difference. Unit: contributors, or 10^-decimals of the value's unit.
            package let amount: Int64
        }
    }

    private static func line(_ fields: [String]) -> String {
        fields.map { field in
            let needsQuotes = field.contains { "\",\r\n".contains($0) }
            return needsQuotes ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
        }.joined(separator: ",") + "\r\n"
    }

    private static func decimal(_ number: Int64, places: Int) -> String {
        guard places > 0 else { return String(number) }
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return padded.dropLast(places) + "." + padded.suffix(places)
    }
}
