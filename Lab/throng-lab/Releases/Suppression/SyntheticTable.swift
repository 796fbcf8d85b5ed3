internal import Foundation

/// A seeded table with skewed counts, hierarchies and every margin, as a suppression problem.
package struct SyntheticTable: Sendable {
    /// The table as a problem. Cost: 1 + log2 of the value, doubled for margins.
    package let problem: SuppressionProblem
    /// Occupied cells.
    package let cellCount: Int
    /// Sensitive cells.
    package let sensitiveCount: Int

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - dimensions: by dimension, how many children a node of each level has.
    ///   - meanLeaf: the mean count of a leaf.
    ///   - skew: 0 is even; 1 is Zipf in every dimension.
    ///   - protection: what L3 asks.
    package init(
        dimensions: [[Int]], meanLeaf: Double, skew: Double, threshold: Int64, seed: UInt64,
        protection: AdditiveMeasure.Protection = .reachesThreshold
    ) throws(SuppressionError) {
        var random = SecretGenerator(seed: seed)
        let trees = dimensions.map(Tree.init)
        let leafSizes = trees.map(\.leafCount)
        let weights = trees.map { tree in
            var ranks = Array(1...tree.leafCount)
            ranks.shuffle(using: &random)
            return ranks.map { rank in exp2(-skew * log2(Double(rank))) }
        }
        let totalWeight = weights.reduce(1.0) { $0 * $1.reduce(0, +) }
        let dense = leafSizes.reduce(1, *)
        var values: [Int64] = []
        var leafName: [UInt32?] = Array(repeating: nil, count: dense)
        for place in 0..<dense {
            var rest = place
            var weight = 1.0
            for dimension in trees.indices.reversed() {
                weight *= weights[dimension][rest % leafSizes[dimension]]
                rest /= leafSizes[dimension]
            }
            let mean = meanLeaf * Double(dense) * weight / totalWeight
            let value = Self.draw(mean: mean * Double.random(in: 0.3...1.7, using: &random), using: &random)
            if value > 0 {
                leafName[place] = UInt32(values.count)
                values.append(value)
            }
        }
        // Every cell is one node a dimension; a leaf belongs to the product of its ancestors.
        let nodeSizes = trees.map(\.nodeCount)
        let cells = nodeSizes.reduce(1, *)
        var members: [[UInt32]] = Array(repeating: [], count: cells)
        for place in 0..<dense {
            guard let leaf = leafName[place] else { continue }
            var rest = place
            var combinations = [0]
            var weight = 1
            for dimension in trees.indices.reversed() {
                let ancestors = trees[dimension].ancestors[rest % leafSizes[dimension]]
                rest /= leafSizes[dimension]
                combinations = combinations.flatMap { base in ancestors.map { base + $0 * weight } }
                weight *= nodeSizes[dimension]
            }
            for cell in combinations { members[cell].append(leaf) }
        }
        var name: [UInt32?] = Array(repeating: nil, count: cells)
        var columns = IndexLists()
        var candidates: [CandidateCell] = []
        var sensitive = 0
        for cell in 0..<cells where !members[cell].isEmpty {
            name[cell] = UInt32(columns.count)
            columns.append(members[cell])
            let value = members[cell].reduce(Int64(0)) { $0 + values[Int($1)] }
            if value < threshold { sensitive += 1 }
            let digits = Int64(Int64.bitWidth - value.leadingZeroBitCount)
            let isMargin = Self.nodes(of: cell, sizes: nodeSizes).enumerated().contains {
                !trees[$0.offset].children[$0.element].isEmpty
            }
            candidates.append(
                CandidateCell(cost: digits * (isMargin ? 2 : 1), isSensitive: value < threshold))
        }
        var relations: [AdditiveRelation] = []
        for cell in 0..<cells {
            guard let parent = name[cell] else { continue }
            var weight = 1
            let nodes = Self.nodes(of: cell, sizes: nodeSizes)
            for dimension in trees.indices.reversed() {
                let children = trees[dimension].children[nodes[dimension]]
                if !children.isEmpty {
                    let parts = children.compactMap { name[cell + ($0 - nodes[dimension]) * weight] }
                    relations.append(
                        AdditiveRelation(parent: ColumnIndex(parent), children: parts.map { ColumnIndex($0) }))
                }
                weight *= nodeSizes[dimension]
            }
        }
        problem = try SuppressionProblem(
            measures: [AdditiveMeasure(values: values, protection: protection)], columns: columns, cells: candidates,
            relations: relations, threshold: threshold)
        cellCount = columns.count
        sensitiveCount = sensitive
    }

    private static func nodes(of cell: Int, sizes: [Int]) -> [Int] {
        var rest = cell
        var result = sizes
        for dimension in sizes.indices.reversed() {
            result[dimension] = rest % sizes[dimension]
            rest /= sizes[dimension]
        }
        return result
    }

    /// A Poisson count below a mean of thirty, the rounded mean above.
    private static func draw(mean: Double, using random: inout SecretGenerator) -> Int64 {
        if mean > 30 { return Int64(mean) }
        // Knuth's product of uniforms, in base-2 logarithms.
        let limit = exp2(-mean * 1.442_695_040_888_963_4)
        var product = 1.0
        var count: Int64 = -1
        repeat {
            product *= Double.random(in: 0..<1, using: &random)
            count += 1
        } while product > limit
        return count
    }
}

/// One dimension's hierarchy; nodes are numbered breadth first.
private struct Tree {
    var children: [[Int]] = [[]]
    var leafCount = 1
    /// By leaf, itself and all nodes above it.
    var ancestors: [[Int]] = []

    var nodeCount: Int { children.count }

    init(branching: [Int]) {
        var level = [0]
        var parent = [-1]
        for width in branching {
            var next: [Int] = []
            for node in level {
                for _ in 0..<width {
                    children[node].append(children.count)
                    next.append(children.count)
                    parent.append(node)
                    children.append([])
                }
            }
            level = next
        }
        leafCount = level.count
        ancestors = level.map { leaf in
            var path: [Int] = []
            var node = leaf
            while node >= 0 {
                path.append(node)
                node = parent[node]
            }
            return path
        }
    }
}
