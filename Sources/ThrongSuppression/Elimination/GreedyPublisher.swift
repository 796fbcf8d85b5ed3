/// Publishes cells one after the other, most useful first, and hides what would let a sensitive cell be computed.
///
/// Disclosure, section 2, step 3. The result satisfies L1: no sensitive cell lies in the span of the published ones.
struct GreedyPublisher {
    /// By merged column: whether it is published.
    private(set) var published: [Bool]
    /// By merged column: why it is hidden, where this pass hid it.
    private(set) var reasons: [HidingReason?]
    /// Sensitive columns that forced ones already give away.
    private(set) var exposed: [Int] = []
    /// What singletons get from forced columns whatever is decided now.
    private(set) var peeledByForced: Set<Peeling> = []
    /// What is left after the last publication.
    private(set) var basis: CircuitBasis

    private let problem: CompactProblem
    private let singletons: SingletonRule
    private let forbidden: [ForbiddenCombination]
    /// By row of the basis: the sensitive column that it stands for; −1 for none, −2 − i for the forbidden combination
    /// i.
    private var sensitiveOfRow: [Int32]

    /// Runs the pass.
    ///
    /// - Parameters:
    ///   - order: merged columns, the most useful first.
    ///   - banned: by merged column: to be hidden whatever it would give away.
    ///   - forbidden: combinations that must not become computable either (repair, section 2, step 6).
    init(_ problem: CompactProblem, order: [UInt32], banned: [Bool], forbidden: [ForbiddenCombination]) {
        self.problem = problem
        self.forbidden = forbidden
        singletons = SingletonRule(problem)
        let sensitive = (0..<problem.columnCount).filter {
            problem.isSensitive[$0] && problem.columns.length(of: $0) > 1
        }
        var watched = sensitive.map { column in problem.columns[column].map { Term(leaf: $0, coefficient: 1) } }
        watched += forbidden.map(\.vector)
        basis = CircuitBasis(leafCount: problem.leafCount, watched: watched)
        sensitiveOfRow = Array(repeating: -1, count: problem.leafCount)
        for leaf in 0..<problem.leafCount {
            if let column = problem.columnOfLeafAlone[leaf], problem.isSensitive[Int(column)] {
                sensitiveOfRow[leaf] = Int32(column)
            }
        }
        sensitiveOfRow += sensitive.map { Int32($0) }
        sensitiveOfRow += forbidden.indices.map { Int32(-2 - $0) }
        published = Array(repeating: false, count: problem.columnCount)
        reasons = Array(repeating: nil, count: problem.columnCount)

        for column in 0..<problem.columnCount where problem.isForced[column] {
            published[column] = true
            publish(basis.reduce(problem.columns[column]))
        }
        for (row, column) in sensitiveOfRow.enumerated() where column >= 0 {
            let known = row < problem.leafCount && basis.isFree[row] ? false : basis.rows[row].isEmpty
            if known {
                exposed.append(Int(column))
                sensitiveOfRow[row] = -1
            }
        }
        if problem.isForced.contains(true) { peeledByForced = Set(Peeling.found(in: basis, problem)) }
        for place in order {
            let column = Int(place)
            if published[column] || banned[column] || !problem.isOffered[column] { continue }
            if problem.isSensitive[column] {
                reasons[column] = .sensitive
                continue
            }
            decide(column)
        }
    }

    private mutating func publish(_ reduced: [Term]) {
        if reduced.isEmpty { return }
        // A sensitive leaf is never published by itself later, so that its pivot never has to move.
        basis.publish(reduced) { (sensitiveOfRow[Int($0)] >= 0 ? 0 : 1) + singletons.penalty($0) }
    }

    private mutating func decide(_ column: Int) {
        let reduced = basis.reduce(problem.columns[column])
        if reduced.isEmpty {
            published[column] = true
            return
        }
        if let given = sensitiveGivenAway(by: reduced) {
            reasons[column] = given >= 0 ? .wouldReveal(UInt32(given)) : forbidden[Int(-2 - given)].reason
            return
        }
        if singletons.forbids(reduced, in: &basis, isSensitiveRow: { sensitiveOfRow[$0] >= 0 }) {
            reasons[column] = .singletonsOnly
            return
        }
        published[column] = true
        publish(reduced)
    }

    /// The sensitive cell that publishing this would make computable: the one whose reduced form is a multiple.
    private mutating func sensitiveGivenAway(by reduced: [Term]) -> Int32? {
        var rarest: Term?
        var fewest = Int.max
        for term in reduced where basis.users[Int(term.leaf)].count < fewest {
            fewest = basis.users[Int(term.leaf)].count
            rarest = term
        }
        guard let rarest else { return nil }
        if reduced.count == 1, sensitiveOfRow[Int(rarest.leaf)] != -1 { return sensitiveOfRow[Int(rarest.leaf)] }
        for row in basis.users[Int(rarest.leaf)] {
            let sensitive = sensitiveOfRow[Int(row)]
            if sensitive != -1, basis.isProportional(reduced, toRow: Int(row)) { return sensitive }
        }
        return nil
    }
}

/// A sum over leaves that must not become computable, though no cell shows it.
struct ForbiddenCombination {
    /// The sum; leaves ascending.
    let vector: [Term]
    /// Why a cell is hidden that would make it computable.
    let reason: HidingReason
}

/// Why the engine hid a merged column.
enum HidingReason: Hashable, Sendable {
    /// It is sensitive itself.
    case sensitive
    /// With what is published already it would give away this sensitive merged column.
    case wouldReveal(UInt32)
    /// With what is published already it would bound a sensitive cell too closely.
    case wouldBound
    /// It would relate singletons only, each of whom knows its own part, or hand a sensitive cell to one of them.
    case singletonsOnly
    /// A relation's hidden children would have a union under k.
    case closesUnion(relation: Int)
    /// It bounds this sensitive merged column from above or below.
    case bounds(UInt32)
}
