internal import ThrongSuppression

/// Random weights of everything by which atoms differ, modulo a random prime: they tell sets of atoms, and what these have in
/// common, apart without comparing them.
///
/// What a number is about is a product of sets of values, one an axis, and weighs the product of what these weigh. A sum of
/// such products with whole factors that weighs nothing is nothing, but for a chance of axes ÷ 2^60 (Schwartz and Zippel). So
/// a column f of numbers has no other coefficients than 0 and 1 where f² weighs what f does, and f² is made of what
/// each two of the numbers have in common.
struct AtomWeights {
    /// A product of sets, by axis.
    typealias Box = [Int32]

    private let prime: UInt64
    private var axes: [Axis] = []
    private var random: SecretGenerator

    private struct Axis {
        /// By value.
        let weights: [UInt64]
        /// Values, ascending.
        var sets: [[Int]] = []
        var places: [[Int]: Int32] = [:]
        /// By set.
        var own: [UInt64] = []
        /// By pair of sets that have something in common, what that weighs.
        var common: [UInt64: UInt64] = [:]
        /// The same for all pairs, where there are few.
        var dense: [UInt64] = []
        /// By set, those that hold all of it, itself among them.
        var holders: [[Int32]] = []
    }

    /// Pairs of sets up to which all are kept in one array. 2^21 are 16 MB.
    private static let mostDense = 1 << 21

    /// Draws a prime; weights follow.
    init() {
        var system = SystemRandomNumberGenerator()
        prime = RandomPrime.draw(using: &system)
        random = SecretGenerator(seed: system.next())
    }

    /// Adds an axis and says which it is.
    mutating func addAxis(values: Int) -> Int {
        axes.append(Axis(weights: (0..<values).map { _ in UInt64.random(in: 1..<prime, using: &random) }))
        return axes.count - 1
    }

    /// Where a set of an axis's values is; nil for one without any.
    mutating func place(of values: some Sequence<Int>, on axis: Int) -> Int32? {
        let set = Set(values).sorted()
        if set.isEmpty { return nil }
        if let known = axes[axis].places[set] { return known }
        let place = Int32(axes[axis].sets.count)
        axes[axis].places[set] = place
        axes[axis].sets.append(set)
        return place
    }

    /// Weighs all sets and what they have in common. To be called once all are there.
    ///
    /// - Complexity: O(values · sets that have one²).
    mutating func weigh() {
        for axis in axes.indices { axes[axis] = weighed(axes[axis]) }
    }

    private func weighed(_ bare: Axis) -> Axis {
        var axis = bare
        let count = axis.sets.count
        let isDense = count * count <= Self.mostDense
        axis.dense = isDense ? Array(repeating: 0, count: count * count) : []
        axis.own = axis.sets.map { $0.reduce(0) { sum($0, axis.weights[$1]) } }
        var having = Array(repeating: [Int](), count: axis.weights.count)
        for (set, values) in axis.sets.enumerated() {
            for value in values { having[value].append(set) }
        }
        for (value, sets) in having.enumerated() {
            for one in sets {
                for other in sets {
                    if isDense {
                        axis.dense[one * count + other] = sum(axis.dense[one * count + other], axis.weights[value])
                    } else {
                        let key = UInt64(one) << 32 | UInt64(other)
                        axis.common[key] = sum(axis.common[key] ?? 0, axis.weights[value])
                    }
                }
            }
        }
        axis.holders = axis.sets.indices.map { set in
            guard let first = axis.sets[set].first else { return [] }
            return having[first].filter { common(axis, Int32(set), Int32($0)) == axis.own[set] }.map { Int32($0) }
        }
        return axis
    }

    private func common(_ axis: Axis, _ one: Int32, _ other: Int32) -> UInt64 {
        axis.dense.isEmpty
            ? axis.common[UInt64(one) << 32 | UInt64(other)] ?? 0 : axis.dense[Int(one) * axis.sets.count + Int(other)]
    }

    // MARK: Sets of atoms

    /// What two have in common; 0 where that is nothing.
    func common(_ one: Box, _ other: Box) -> UInt64 {
        var product: UInt64 = 1
        for axis in axes.indices {
            let weight = common(axes[axis], one[axis], other[axis])
            if weight == 0 { return 0 }
            product = prime.dividingFullWidth(product.multipliedFullWidth(by: weight)).remainder
        }
        return product
    }

    /// Whether two have something in common.
    func meet(_ one: Box, _ other: Box) -> Bool {
        axes.indices.allSatisfy { common(axes[$0], one[$0], other[$0]) != 0 }
    }

    /// Whether one has all of another.
    func holds(_ whole: Box, _ part: Box) -> Bool {
        axes.indices.allSatisfy { common(axes[$0], whole[$0], part[$0]) == axes[$0].own[Int(part[$0])] }
    }

    /// The axes along which two differ.
    func differences(_ one: Box, _ other: Box) -> [Int] { axes.indices.filter { one[$0] != other[$0] } }

    /// Whether two less a third are a column of zeros and ones: f² = f for f = 1ᵃ + 1ᵇ − 1ᶜ.
    func isColumn(_ one: Box, and two: Box, less third: Box) -> Bool {
        sum(common(third, third), common(one, two)) == sum(common(one, third), common(two, third))
    }

    /// Whether all of a set is in the column of two less a third.
    func isIn(_ part: Box, _ one: Box, and two: Box, less third: Box) -> Bool {
        sum(common(part, one), common(part, two)) == sum(common(part, part), common(part, third))
    }

    /// Everything that may hold a set: by axis what holds its side.
    ///
    /// - Returns: nil where these are more than a limit.
    func holders(of part: Box, limit: Int) -> [Box]? {
        var count = 1
        for axis in axes.indices {
            count *= axes[axis].holders[Int(part[axis])].count
            if count > limit { return nil }
        }
        var found: [Box] = [[]]
        for axis in axes.indices {
            found = found.flatMap { box in axes[axis].holders[Int(part[axis])].map { box + [$0] } }
        }
        return found
    }

    private func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let sum = one + other
        return sum >= prime ? sum - prime : sum
    }
}
