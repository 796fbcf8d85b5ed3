/// Shares slots out so that as few as possible change hands.
package enum SlotTable {
    /// Returns the owners after a daemon joins: it takes slots from those that have the most.
    package static func joined(by shard: Int16, _ owners: [Int16]) -> [Int16] {
        guard !owners.contains(shard) else { return owners }
        var owners = owners
        let share = owners.count / (Set(owners).count + 1)
        for _ in 0..<share {
            let richest = most(counts(owners).filter { $0.key != shard })
            guard let slot = owners.lastIndex(of: richest) else { break }
            owners[slot] = shard
        }
        return owners
    }

    /// Returns the owners after a daemon leaves; nil if it is the only owner or owns no slot.
    package static func left(by shard: Int16, _ owners: [Int16]) -> [Int16]? {
        var counts = counts(owners)
        guard counts.removeValue(forKey: shard) != nil, !counts.isEmpty else { return nil }
        var owners = owners
        for slot in owners.indices where owners[slot] == shard {
            let poorest = least(counts)
            owners[slot] = poorest
            counts[poorest, default: 0] += 1
        }
        return owners
    }

    private static func counts(_ owners: [Int16]) -> [Int16: Int] {
        owners.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Returns the lowest shard of those with the most slots.
    private static func most(_ counts: [Int16: Int]) -> Int16 {
        counts.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key ?? 0
    }

    /// Returns the lowest shard of those with the fewest slots.
    private static func least(_ counts: [Int16: Int]) -> Int16 {
        counts.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
    }
}
