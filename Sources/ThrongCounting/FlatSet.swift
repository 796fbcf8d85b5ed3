/// A set of 64-bit hashes in one flat array: open addressing, linear probing, at most two thirds full.
///
/// The members are already uniform (they come out of a keyed hash), so their own bits choose the slot.
/// - Cost: 12 to 24 bytes a member, no allocation but when it doubles.
struct FlatSet: Sendable {
    /// 0 marks an empty slot; the member 0 is stored as 1, which merges two of 2^64 hashes.
    private var slots: [UInt64]
    private(set) var count = 0

    init(minimumCapacity: Int = 64) {
        var size = 64
        while size * 2 / 3 < minimumCapacity { size *= 2 }
        slots = Array(repeating: 0, count: size)
    }

    /// Adds a member; false where it was there already.
    mutating func insert(_ member: UInt64) -> Bool {
        let stored = member == 0 ? 1 : member
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: stored) & mask
        while slots[place] != 0 {
            if slots[place] == stored { return false }
            place = (place + 1) & mask
        }
        slots[place] = stored
        count += 1
        if count * 3 > slots.count * 2 { grow() }
        return true
    }

    /// Whether it is there.
    func contains(_ member: UInt64) -> Bool {
        let stored = member == 0 ? 1 : member
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: stored) & mask
        while slots[place] != 0 {
            if slots[place] == stored { return true }
            place = (place + 1) & mask
        }
        return false
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        let mask = slots.count - 1
        for member in old where member != 0 {
            var place = Int(truncatingIfNeeded: member) & mask
            while slots[place] != 0 { place = (place + 1) & mask }
            slots[place] = member
        }
    }
}
