/// Every cell that the tables' hierarchies make: all combinations of a code or one of its ancestors in each dimension.
///
/// Only occupied cells exist here; ``ProtectedTable/csv`` writes an empty one like any other that is withheld.
package struct TableCube: Sendable {
    /// The tables, in the order in which they were given.
    package let members: [Member]
    /// The cells, one for each column of ``problem``, in the order of first sight: the leaves' rows first, then their
    /// sums.
    package let cells: [Cell]
    /// The problem that the engine solves.
    package let problem: SuppressionProblem
    /// Decimal places of the values.
    package let decimals: Int
    /// True if cells carry a value.
    package let hasValues: Bool
    /// The place where each leaf was read.
    let sources: [LinkedTables.Source]

    /// One cell.
    package struct Cell: Sendable, Hashable {
        /// The place of its table among the members.
        package let table: Int
        /// The codes, one for each dimension of the table; an ancestor's or the total's if the cell is a sum.
        package let codes: [String]
        /// The number of contributors.
        package let count: Int64
        /// The value. Unit: 10^-decimals of the value's unit.
        package let value: Int64
    }

    /// The rule by which a cell is too small or too dominated to be published.
    package struct Rule: Sendable, Hashable {
        /// k: the smallest number of contributors.
        package let threshold: Int64
        /// The percentage of the p % rule, which also says how far an interval must reach around a hidden value; nil
        /// leaves values out of it.
        package let percent: Int64?
        /// The cost of hiding a cell.
        package let cost: Cost

        /// The quantity that the engine keeps small.
        package enum Cost: String, Sendable, Hashable {
            /// The number of cells: all cost the same.
            case equal
            /// Their counts.
            case count
            /// Their values.
            case value
        }

        package init(threshold: Int64, percent: Int64?, cost: Cost) {
            self.threshold = threshold
            self.percent = percent
            self.cost = cost
        }
    }

    /// One of the tables that the cells belong to.
    package struct Member: Sendable {
        /// The file where it was read.
        package let file: String
        /// The names of its dimensions.
        package let dimensions: [String]
        /// The codes of each dimension, as people read them: those of its rows, empty ones too, and their ancestors.
        /// Every sum comes before its parts.
        let codes: [[String]]
        /// The codes that hold everything, by dimension.
        let totals: [Set<String>]
    }

    /// Sums tables into one cube.
    ///
    /// - Parameters:
    ///   - hierarchies: the hierarchies by dimension; a dimension without one has its codes and the total.
    ///   - knowsContributions: true if the tables say their two largest contributions, so that the p % rule applies.
    /// - Throws: ``TableError``.
    /// - Complexity: O(tables × leaves × product of the codes above one).
    package init(
        of linked: LinkedTables, hierarchies: [String: [Hierarchy]], rule: Rule, knowsContributions: Bool
    ) throws {
        for name in hierarchies.keys.sorted() where !linked.dimensions.contains(name) {
            throw TableError.unknownDimension(name, found: linked.dimensions)
        }
        let levels = try linked.dimensions.enumerated().map { place, name in
            try CodePaths(
                zip(linked.leaves, linked.sources).map { ($0.codes[place], $1.file, $1.row) },
                hierarchies: hierarchies[name] ?? [], dimension: name)
        }
        var sums: [Sum] = []
        var relations: [AdditiveRelation] = []
        var members: [Member] = []
        for table in linked.members {
            let paths = table.places.map { levels[$0] }
            relations += Self.add(table, number: members.count, of: linked, paths, to: &sums)
            members.append(
                Member(
                    file: table.file, dimensions: table.places.map { linked.dimensions[$0] },
                    codes: zip(paths, table.places).map { path, place in
                        path.readingOrder(of: Set(table.leaves.map { linked.leaves[$0].codes[place] }))
                    }, totals: paths.map(\.totals)))
        }
        relations += Self.crossRelations(sums, of: linked, levels)
        problem = try SuppressionProblem(
            measures: Self.measures(of: linked, rule: rule),
            columns: IndexLists(sums.map(\.leaves)),
            cells: sums.map { sum in
                CandidateCell(
                    cost: Swift.max(1, sum.cost(rule.cost)),
                    isSensitive: sum.isSensitive(rule, knowsContributions: knowsContributions))
            },
            relations: relations,
            // One more than k: a cell that reaches k only where all else that is hidden is empty does not reach it, because
            // a rerun of this code over such a table publishes the cell.
            threshold: rule.threshold + 1)
        self.members = members
        cells = sums.map { Cell(table: $0.table, codes: $0.codes, count: $0.count, value: $0.value) }
        sources = linked.sources
        decimals = linked.decimals
        hasValues = linked.hasValues
    }

    /// Adds up the cells of one table; returns the relations between sums and their parts.
    private static func add(
        _ table: LinkedTables.Member, number: Int, of linked: LinkedTables, _ paths: [CodePaths], to sums: inout [Sum]
    ) -> [AdditiveRelation] {
        let first = sums.count
        var places: [[String]: Int] = [:]
        var parts: [Step: Set<Int>] = [:]
        let occupied = table.leaves.filter { linked.leaves[$0].count > 0 || linked.leaves[$0].value > 0 }
        for leaf in occupied {
            let row = linked.leaves[leaf]
            let own = table.places.map { row.codes[$0] }
            forEachCombination(of: zip(paths, own).map { $0.codes(above: $1) }) { codes in
                let place = places[codes] ?? sums.count
                if place == sums.count {
                    places[codes] = place
                    sums.append(Sum(table: number, codes: codes))
                }
                sums[place].add(row, leaf: UInt32(leaf))
            }
        }
        for leaf in occupied {
            let own = table.places.map { linked.leaves[leaf].codes[$0] }
            forEachCombination(of: zip(paths, own).map { $0.codes(above: $1) }) { codes in
                guard let place = places[codes] else { return }
                for (dimension, path) in paths.enumerated() {
                    for step in path.steps(from: codes[dimension], above: own[dimension]) {
                        var parent = codes
                        parent[dimension] = step.parent
                        parts[Step(parent: parent, dimension: dimension, hierarchy: step.hierarchy), default: []]
                            .insert(place)
                    }
                }
            }
        }
        return (first..<sums.count).flatMap { place -> [AdditiveRelation] in
            var known: Set<Set<Int>> = []
            return paths.indices.flatMap { dimension in
                paths[dimension].hierarchies.compactMap { hierarchy in
                    let step = Step(parent: sums[place].codes, dimension: dimension, hierarchy: hierarchy)
                    guard let children = parts[step], known.insert(children).inserted else { return nil }
                    return AdditiveRelation(
                        parent: ColumnIndex(UInt32(place)),
                        children: children.sorted().map { ColumnIndex(UInt32($0)) })
                }
            }
        }
    }

    /// A relation of one parent, dimension and hierarchy: its parts are the cells one step below it there.
    private struct Step: Hashable {
        let parent: [String]
        let dimension: Int
        let hierarchy: Int
    }

    /// One cell while it is added up.
    struct Sum {
        let table: Int
        let codes: [String]
        var leaves: [UInt32] = []
        var count: Int64 = 0
        var value: Int64 = 0
        var largest: Int64 = 0
        var second: Int64 = 0

        mutating func add(_ row: Table.Row, leaf: UInt32) {
            leaves.append(leaf)
            count = count.addingReportingOverflow(row.count).partialValue
            value = value.addingReportingOverflow(row.value).partialValue
            for contribution in [row.largest, row.second] {
                if contribution > largest {
                    second = largest
                    largest = contribution
                } else if contribution > second {
                    second = contribution
                }
            }
        }

        func cost(_ cost: Rule.Cost) -> Int64 {
            switch cost {
            case .equal: 1
            case .count: count
            case .value: value
            }
        }

        /// True if there are fewer contributors than k, or the second largest could estimate the largest to within p %
        /// (the rule of Willenborg and de Waal).
        func isSensitive(_ rule: Rule, knowsContributions: Bool) -> Bool {
            if count < rule.threshold { return true }
            guard knowsContributions, let percent = rule.percent else { return false }
            // The products are in 128 bits, so that neither can overflow.
            let rest = Int128(value) - Int128(largest) - Int128(second)
            return rest * 100 < Int128(largest) * Int128(percent)
        }
    }

    private static func measures(of linked: LinkedTables, rule: Rule) -> [AdditiveMeasure] {
        let counts = AdditiveMeasure(values: linked.leaves.map(\.count), protection: .reachesThreshold)
        guard linked.hasValues, let percent = rule.percent else { return [counts] }
        return [
            counts, AdditiveMeasure(values: linked.leaves.map(\.value), protection: .surrounds(percent: percent)),
        ]
    }

    private static func forEachCombination(of paths: [[String]], _ body: ([String]) -> Void) {
        var steps = Array(repeating: 0, count: paths.count)
        while true {
            body(steps.indices.map { paths[$0][steps[$0]] })
            var dimension = paths.count - 1
            while dimension >= 0 {
                steps[dimension] += 1
                if steps[dimension] < paths[dimension].count { break }
                steps[dimension] = 0
                dimension -= 1
            }
            if dimension < 0 { return }
        }
    }
}
