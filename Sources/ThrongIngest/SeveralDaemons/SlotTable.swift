/// Shares slots out so that as few as possible change hands.
package enum SlotTable {
    /// Returns the owners after a daemon joins: it takes slots from those that have the most.
    package static func joined(by shard: Int16, _ owners: [Int16]) -> [Int16] {
        guard !owners.contains(shard) else { return owners }
        var owners = owners
        let share = owners.count / (Set(owners).count + 1)
        for _ in 0..<share {
            // The lowest shard of those with the most slots.
            let others = counts(owners).filter { $0.key != shard }
            guard let richest = others.min(by: { ($1.value, $0.key) < ($0.value, $1.key) })?.key,
                let slot = owners.lastIndex(of: richest)
            else { break }
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
            // The lowest shard of those with the fewest slots.
            guard let poorest = counts.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else { break }
            owners[slot] = poorest
            counts[poorest, default: 0] += 1
        }
        return owners
    }

    private static func counts(_ owners: [Int16]) -> [Int16: Int] {
        owners.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
