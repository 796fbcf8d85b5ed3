extension TableCube {
    /// Returns the relations that subtraction makes between cells of which one holds the other without a table or a
    /// hierarchy saying so: a part of one linked table beside the same cell of another, or a cell of one hierarchy's
    /// code beside one of another hierarchy's.
    ///
    /// The whole is taken apart into the smaller cell and the finest cells of the rest, so that these together are
    /// empty or stand for k contributors.
    ///
    /// - Complexity: O(pairs of such cells × leaves).
    static func crossRelations(_ sums: [Sum], of linked: LinkedTables, _ levels: [CodePaths]) -> [AdditiveRelation] {
        /// Returns the codes of a cell that are no total, each with its dimension.
        func key(_ sum: Sum) -> [Int: String] {
            let places = linked.members[sum.table].places
            return Dictionary(
                uniqueKeysWithValues: zip(places, sum.codes).filter { !levels[$0].totals.contains($1) })
        }
        var finest: [Int: [UInt32: Int]] = [:]
        var byKey: [[Int: String]: [Int]] = [:]
        for (place, sum) in sums.enumerated() {
            byKey[key(sum), default: []].append(place)
            let places = linked.members[sum.table].places
            let isFinest = zip(places, sum.codes).allSatisfy { levels[$0].paths[$1] != nil }
            if isFinest { for leaf in sum.leaves { finest[sum.table, default: [:]][leaf] = place } }
        }
        func relation(_ whole: Int, _ part: Int) -> AdditiveRelation? {
            let inside = Set(sums[part].leaves)
            guard inside.count < sums[whole].leaves.count, inside.isSubset(of: sums[whole].leaves) else { return nil }
            var children: Set<Int> = [part]
            var covered = inside
            for leaf in sums[whole].leaves where !covered.contains(leaf) {
                guard let place = finest[sums[whole].table]?[leaf], inside.isDisjoint(with: sums[place].leaves) else {
                    return nil
                }
                children.insert(place)
                covered.formUnion(sums[place].leaves)
            }
            guard covered.count == sums[whole].leaves.count else { return nil }
            return AdditiveRelation(
                parent: ColumnIndex(UInt32(whole)), children: children.sorted().map { ColumnIndex(UInt32($0)) })
        }
        var relations: [AdditiveRelation] = []
        if linked.members.count > 1 {
            for places in byKey.values.sorted(by: { $0[0] < $1[0] }) where places.count > 1 {
                for whole in places {
                    for part in places where sums[part].table != sums[whole].table {
                        if let found = relation(whole, part) { relations.append(found) }
                    }
                }
            }
        }
        let nested = levels.map(\.nested)
        guard nested.contains(where: { !$0.isEmpty }) else { return relations }
        let byCodes = linked.members.indices.map { table in
            Dictionary(
                sums.indices.filter { sums[$0].table == table }.map { (sums[$0].codes, $0) }
            ) { first, _ in first }
        }
        for (whole, sum) in sums.enumerated() {
            for (dimension, place) in linked.members[sum.table].places.enumerated() {
                for code in nested[place][sum.codes[dimension]] ?? [] {
                    var codes = sum.codes
                    codes[dimension] = code
                    guard let part = byCodes[sum.table][codes], let found = relation(whole, part) else { continue }
                    relations.append(found)
                }
            }
        }
        return relations
    }
}
