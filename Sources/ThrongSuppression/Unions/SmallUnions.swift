/// Sums of leaves and empty places under k that can be computed though no shown sum tells them, such as x11 + x23 where six
/// cells of a grid form a ring (L2 over all columns).
///
/// What can be computed and is about small leaves alone is a subspace. Elimination that takes large leaves for pivots
/// wherever it can leaves a basis of it in reduced form: each vector has a pivot of its own. So the 0/1 vectors in it are
/// sums of basis vectors, each taken once or not at all.
struct SmallUnions {
    private let problem: SuppressionProblem
    /// By column, what it is made of.
    private let columns: IndexLists
    private let count: Int
    private let columnsOfLeaf: IndexLists
    /// By leaf: fewer than k devices are proved behind it, or nobody is there.
    private let isSmall: [Bool]
    /// By leaf: the cell that is this leaf alone.
    private let alone: [UInt32?]

    /// Combinations that are tried in one independent part of a table. Beyond, unions may be missed.
    static let mostSteps = 50_000

    init(_ problem: SuppressionProblem, _ atoms: SuppressionProblem.Atoms) {
        self.problem = problem
        columns = atoms.columns
        count = atoms.count
        columnsOfLeaf = columns.transposed(width: count)
        var alone = [UInt32?](repeating: nil, count: count)
        for column in problem.cells.indices where problem.columns.length(of: column) == 1 {
            // The empty places of a cell are no part of what was counted in it.
            if let leaf = problem.columns[column].first { alone[Int(leaf)] = UInt32(column) }
        }
        self.alone = alone
        // What is no cell is not sensitive, unless nobody is there.
        isSmall = alone.indices.map { leaf in
            alone[leaf].map { problem.cells[Int($0)].floor < problem.threshold }
                ?? (leaf >= problem.leafCount || problem.measures[0].values[leaf] == 0)
        }
    }

    /// One such sum that published cells tell, leaves ascending; nil where there is none.
    ///
    /// - Parameters:
    ///   - ledger: what forced cells tell by themselves, which nothing can take back.
    ///   - deadline: when to stop looking.
    func first(
        given isPublished: [Bool], except ledger: inout CircuitBasis, until deadline: ContinuousClock.Instant
    ) -> [UInt32]? {
        let basis = eliminated(isPublished)
        let vectors = basis.sums(of: isSmall)
        for part in parts(of: vectors) {
            var search = Search(vectors: part, owner: self, deadline: deadline)
            if let found = search.run(accepting: { !ledger.reduce($0[...]).isEmpty }) { return found }
        }
        return nil
    }

    /// Whether any of some leaves is small.
    func hasSmall(_ leaves: some Sequence<UInt32>) -> Bool { leaves.contains { isSmall[Int($0)] } }

    /// Published cells, eliminated so that small leaves are pivots only where nothing else is left.
    func eliminated(_ isPublished: [Bool]) -> CircuitBasis {
        var basis = CircuitBasis(leafCount: count, watched: [])
        let order = problem.cells.indices.filter { isPublished[$0] && columns.length(of: $0) > 0 }
            .sorted { (columns.length(of: $0), $0) < (columns.length(of: $1), $1) }
        for column in order {
            basis.publish(basis.reduce(columns[column])) { isSmall[Int($0)] ? 1 << 40 : 0 }
        }
        return basis
    }

    /// Vectors that share no leaf with others of another part.
    private func parts(of vectors: [[Term]]) -> [[[Term]]] {
        var partOfLeaf: [UInt32: Int] = [:]
        var parts: [[[Term]]] = []
        for vector in vectors {
            let touched = Set(vector.compactMap { partOfLeaf[$0.leaf] }).sorted()
            let home = touched.first ?? parts.count
            if touched.isEmpty { parts.append([]) }
            for other in touched.dropFirst() {
                for term in parts[other].joined() { partOfLeaf[term.leaf] = home }
                parts[home] += parts[other]
                parts[other] = []
            }
            parts[home].append(vector)
            for term in vector { partOfLeaf[term.leaf] = home }
        }
        return parts.filter { !$0.isEmpty }
    }

    /// Whether a union is somebody's, and fewer than k devices are proved behind it.
    fileprivate func isTooSmall(_ leaves: [UInt32]) -> Bool {
        guard leaves.contains(where: { Int($0) < problem.leafCount && problem.measures[0].values[Int($0)] > 0 }),
            floor(of: leaves) < problem.threshold
        else { return false }
        // A cell inside it may have been counted by itself.
        let inside = Set(leaves)
        return !Set(leaves.flatMap { columnsOfLeaf[Int($0)] }).contains { column in
            problem.cells[Int(column)].floor >= problem.threshold
                && problem.columns[Int(column)].allSatisfy(inside.contains)
        }
    }

    fileprivate func floor(of leaves: [UInt32]) -> Int64 {
        problem.unionFloor(leaves.compactMap { alone[Int($0)].map { ColumnIndex($0) } })
    }

    /// Takes or leaves one basis vector after the other.
    private struct Search {
        let vectors: [[Term]]
        let owner: SmallUnions
        private var sums: [UInt32: UInt64] = [:]
        /// By leaf, the last vector that has it: after that its sum is final.
        private let last: [UInt32: Int]
        private var steps = 0
        private let deadline: ContinuousClock.Instant

        init(vectors: [[Term]], owner: SmallUnions, deadline: ContinuousClock.Instant) {
            self.vectors = vectors
            self.owner = owner
            self.deadline = deadline
            var last: [UInt32: Int] = [:]
            for (place, vector) in vectors.enumerated() {
                for term in vector { last[term.leaf] = place }
            }
            self.last = last
        }

        mutating func run(accepting isNews: ([UInt32]) -> Bool) -> [UInt32]? { extend(0, isNews) }

        private mutating func extend(_ place: Int, _ isNews: ([UInt32]) -> Bool) -> [UInt32]? {
            steps += 1
            guard steps <= SmallUnions.mostSteps, steps % 64 > 0 || ContinuousClock().now < deadline else { return nil }
            if place == vectors.count {
                let union = sums.filter { $0.value == 1 }.map(\.key).sorted()
                return !union.isEmpty && owner.isTooSmall(union) && isNews(union) ? union : nil
            }
            if isWhole(upTo: place), let found = extend(place + 1, isNews) { return found }
            add(vectors[place], 1)
            defer { add(vectors[place], Mersenne61.negate(1)) }
            // Floors never shrink: what is certain to be in the union may be enough already.
            guard isWhole(upTo: place), owner.floor(of: settled(upTo: place)) < owner.problem.threshold else {
                return nil
            }
            return extend(place + 1, isNews)
        }

        private mutating func add(_ vector: [Term], _ factor: UInt64) {
            for term in vector {
                let sum = Mersenne61.add(sums[term.leaf] ?? 0, Mersenne61.multiply(factor, term.coefficient))
                sums[term.leaf] = sum == 0 ? nil : sum
            }
        }

        /// Whether every leaf whose sum this vector settles has 0 or 1.
        private func isWhole(upTo place: Int) -> Bool {
            vectors[place].allSatisfy { last[$0.leaf] != place || (sums[$0.leaf] ?? 0) <= 1 }
        }

        private func settled(upTo place: Int) -> [UInt32] {
            sums.filter { $0.value == 1 && (last[$0.key] ?? 0) <= place }.map(\.key)
        }
    }
}
