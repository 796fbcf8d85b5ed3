internal import ThrongNoise
internal import ThrongSystem

/// Every sequence of coin flips, one after the other, down to a depth: what a sampler does with all of them adds up to
/// the exact probability of each outcome, up to the mass of those that were not done by then.
struct BitTree: BitSource {
    let depth: Int
    private var path: [Bool] = []
    private var used = 0
    private var beyond = SeededGenerator(seed: 1)

    init(depth: Int) { self.depth = depth }

    mutating func bits(_ count: Int) -> UInt64 {
        var number: UInt64 = 0
        for _ in 0..<count { number = number << 1 | (flip() ? 1 : 0) }
        return number
    }

    private mutating func flip() -> Bool {
        defer { used += 1 }
        guard used < depth else { return beyond.next() & 1 == 1 }
        if used == path.count { path.append(false) }
        return path[used]
    }

    /// The mass of each outcome and of what was undecided at the depth. Unit: 2^-depth.
    static func masses<Outcome: Hashable>(
        depth: Int, _ sample: (inout BitTree) -> Outcome
    ) -> (decided: [Outcome: UInt128], undecided: UInt128) {
        var tree = BitTree(depth: depth)
        var decided: [Outcome: UInt128] = [:]
        var undecided: UInt128 = 0
        repeat {
            tree.used = 0
            let outcome = sample(&tree)
            if tree.used > depth {
                undecided += 1
            } else {
                decided[outcome, default: 0] += 1 << UInt128(depth - tree.used)
            }
        } while tree.advance()
        return (decided, undecided)
    }

    /// To the next path in order; false after the last.
    private mutating func advance() -> Bool {
        while path.last == true { path.removeLast() }
        guard !path.isEmpty else { return false }
        path[path.count - 1] = true
        return true
    }
}
