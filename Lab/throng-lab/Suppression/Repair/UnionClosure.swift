/// L2: in every relation whose parent is known, the unknown children are empty together or have a union of at least k.
///
/// A cell that is hidden but can be computed from the published ones counts as known: hiding it alone would change
/// nothing for an attacker who subtracts.
struct UnionClosure {
    private let problem: CompactProblem
    private let original: SuppressionProblem
    /// The relations that each merged column is a part of, and those that it is the parent of.
    private let relationsOfColumn: IndexLists
    /// Relations that no hiding of their own cells closes: the rest is computed from other published cells.
    private(set) var open: Set<Int> = []

    init(_ problem: CompactProblem, original: SuppressionProblem) {
        self.problem = problem
        self.original = original
        var lists: [[UInt32]] = Array(repeating: [], count: problem.columnCount)
        for (place, relation) in original.relations.enumerated() {
            for column in [relation.parent] + relation.children {
                guard let merged = problem.mergedColumn[Int(column.value)] else { continue }
                if lists[Int(merged)].last != UInt32(place) { lists[Int(merged)].append(UInt32(place)) }
            }
        }
        relationsOfColumn = IndexLists(lists)
    }

    /// Hides the cheapest known child wherever a union of unknown ones is under k, until nothing changes.
    ///
    /// - Parameters:
    ///   - published: true by merged column if it is published; cleared for those that are hidden.
    ///   - derivable: true by merged column if it is hidden but computable.
    /// - Returns: the merged columns that were hidden.
    /// - Complexity: O(relations × children) and as much again for each cell that is hidden.
    mutating func close(_ published: inout [Bool], derivable: [Bool]) -> [Int] {
        open = []
        var hidden: [Int] = []
        var waiting = Array(original.relations.indices)
        var isWaiting = Array(repeating: true, count: original.relations.count)
        var known = published
        for column in known.indices where derivable[column] { known[column] = true }
        while let place = waiting.popLast() {
            isWaiting[place] = false
            guard failsUnion(place, known: known) else { continue }
            guard let victim = cheapest(in: original.relations[place], published: published) else {
                open.insert(place)
                continue
            }
            published[victim] = false
            known[victim] = false
            hidden.append(victim)
            for next in relationsOfColumn[victim] where !isWaiting[Int(next)] {
                isWaiting[Int(next)] = true
                waiting.append(Int(next))
            }
            if !isWaiting[place] {
                isWaiting[place] = true
                waiting.append(place)
            }
        }
        return hidden
    }

    /// True if a relation reveals a union under k.
    func failsUnion(_ place: Int, known: [Bool]) -> Bool {
        let relation = original.relations[place]
        guard let parent = problem.mergedColumn[Int(relation.parent.value)], known[Int(parent)] else { return false }
        let unknown = self.unknown(in: place, known: known)
        return !unknown.isEmpty && original.count(ofUnion: unknown) < original.threshold
    }

    /// Returns the occupied children of a relation that are not known.
    func unknown(in place: Int, known: [Bool]) -> [ColumnIndex] {
        original.relations[place].children.filter { child in
            problem.mergedColumn[Int(child.value)].map { !known[Int($0)] } ?? false
        }
    }

    /// The sum of the children of each relation that are too small by themselves, if that sum is too small as well.
    ///
    /// A union that holds a larger child is large enough. So L2 only asks to keep these sums from being computed, as
    /// long as every small cell is sensitive.
    var smallUnions: [[Term]] {
        var result: [[Term]] = []
        var seen: Set<[UInt32]> = []
        for relation in original.relations {
            let small = relation.children.filter { child in
                problem.mergedColumn[Int(child.value)] != nil && original.counts[Int(child.value)] < original.threshold
            }
            guard small.count > 1, original.count(ofUnion: small) < original.threshold else { continue }
            let leaves = small.compactMap { problem.mergedColumn[Int($0.value)] }.flatMap { problem.columns[Int($0)] }
                .sorted()
            if seen.insert(leaves).inserted { result.append(leaves.map { Term(leaf: $0, coefficient: 1) }) }
        }
        return result
    }

    /// Returns the relations that a merged column is in.
    func relations(of column: Int) -> ArraySlice<UInt32> { relationsOfColumn[column] }

    private func cheapest(in relation: AdditiveRelation, published: [Bool]) -> Int? {
        let children = relation.children.compactMap { problem.mergedColumn[Int($0.value)].map { Int($0) } }
        let candidates = children.filter { published[$0] }
        if let child = candidates.min(by: { (problem.cost[$0], $0) < (problem.cost[$1], $1) }) { return child }
        // Nothing left below: the sum itself must go.
        guard let parent = problem.mergedColumn[Int(relation.parent.value)].map({ Int($0) }) else { return nil }
        return published[parent] ? parent : nil
    }
}
