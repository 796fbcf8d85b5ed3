/// One thing by which atoms differ, such as the values of a field: the sets of its values that numbers are about, and how
/// these lie to each other.
struct AtomAxis {
    /// By set, a bit for each value.
    private var sets: [[UInt64]] = []
    private var places: [[UInt64]: Int32] = [:]
    private let words: Int
    /// By pair of sets: whether the first holds the second, and whether they have nothing in common.
    private var relations: [Relation] = []

    private struct Relation: OptionSet {
        let rawValue: UInt8
        static let holds = Relation(rawValue: 1)
        static let isApart = Relation(rawValue: 2)
    }

    /// - Parameter values: how many there are.
    init(values: Int) { words = max(1, (values + 63) / 64) }

    /// Where a set is, which is added if it is new.
    mutating func place(of values: some Sequence<Int>) -> Int32 {
        var bits = Array(repeating: UInt64(0), count: words)
        for value in values { bits[value >> 6] |= 1 << UInt64(value & 63) }
        if let known = places[bits] { return known }
        let place = Int32(sets.count)
        places[bits] = place
        sets.append(bits)
        return place
    }

    /// Whether a set has nothing.
    func isEmpty(_ set: Int32) -> Bool { sets[Int(set)].allSatisfy { $0 == 0 } }

    /// Compares all sets with each other. To be called once all are there.
    ///
    /// - Complexity: O(sets² · values).
    mutating func compare() {
        relations = []
        relations.reserveCapacity(sets.count * sets.count)
        for one in sets {
            for other in sets {
                var relation: Relation = [.holds, .isApart]
                for (mine, its) in zip(one, other) {
                    if its & ~mine != 0 { relation.remove(.holds) }
                    if its & mine != 0 { relation.remove(.isApart) }
                }
                relations.append(relation)
            }
        }
    }

    /// Whether a set has all that another has.
    func holds(_ one: Int32, _ other: Int32) -> Bool {
        relations[Int(one) * sets.count + Int(other)].contains(.holds)
    }

    /// Whether two sets have nothing in common.
    func isApart(_ one: Int32, _ other: Int32) -> Bool {
        relations[Int(one) * sets.count + Int(other)].contains(.isApart)
    }

    /// The values that some sets tell apart, as classes: how many there are, and by set which ones it holds.
    ///
    /// - Complexity: O(values · sets).
    func classes(telling used: Set<Int32>) -> (count: Int, inside: [Int32: [Int]]) {
        let order = used.sorted()
        var known: [[Bool]: Int] = [:]
        var inside: [Int32: [Int]] = [:]
        for value in 0..<words * 64 {
            let member = order.map { sets[Int($0)][value >> 6] >> UInt64(value & 63) & 1 == 1 }
            guard member.contains(true), known[member] == nil else { continue }
            for (set, isIn) in zip(order, member) where isIn { inside[set, default: []].append(known.count) }
            known[member] = known.count
        }
        return (known.count, inside)
    }

    /// Whether two sets have together all that a third has.
    func union(_ one: Int32, _ two: Int32, holds third: Int32) -> Bool {
        (0..<words).allSatisfy { sets[Int(third)][$0] & ~(sets[Int(one)][$0] | sets[Int(two)][$0]) == 0 }
    }

    /// Whether a third has all that two have in common.
    func meeting(of one: Int32, _ two: Int32, isIn third: Int32) -> Bool {
        (0..<words).allSatisfy { sets[Int(one)][$0] & sets[Int(two)][$0] & ~sets[Int(third)][$0] == 0 }
    }
}
