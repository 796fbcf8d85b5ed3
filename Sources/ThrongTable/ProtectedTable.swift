public import ThrongSuppression

/// A table with the cells that may be published, and what proves it.
public struct ProtectedTable: Sendable {
    /// Every cell.
    public let cube: TableCube
    /// Which of them are published.
    public let pattern: SuppressionPattern

    /// Protects a table, then checks the result with the engine's separate verification.
    ///
    /// - Throws: ``SuppressionError``; ``ProtectionError`` where the verification finds anything at all.
    public init(_ cube: TableCube, options: SuppressionOptions) throws {
        let pattern = try SuppressionEngine(options: options).pattern(for: cube.problem)
        var random = SystemRandomNumberGenerator()
        let violations = PatternVerifier(cube.problem).violations(
            of: pattern, prime: RandomPrime.draw(using: &random), seed: random.next())
        // The verification excuses what only forced cells give away; a table of one's own has no forced cells.
        let faults = violations.count + pattern.pinned.count + pattern.openRelations.count
        guard faults == 0 else { throw ProtectionError.unverified(faults: faults) }
        self.cube = cube
        self.pattern = pattern
    }

    /// The table as CSV: the dimensions, the count, the value where there is one, and the status.
    ///
    /// A withheld cell has no count and no value; a small one, an empty one and one that protects another look alike.
    public var csv: String {
        var header = cube.dimensions + ["count"]
        if cube.hasValues { header.append("value") }
        header.append("status")
        var text = Self.line(header)
        for (place, cell) in cube.cells.enumerated() {
            let isPublished = pattern.isPublished[place]
            var fields = cell.codes + [isPublished ? String(cell.count) : ""]
            if cube.hasValues { fields.append(isPublished ? Self.decimal(cell.value, places: cube.decimals) : "") }
            text += Self.line(fields + [isPublished ? "published" : "withheld"])
        }
        return text
    }

    /// How many cells were looked at, published, and withheld for which reason.
    public var summary: Summary {
        let sensitive = cube.problem.cells.count { $0.isSensitive }
        let withheld = pattern.isPublished.count { !$0 }
        let unproved = Set(pattern.unproved).count
        return Summary(
            cells: cube.cells.count,
            published: cube.cells.count - withheld,
            sensitive: sensitive,
            complementary: withheld - sensitive,
            witnesses: pattern.witnesses.count,
            unproved: unproved)
    }

    /// Figures of a protection.
    public struct Summary: Sendable, Hashable, Encodable {
        /// Occupied cells.
        public let cells: Int
        /// Of these, published.
        public let published: Int
        /// Too small or dominated.
        public let sensitive: Int
        /// Withheld to protect those.
        public let complementary: Int
        /// Other tables that agree with everything published.
        public let witnesses: Int
        /// Sensitive cells without a complete proof.
        public let unproved: Int
    }

    /// The proof: for every witness, which sensitive cells it moves and which rows it changes by how much.
    public var proof: Proof {
        Proof(
            threshold: cube.problem.threshold,
            witnesses: pattern.witnesses.map { witness in
                Proof.Witness(
                    measure: witness.measure == 0 ? "count" : "value",
                    cells: witness.proves.map { cube.cells[Int($0.value)].codes },
                    changes: witness.changes.map { Proof.Change(row: Int($0.leaf.value) + 2, amount: $0.amount) })
            },
            unproved: pattern.unproved.map { cube.cells[Int($0.value)].codes })
    }

    /// A proof that anyone with the table can check: add each witness's changes to the rows, and every published number
    /// stays the same. It tells how small cells could be otherwise, so it stays with whoever has the table.
    public struct Proof: Sendable, Hashable, Encodable {
        /// k.
        public let threshold: Int64
        /// Other tables.
        public let witnesses: [Witness]
        /// Sensitive cells without a complete proof.
        public let unproved: [[String]]

        /// One other table.
        public struct Witness: Sendable, Hashable, Encodable {
            /// count or value.
            public let measure: String
            /// The sensitive cells that it moves as far as is asked.
            public let cells: [[String]]
            /// The rows that differ.
            public let changes: [Change]
        }

        /// One row's difference.
        public struct Change: Sendable, Hashable, Encodable {
            /// The row of the table's file; the header is row 1.
            public let row: Int
            /// Unit: contributors, or 10^-decimals of the value's unit.
            public let amount: Int64
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

/// Why a table that was protected is not handed out.
public enum ProtectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The separate verification found the pattern unsafe: an error in this program.
    case unverified(faults: Int)

    /// What was found and what to do.
    public var description: String {
        switch self {
        case .unverified(let faults):
            "the verification found \(faults) faults in the pattern, so nothing was written; please report this"
        }
    }
}
