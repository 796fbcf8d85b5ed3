package import ThrongSuppression

/// A random release: a table of one or two measures, cells that nobody asks for, and what an earlier release published.
package struct FuzzCase {
    /// What the engine is asked.
    package let problem: SuppressionProblem
    /// Whether some cells are forced by an earlier release, which protected its own universe.
    package let isSecondRelease: Bool

    /// The case of a seed: two to four dimensions with hierarchies, or linked groupings that do not nest.
    package init(seed: UInt64) throws {
        var random = SecretGenerator(seed: seed &* 0x9E37_79B9 ^ 26)
        var problem = try FuzzRun.problem(seed: seed)
        if Bool.random(using: &random) { problem = try Self.withSums(problem, using: &random) }
        if Bool.random(using: &random) {
            let share = Double.random(in: 0.05...0.5, using: &random)
            problem = try Self.with(problem) { _, cell in
                (cell.isForced, Double.random(in: 0..<1, using: &random) >= share)
            }
        }
        guard Bool.random(using: &random) else {
            self.problem = problem
            isSecondRelease = false
            return
        }
        let options = SuppressionOptions(seed: random.next(), proof: .witnesses(seconds: 10))
        let published =
            Bool.random(using: &random)
            ? try Self.releaseOfSomeCells(problem, options, using: &random)
            : try Self.releaseOfPart(problem, options, using: &random)
        self.problem = try Self.with(problem) { place, cell in (published.contains(place), cell.isOffered) }
        isSecondRelease = published.contains { _ in true }
    }

    /// The same leaves, half of the cells offered; empty where some cell went unproved and nothing was released.
    private static func releaseOfSomeCells(
        _ problem: SuppressionProblem, _ options: SuppressionOptions, using random: inout SecretGenerator
    ) throws -> Set<Int> {
        let first = try with(problem) { _, _ in (false, Bool.random(using: &random)) }
        let pattern = try SuppressionEngine(options: options).pattern(for: first)
        guard pattern.unproved.isEmpty else { return [] }
        return Set(pattern.isPublished.indices.filter { pattern.isPublished[$0] })
    }

    /// The leaves of one cell, as days of a week that is not over, with the cells and relations inside them.
    private static func releaseOfPart(
        _ problem: SuppressionProblem, _ options: SuppressionOptions, using random: inout SecretGenerator
    ) throws -> Set<Int> {
        let whole = problem.leafCount
        let wide = problem.cells.indices.filter { (2..<max(2, whole)).contains(problem.columns.length(of: $0)) }
        guard let chosen = wide.randomElement(using: &random) else { return [] }
        let leaves = Array(problem.columns[chosen])
        let newLeaf = Dictionary(uniqueKeysWithValues: leaves.enumerated().map { ($0.element, UInt32($0.offset)) })
        let inside = problem.cells.indices.filter { place in
            problem.columns[place].allSatisfy { newLeaf[$0] != nil }
        }
        let newPlace = Dictionary(
            uniqueKeysWithValues: inside.enumerated().map { (UInt32($0.element), ColumnIndex(UInt32($0.offset))) })
        let relations = problem.relations.compactMap { relation -> AdditiveRelation? in
            guard let parent = newPlace[relation.parent.value] else { return nil }
            return AdditiveRelation(parent: parent, children: relation.children.compactMap { newPlace[$0.value] })
        }
        let unionFloor = problem.unionFloor
        let part = try SuppressionProblem(
            measures: problem.measures.map { measure in
                AdditiveMeasure(values: leaves.map { measure.values[Int($0)] }, protection: measure.protection)
            },
            columns: IndexLists(inside.map { problem.columns[$0].compactMap { newLeaf[$0] } }),
            cells: inside.map { problem.cells[$0] }, relations: relations, threshold: problem.threshold,
            unionFloor: { parts in unionFloor(parts.map { ColumnIndex(UInt32(inside[Int($0.value)])) }) })
        let pattern = try SuppressionEngine(options: options).pattern(for: part)
        guard pattern.unproved.isEmpty else { return [] }
        return Set(inside.indices.filter { pattern.isPublished[$0] }.map { inside[$0] })
    }

    /// A second measure, and some cells that it makes sensitive though they are large.
    private static func withSums(
        _ problem: SuppressionProblem, using random: inout SecretGenerator
    ) throws -> SuppressionProblem {
        let most = Int64.random(in: 1...40, using: &random)
        let sums = problem.measures[0].values.map { events in
            Int64.random(in: 0...2, using: &random) == 0
                ? events : Int64.random(in: 0...(events * most), using: &random)
        }
        let percent = Int64.random(in: 1...30, using: &random)
        let share = Double.random(in: 0...0.08, using: &random)
        return try SuppressionProblem(
            measures: problem.measures + [AdditiveMeasure(values: sums, protection: .surrounds(percent: percent))],
            columns: problem.columns,
            cells: problem.cells.map { cell in
                CandidateCell(
                    floor: cell.floor, cost: cell.cost,
                    isSensitive: cell.isSensitive || Double.random(in: 0..<1, using: &random) < share)
            },
            relations: problem.relations, threshold: problem.threshold, unionFloor: problem.unionFloor)
    }

    private static func with(
        _ problem: SuppressionProblem, _ change: (Int, CandidateCell) -> (isForced: Bool, isOffered: Bool)
    ) throws -> SuppressionProblem {
        try SuppressionProblem(
            measures: problem.measures, columns: problem.columns,
            cells: problem.cells.enumerated().map { place, cell in
                let (isForced, isOffered) = change(place, cell)
                return CandidateCell(
                    floor: cell.floor, cost: cell.cost, isSensitive: cell.isSensitive, isForced: isForced,
                    isOffered: isOffered)
            },
            relations: problem.relations, threshold: problem.threshold, unionFloor: problem.unionFloor)
    }
}
