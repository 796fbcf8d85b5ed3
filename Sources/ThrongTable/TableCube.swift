package import ThrongSuppression

/// Every cell that a table's hierarchies make: all combinations of a code or one of its ancestors in each dimension.
///
/// Only occupied cells exist here; ``ProtectedTable/csv`` writes an empty one like any other that is withheld.
package struct TableCube: Sendable {
    /// The names of the dimensions.
    package let dimensions: [String]
    /// One a column of ``problem``, in the order of first sight: the leaves' rows first, then their sums.
    package let cells: [Cell]
    /// What the engine is asked.
    package let problem: SuppressionProblem
    /// Decimal places of the values.
    package let decimals: Int
    /// Whether cells carry a value.
    package let hasValues: Bool
    /// By dimension: every code of the table's rows, empty ones too, and their ancestors, as people read them: every sum
    /// before its parts.
    let codes: [[String]]

    /// One cell.
    package struct Cell: Sendable, Hashable {
        /// One code a dimension; an ancestor's or the total's where the cell is a sum.
        package let codes: [String]
        /// Contributors.
        package let count: Int64
        /// Unit: 10^-decimals of the value's unit.
        package let value: Int64
    }

    /// When a cell is too small or too dominated to be published.
    package struct Rule: Sendable, Hashable {
        /// k: the smallest number of contributors.
        package let threshold: Int64
        /// The p % rule, and how far an interval must reach around a hidden value; nil leaves values out of it.
        package let percent: Int64?
        /// What hiding a cell costs.
        package let cost: Cost

        /// What the engine keeps small.
        package enum Cost: String, Sendable, Hashable, CaseIterable {
            /// The number of cells: all cost the same.
            case equal
            /// Their counts.
            case count
            /// Their values.
            case value
        }

        /// Puts a rule together.
        package init(threshold: Int64, percent: Int64?, cost: Cost) {
            self.threshold = threshold
            self.percent = percent
            self.cost = cost
        }
    }

    /// Sums a table into its cube.
    ///
    /// - Parameters:
    ///   - hierarchies: by dimension; a dimension without one has its codes and the total.
    ///   - knowsContributions: whether the table says its two largest contributions, so that the p % rule applies.
    /// - Complexity: O(rows × product of the paths' lengths).
    package init(
        of table: Table,
        hierarchies: [String: Hierarchy],
        rule: Rule,
        knowsContributions: Bool,
        file: String
    ) throws {
        let paths = try Self.paths(of: table, hierarchies: hierarchies, file: file)
        var sums: [Sum] = []
        var places: [[String]: Int] = [:]
        for (leaf, row) in table.rows.enumerated() where row.count > 0 || row.value > 0 {
            Self.forEachCombination(of: paths[leaf]) { codes in
                let place = places[codes] ?? sums.count
                if place == sums.count {
                    places[codes] = place
                    sums.append(Sum(codes: codes))
                }
                sums[place].add(row, leaf: UInt32(leaf))
            }
        }
        // One relation a parent and dimension: its parts are the cells one step below it there.
        var relations: [[String]: [Int: Set<Int>]] = [:]
        for (leaf, row) in table.rows.enumerated() where row.count > 0 || row.value > 0 {
            Self.forEachCombination(of: paths[leaf]) { codes in
                guard let place = places[codes] else { return }
                for dimension in codes.indices {
                    guard let step = paths[leaf][dimension].firstIndex(of: codes[dimension]),
                        step + 1 < paths[leaf][dimension].count
                    else { continue }
                    var parent = codes
                    parent[dimension] = paths[leaf][dimension][step + 1]
                    relations[parent, default: [:]][dimension, default: []].insert(place)
                }
            }
        }
        let counts = sums.map(\.count)
        problem = try SuppressionProblem(
            measures: Self.measures(of: table, rule: rule),
            columns: IndexLists(sums.map(\.leaves)),
            cells: sums.map { sum in
                CandidateCell(
                    floor: sum.count,
                    cost: Swift.max(1, sum.cost(rule.cost)),
                    isSensitive: sum.isSensitive(rule, knowsContributions: knowsContributions))
            },
            relations: sums.flatMap { sum -> [AdditiveRelation] in
                guard let parent = places[sum.codes], let found = relations[sum.codes] else { return [] }
                return found.sorted { $0.key < $1.key }.map { _, children in
                    AdditiveRelation(
                        parent: ColumnIndex(UInt32(parent)),
                        children: children.sorted().map { ColumnIndex(UInt32($0)) })
                }
            },
            // One more than k: a cell that reaches k only where all else that is hidden is empty does not reach it, because
            // a rerun of this code over such a table publishes the cell.
            threshold: rule.threshold + 1,
            // Contributors of disjoint cells are different ones: their counts add.
            unionFloor: { parts in parts.reduce(0) { $0 + counts[Int($1.value)] } })
        dimensions = table.dimensions
        codes = table.dimensions.indices.map { dimension in Self.readingOrder(paths.map { $0[dimension] }) }
        cells = sums.map { Cell(codes: $0.codes, count: $0.count, value: $0.value) }
        decimals = table.decimals
        hasValues = table.hasValues
    }

    private struct Sum {
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

        /// Fewer contributors than k, or the second largest could estimate the largest to within p % (disclosure,
        /// section 4; the p % rule of Willenborg and de Waal).
        func isSensitive(_ rule: Rule, knowsContributions: Bool) -> Bool {
            if count < rule.threshold { return true }
            guard knowsContributions, let percent = rule.percent else { return false }
            // In 128 bits: neither product can overflow.
            let rest = Int128(value) - Int128(largest) - Int128(second)
            return rest * 100 < Int128(largest) * Int128(percent)
        }
    }

    /// The codes of paths from a code to the total: sorted by the way down to them, so that a sum comes before its parts
    /// and the order of the rows, which may follow their numbers, does not show.
    private static func readingOrder(_ paths: [[String]]) -> [String] {
        var ways: [String: [String]] = [:]
        for path in paths {
            for place in path.indices { ways[path[place]] = path[place...].reversed() }
        }
        return ways.values.sorted { $0.lexicographicallyPrecedes($1) }.compactMap(\.last)
    }

    private static func measures(of table: Table, rule: Rule) -> [AdditiveMeasure] {
        let counts = AdditiveMeasure(values: table.rows.map(\.count), protection: .reachesThreshold)
        guard table.hasValues, let percent = rule.percent else { return [counts] }
        return [counts, AdditiveMeasure(values: table.rows.map(\.value), protection: .surrounds(percent: percent))]
    }

    private static func paths(
        of table: Table, hierarchies: [String: Hierarchy], file: String
    ) throws -> [[[String]]] {
        for name in hierarchies.keys.sorted() where !table.dimensions.contains(name) {
            throw TableError.unknownDimension(name, found: table.dimensions)
        }
        var known: [[String: [String]]] = Array(repeating: [:], count: table.dimensions.count)
        return try table.rows.enumerated().map { offset, row in
            try row.codes.enumerated().map { dimension, code in
                if let path = known[dimension][code] { return path }
                let hierarchy = hierarchies[table.dimensions[dimension]] ?? Hierarchy()
                if hierarchy.isParent(code) || code == Hierarchy.total {
                    throw TableError.rowOfParent(file: file, row: offset + 2, code: code)
                }
                guard hierarchy.holds(code) else {
                    throw TableError.codeNotInHierarchy(
                        file: file, row: offset + 2, dimension: table.dimensions[dimension], code: code)
                }
                let path = hierarchy.path(from: code)
                known[dimension][code] = path
                return path
            }
        }
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
