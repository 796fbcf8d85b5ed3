internal import ThrongPlan

// A checkpoint holds tables section by section, each as it was at one moment. Sections are never all taken at once:
// counting goes on between two of them, and copies at most the one that is being written.

extension OrderedTable {
    /// Returns sections from one on that hold about `bytes` together, at least one section.
    func run(from first: Int, bytes: Int) -> [Section] {
        var end = first
        var taken = 0
        repeat {
            taken += sections[end].count * MemoryLayout<Entry>.stride
            end += 1
        } while end < sections.count && taken + sections[end].count * MemoryLayout<Entry>.stride <= bytes
        // Only these references are copied: a slice would hold on to all others, too.
        return Array(sections[first..<end])
    }

    /// Returns the slots of sections as they lie in memory, in the order of hashes, behind a head.
    static func bytes(of sections: [Section], after head: [UInt8]) -> [UInt8] {
        let stride = MemoryLayout<Entry>.stride
        let size = head.count + sections.reduce(0) { $0 + $1.count } * stride
        return [UInt8](unsafeUninitializedCapacity: size) { bytes, end in
            bytes.baseAddress?.initialize(from: head, count: head.count)
            end = head.count
            let raw = UnsafeMutableRawBufferPointer(bytes)
            for section in sections {
                section.slots.withUnsafeBufferPointer { slots in
                    for slot in slots where slot.order != 0 {
                        raw.storeBytes(of: slot, toByteOffset: end, as: Entry.self)
                        end += stride
                    }
                }
            }
        }
    }

    /// Fills sections of an empty table from the output of ``bytes(of:after:)``.
    ///
    /// - Parameter position: the last record that the sections include.
    /// - Returns: false if the bytes are malformed.
    mutating func load(
        _ bytes: UnsafeRawBufferPointer, sections range: Range<Int>, through position: JournalPosition
    ) -> Bool {
        let stride = MemoryLayout<Entry>.stride
        guard range.lowerBound >= 0, range.upperBound <= sections.count, bytes.count % stride == 0 else { return false }
        if through.isEmpty { through = Array(repeating: .start, count: sections.count) }
        let isAligned = UInt(bitPattern: bytes.baseAddress) % UInt(MemoryLayout<Entry>.alignment) == 0
        if isAligned { return bytes.withMemoryRebound(to: Entry.self) { load($0, sections: range, through: position) } }
        return [Entry](unsafeUninitializedCapacity: bytes.count / stride) { slots, end in
            UnsafeMutableRawBufferPointer(slots).copyMemory(from: bytes)
            end = bytes.count / stride
        }.withUnsafeBufferPointer { load($0, sections: range, through: position) }
    }

    private mutating func load(
        _ slots: UnsafeBufferPointer<Entry>, sections range: Range<Int>, through position: JournalPosition
    ) -> Bool {
        var start = 0
        for section in range {
            guard sections[section].count == 0 else { return false }
            through[section] = position
            var end = start
            while end < slots.count, Self.section(of: slots[end]) == section {
                guard slots[end].order != 0, end == start || slots[end - 1].order <= slots[end].order else {
                    return false
                }
                end += 1
            }
            if end > start { sections[section].fill(UnsafeBufferPointer(rebasing: slots[start..<end])) }
            count += end - start
            start = end
        }
        return start == slots.count
    }

    // A replay adds millions of slots and reads none. They wait, are sorted by hash, and are then merged into the
    // table from front to back. That needs no search, and the processor predicts every branch.

    /// True if the effect of a record on a slot came with a checkpoint.
    func holds(_ slot: Entry, at position: JournalPosition) -> Bool {
        !through.isEmpty && position <= through[Self.section(of: slot)]
    }

    /// Adds a slot to be merged later, unless it came with a checkpoint.
    mutating func insertLater(_ slot: Entry, at position: JournalPosition) {
        if !holds(slot, at: position) { insertLater(slot) }
    }

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
