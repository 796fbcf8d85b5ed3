/// A problem in the form that the engine works on: leaves that no column tells apart are one leaf, and cells over the
/// same leaves are one column.
///
/// Nothing is lost by merging leaves: a table over merged leaves can always be spread over the parts. Cells over the
/// same leaves show the same number, so that publishing one publishes all.
struct CompactProblem {
    /// The number of merged leaves.
    let leafCount: Int
    /// The values by measure and merged leaf.
    let values: [[Int64]]
    /// The merged leaves of each merged column, ascending.
    let columns: IndexLists
    /// The merged columns of each merged leaf, ascending.
    let columnsOfLeaf: IndexLists
    /// The merged column of each original one; nil for columns without leaves.
    let mergedColumn: [UInt32?]
    /// The original columns of each merged one.
    let members: IndexLists
    /// The cost of each merged column, summed over its members.
    let cost: [Int64]
    /// True by merged column if it is sensitive.
    let isSensitive: [Bool]
    /// True by merged leaf if one contributor stands behind it, and knows its own share.
    let isSingleton: [Bool]
    /// True by merged column if one contributor stands behind all of it.
    let isSingletonColumn: [Bool]
    /// The column that is each merged leaf alone; nil if that is no candidate.
    let columnOfLeafAlone: [UInt32?]
    /// The original leaves of each merged one.
    let leafMembers: IndexLists

    var columnCount: Int { columns.count }

    /// Merges a problem.
    ///
    /// - Complexity: O(incidences) expected.
    init(_ problem: SuppressionProblem) {
        let (leafNames, leafMembers) = Self.mergedLeaves(of: problem)
        let leafCount = leafMembers.count
        self.leafCount = leafCount
        self.leafMembers = IndexLists(leafMembers)
        values = problem.measures.map { measure in
            var sums = Array(repeating: Int64(0), count: leafCount)
            for (leaf, value) in measure.values.enumerated() {
                if let name = leafNames[leaf] { sums[Int(name)] += value }
            }
            return sums
        }
        let (columns, columnNames, members) = Self.mergedColumns(of: problem, leafNames, leafCount: leafCount)
        self.columns = columns
        mergedColumn = columnNames
        self.members = IndexLists(members)
        columnsOfLeaf = columns.transposed(width: leafCount)
        cost = members.map { $0.reduce(0) { $0.clampedSum(problem.cells[Int($1)].cost) } }
        isSensitive = members.map { $0.contains { problem.cells[Int($0)].isSensitive } }
        var alone: [UInt32?] = Array(repeating: nil, count: leafCount)
        for column in 0..<columns.count where columns.length(of: column) == 1 {
            alone[Int(columns.items[columns.starts[column]])] = UInt32(column)
        }
        columnOfLeafAlone = alone
        isSingleton = values[0].map { $0 == 1 }
        isSingletonColumn = members.map { problem.counts[Int($0[0])] == 1 }
    }

    /// Returns the merged leaf of each leaf, nil for those that no column shows, and the leaves of each merged one.
    private static func mergedLeaves(of problem: SuppressionProblem) -> (names: [UInt32?], members: [[UInt32]]) {
        let byLeaf = problem.columns.transposed(width: problem.leafCount)
        var known: [ArraySlice<UInt32>: UInt32] = [:]
        var names: [UInt32?] = []
        var members: [[UInt32]] = []
        for leaf in 0..<problem.leafCount {
            let key = byLeaf[leaf]
            // A leaf in no column is shown nowhere.
            if key.isEmpty {
                names.append(nil)
                continue
            }
            if let name = known[key] {
                names.append(name)
                members[Int(name)].append(UInt32(leaf))
            } else {
                let name = UInt32(members.count)
                known[key] = name
                names.append(name)
                members.append([UInt32(leaf)])
            }
        }
        return (names, members)
    }

    /// Returns the merged columns by their merged leaves, the merged column of each column, nil for those without
    /// leaves, and the columns of each merged one.
    private static func mergedColumns(
        of problem: SuppressionProblem, _ leafNames: [UInt32?], leafCount: Int
    ) -> (columns: IndexLists, names: [UInt32?], members: [[UInt32]]) {
        var known: [[UInt32]: UInt32] = [:]
        var columns = IndexLists()
        var names: [UInt32?] = []
        var members: [[UInt32]] = []
        var lastSeen = Array(repeating: UInt32.max, count: leafCount)
        for column in 0..<problem.columns.count {
            var merged: [UInt32] = []
            for leaf in problem.columns[column] {
                guard let name = leafNames[Int(leaf)], lastSeen[Int(name)] != UInt32(column) else { continue }
                lastSeen[Int(name)] = UInt32(column)
                merged.append(name)
            }
            merged.sort()
            if merged.isEmpty {
                names.append(nil)
            } else if let name = known[merged] {
                names.append(name)
                members[Int(name)].append(UInt32(column))
            } else {
                let name = UInt32(columns.count)
                known[merged] = name
                names.append(name)
                members.append([UInt32(column)])
                columns.append(merged)
            }
        }
        return (columns, names, members)
    }

    /// Returns a merged column's value of a measure.
    func value(of column: Int, measure: Int) -> Int64 {
        columns[column].reduce(0) { $0 + values[measure][Int($1)] }
    }
}
