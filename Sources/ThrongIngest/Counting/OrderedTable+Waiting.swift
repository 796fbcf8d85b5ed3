// A replay adds millions of slots and reads none. They wait, are sorted by hash, and are then merged into the table
// from front to back. That needs no search, and the processor predicts every branch.

extension OrderedTable {
    /// Adds a slot that is merged later, so that it is unknown whether it is new.
    mutating func insertLater(_ slot: Entry) {
        waiting.append(slot)
        // A larger table waits for more slots, because each merge writes all of it anew.
        if waiting.count >= max(Self.leastWaiting, count / 2) { bringIn() }
    }

    private static var leastWaiting: Int { 1 << 16 }

    /// Merges the slots that wait.
    mutating func settle() {
        guard !waiting.isEmpty else { return }
        bringIn()
        waiting = []
    }

    private mutating func bringIn() {
        // A few slots are added one by one: a merge would write all of a large table anew for them.
        guard waiting.count > count / 32 else {
            for slot in waiting {
                let section = Self.section(of: slot)
                let isNew = sections[section].takeIn(slot)
                if isNew { count += 1 }
            }
            return waiting.removeAll(keepingCapacity: true)
        }
        var bySection = Array(repeating: Entry.free, count: waiting.count)
        let ends = waiting.withUnsafeBufferPointer { waiting in
            bySection.withUnsafeMutableBufferPointer {
                Self.distribute(waiting, by: Self.sectionBits, after: 0, to: $0)
            }
        }
        waiting.removeAll(keepingCapacity: true)
        var start = 0
        for (section, end) in ends.enumerated() {
            let old = sections[section].count
            withUnsafeTemporaryAllocation(of: Entry.self, capacity: old + 2 * (end - start)) { room in
                let sorted = UnsafeMutableBufferPointer(rebasing: room[..<(end - start)])
                bySection.withUnsafeBufferPointer {
                    Self.sort(UnsafeBufferPointer(rebasing: $0[start..<end]), to: sorted)
                }
                count += sections[section].merge(
                    UnsafeBufferPointer(sorted), through: UnsafeMutableBufferPointer(rebasing: room[sorted.count...]))
            }
            start = end
        }
    }

    /// Sorts the slots of one section by hash; those of the same hash keep their order.
    private static func sort(_ slots: UnsafeBufferPointer<Entry>, to sorted: UnsafeMutableBufferPointer<Entry>) {
        // There are some four slots for each value of the bits, and not too many values for the processor's cache.
        let bits = min(11, Int.bitWidth - (slots.count / 4).leadingZeroBitCount)
        _ = distribute(slots, by: bits, after: sectionBits, to: sorted)
        // Hashes are uniform, so this moves a slot by a few places.
        for place in sorted.indices.dropFirst() {
            let slot = sorted[place]
            var free = place
            while free > 0, sorted[free - 1].order > slot.order {
                sorted[free] = sorted[free - 1]
                free -= 1
            }
            sorted[free] = slot
        }
    }

    /// Copies slots in the order of some bits of their hashes; returns the end of the run of each value of the bits.
    private static func distribute(
        _ slots: UnsafeBufferPointer<Entry>, by bits: Int, after skipped: Int,
        to target: UnsafeMutableBufferPointer<Entry>
    ) -> [Int] {
        func value(of slot: Entry) -> Int { Int(truncatingIfNeeded: (slot.order << skipped) >> (64 - bits)) }
        var places = Array(repeating: 0, count: 1 << bits)
        places.withUnsafeMutableBufferPointer { places in
            for slot in slots { places[value(of: slot)] += 1 }
            var start = 0
            for value in places.indices { (places[value], start) = (start, start + places[value]) }
            for slot in slots {
                let run = value(of: slot)
                target[places[run]] = slot
                places[run] += 1
            }
        }
        return places
    }
}
