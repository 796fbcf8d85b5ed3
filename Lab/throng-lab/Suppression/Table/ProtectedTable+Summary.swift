extension ProtectedTable {
    /// The numbers of cells that were looked at, published, and withheld for each reason.
    package var summary: Summary {
        let sensitive = cube.problem.cells.map(\.isSensitive)
        let statistics = pattern.statistics
        let found = statistics.proofsNeeded - statistics.proofsMissing
        let byCircuits = min(statistics.proofsByCircuits, found)
        func share(_ part: Int) -> Double {
            statistics.proofsNeeded == 0 ? 0 : Double(part) / Double(statistics.proofsNeeded)
        }
        return Summary(
            cells: cube.cells.count,
            published: pattern.isPublished.count { $0 },
            sensitive: withheld { sensitive[$0] },
            complementary: withheld { !sensitive[$0] },
            levels: levels(sensitive),
            witnesses: pattern.witnesses.count,
            unproved: Set(pattern.unproved).count,
            proofs: .init(
                needed: statistics.proofsNeeded, byCircuits: share(byCircuits), byPrograms: share(found - byCircuits),
                missing: share(statistics.proofsMissing)),
            seconds: duration / .seconds(1))
    }

    private func withheld(_ belongs: (Int) -> Bool) -> Summary.Withheld {
        let places = cube.cells.indices.filter { !pattern.isPublished[$0] && belongs($0) }
        func share(of amount: (TableCube.Cell) -> Int64) -> Double {
            let all = cube.cells.reduce(0.0) { $0 + Double(amount($1)) }
            return all == 0 ? 0 : places.reduce(0.0) { $0 + Double(amount(cube.cells[$1])) } / all
        }
        return Summary.Withheld(
            cells: places.count, shareOfCells: share { _ in 1 }, shareOfCount: share { $0.count },
            shareOfValue: cube.hasValues ? share { $0.value } : nil)
    }

    /// Returns the publishable cells by the number of dimensions that split them.
    private func levels(_ sensitive: [Bool]) -> [Summary.Level] {
        var groups: [Int: [Int]] = [:]
        for place in cube.cells.indices where !sensitive[place] {
            let cell = cube.cells[place]
            let split = zip(cell.codes, cube.members[cell.table].totals).count { !$1.contains($0) }
            groups[split, default: []].append(place)
        }
        return groups.sorted { $0.key < $1.key }.map { split, places in
            let published = places.filter { pattern.isPublished[$0] }
            func share(of amount: (TableCube.Cell) -> Int64) -> Double {
                let all = places.reduce(0.0) { $0 + Double(amount(cube.cells[$1])) }
                return all == 0 ? 1 : published.reduce(0.0) { $0 + Double(amount(cube.cells[$1])) } / all
            }
            return Summary.Level(
                dimensions: split, publishable: places.count, published: published.count,
                shareOfCount: share { $0.count }, shareOfValue: cube.hasValues ? share { $0.value } : nil)
        }
    }

    /// Figures of a protection.
    package struct Summary: Sendable, Hashable, Encodable {
        /// Occupied cells, sums among them.
        package let cells: Int
        /// The number of these that are published.
        package let published: Int
        /// Too small or dominated.
        package let sensitive: Withheld
        /// Withheld to protect those.
        package let complementary: Withheld
        /// The published part of the publishable cells, which are not sensitive: first the total, then sums, then what
        /// is split further.
        package let levels: [Level]
        /// Other tables that agree with everything published.
        package let witnesses: Int
        /// Sensitive cells without a complete proof.
        package let unproved: Int
        /// The ways in which proofs were found.
        package let proofs: Proofs
        /// The time that the search and the verification took. Unit: seconds.
        package let seconds: Double

        /// Cells that are withheld for one reason. Shares are parts of 1, over all cells with the sums among them.
        package struct Withheld: Sendable, Hashable, Encodable {
            /// The number of cells.
            package let cells: Int
            /// Their share of all cells.
            package let shareOfCells: Double
            /// Their share of all counts.
            package let shareOfCount: Double
            /// Their share of all values; nil in a frequency table.
            package let shareOfValue: Double?
        }

        /// The publishable cells that are split by so many dimensions. Shares are parts of 1.
        package struct Level: Sendable, Hashable, Encodable {
            /// The number of dimensions that split the cells; 0 is the total.
            package let dimensions: Int
            /// Cells that are not sensitive.
            package let publishable: Int
            /// The number of these that are published.
            package let published: Int
            /// The share of their counts that is in published cells.
            package let shareOfCount: Double
            /// The share of their values that is in published cells; nil in a frequency table.
            package let shareOfValue: Double?
        }

        /// Proofs that a sensitive cell may be larger, or smaller. Shares are parts of 1.
        package struct Proofs: Sendable, Hashable, Encodable {
            /// The number of proofs that are asked for: one for each cell, measure and side.
            package let needed: Int
            /// Found at once, among circuits.
            package let byCircuits: Double
            /// Found by linear and integer programs, or after repair.
            package let byPrograms: Double
            /// Not found in time.
            package let missing: Double
        }
    }
}
