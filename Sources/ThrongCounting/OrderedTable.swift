/// What lies in an ``OrderedTable``: something with a uniform 64-bit hash that it is ordered by.
protocol HashedSlot: Sendable {
    /// What marks a free slot: its ``order`` is 0, which nothing else has.
    static var free: Self { get }
    /// Uniform over 64 bits, to those who choose what is added too.
    var order: UInt64 { get }
    /// Whether both are of the same thing; asked only where ``order`` is equal.
    func isSame(as other: Self) -> Bool
}

/// A hash table that is an ordered run of slots: open addressing, linear probing, never more than four fifths full.
///
/// A slot's place follows from its hash by multiplication, not by masking, and neighbours lie in order. So a search ends at
/// the first larger hash, a table may have any size, and growing it is one pass from front to back. It is cut into
/// sections by the hash's first bits, which grow one after another, by a quarter: nothing that is counted meanwhile waits
/// for more than one small section, and the memory in use follows the number of members.
/// - Cost: 10 to 12.5 bytes for each 8 bytes of a slot; no allocation but when a section grows.
///
/// Source: Amble and Knuth 1974, "Ordered hash tables".
struct OrderedTable<Slot: HashedSlot>: Sendable {
    private var sections: [Section]
    private(set) var count = 0

    private static var sectionBits: Int { 8 }

    init() {
        // Sections start with different sizes, so that they don't all grow at the same time.
        sections = (0..<1 << Self.sectionBits).map { Section(firstSize: 16 + $0 % 16) }
    }

    /// Adds a slot unless one of the same thing is there; says whether it was added.
    mutating func insert(_ slot: Slot) -> Bool {
        let isNew = sections[Self.section(of: slot)].place(for: slot).isNew
        if isNew { count += 1 }
        return isNew
    }

    /// Adds many slots, section by section: each section comes into the processor's cache once.
    mutating func insert(contentsOf slots: [Slot]) {
        var ends = Array(repeating: 0, count: sections.count)
        for slot in slots { ends[Self.section(of: slot)] += 1 }
        for section in ends.indices.dropFirst() { ends[section] += ends[section - 1] }
        var sorted = Array(repeating: Slot.free, count: slots.count)
        for slot in slots {
            let section = Self.section(of: slot)
            ends[section] -= 1
            sorted[ends[section]] = slot
        }
        for slot in sorted { _ = insert(slot) }
    }

    /// The slot of the same thing, if there is one.
    func slot(like probe: Slot) -> Slot? { sections[Self.section(of: probe)].slot(like: probe) }

    /// Changes the slot of the same thing, which is added as given where there is none. Must leave its hash as it is.
    mutating func update<Result>(_ slot: Slot, _ change: (inout Slot) -> Result) -> Result {
        let section = Self.section(of: slot)
        let (place, isNew) = sections[section].place(for: slot)
        if isNew { count += 1 }
        return change(&sections[section].slots[place])
    }

    private static func section(of slot: Slot) -> Int { Int(truncatingIfNeeded: slot.order >> (64 - sectionBits)) }

    private struct Section: Sendable {
        /// In order; with some room behind the last place, instead of going on at the front.
        var slots: [Slot] = []
        /// Places that hashes are spread over.
        private var size: Int
        private var count = 0

        init(firstSize: Int) { size = firstSize }

        func slot(like probe: Slot) -> Slot? {
            guard !slots.isEmpty else { return nil }
            var place = place(of: probe.order)
            while place < slots.count, slots[place].order != 0, slots[place].order <= probe.order {
                if slots[place].order == probe.order, slots[place].isSame(as: probe) { return slots[place] }
                place += 1
            }
            return nil
        }

        /// Where the slot of the same thing is, adding it where there is none.
        mutating func place(for slot: Slot) -> (place: Int, isNew: Bool) {
            if slots.isEmpty { grow(to: size) }
            while true {
                var place = place(of: slot.order)
                while place < slots.count, slots[place].order != 0, slots[place].order <= slot.order {
                    if slots[place].order == slot.order, slots[place].isSame(as: slot) { return (place, false) }
                    place += 1
                }
                guard (count + 1) * 5 <= size * 4 else {
                    grow(to: size + size / 4)
                    continue
                }
                makeFree(place)
                slots[place] = slot
                count += 1
                return (place, true)
            }
        }

        /// Moves what lies at a place and behind it, up to the next free slot.
        private mutating func makeFree(_ place: Int) {
            var end = place
            while end < slots.count, slots[end].order != 0 { end += 1 }
            if end == slots.count { extend(by: 64) }
            while end > place {
                slots[end] = slots[end - 1]
                end -= 1
            }
        }

        private mutating func extend(by places: Int) {
            slots.reserveCapacity(slots.count + places)
            slots.append(contentsOf: repeatElement(.free, count: places))
        }

        private mutating func grow(to newSize: Int) {
            let old = slots
            size = newSize
            let room = size + min(64, 8 + size / 16)
            slots = []
            slots.reserveCapacity(room)
            for slot in old where slot.order != 0 {
                let place = place(of: slot.order)
                while slots.count < place { slots.append(.free) }
                slots.append(slot)
            }
            if slots.count < room { extend(by: room - slots.count) }
        }

        /// The first bits chose the section; the others are spread over its places.
        private func place(of order: UInt64) -> Int {
            Int(truncatingIfNeeded: (order << sectionBits).multipliedFullWidth(by: UInt64(size)).high)
        }
    }
}
