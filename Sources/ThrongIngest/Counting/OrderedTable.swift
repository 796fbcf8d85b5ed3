internal import CLinux

/// An entry of an ``OrderedTable``, ordered by a uniform 64-bit hash.
protocol HashedSlot: Sendable, BitwiseCopyable {
    /// The value of a free slot: its ``order`` is 0, which no other slot has.
    static var free: Self { get }
    /// The hash: uniform over 64 bits, also for whoever chooses what is added.
    var order: UInt64 { get }
    /// True if both have the same key; called only if ``order`` is equal.
    func isSame(as other: Self) -> Bool
    /// Takes over the content of a later slot with the same key.
    mutating func takeIn(_ later: Self)
}

extension HashedSlot {
    func isSame(as other: Self) -> Bool { true }
    func takeIn(_ later: Self) {}
}

/// A hash table that is an ordered run of slots: open addressing, linear probing, never more than four fifths full.
///
/// A slot's place follows from its hash by multiplication, not by masking, and neighbours lie in order. So a search
/// ends at the first larger hash, a table may have any size, and growing it is one pass from front to back. The table
/// is cut into sections by the hash's first bits, and these grow one after another, by a quarter. So no counting waits
/// for more than one small section, and memory follows the number of members.
/// - Cost: 10 to 12.5 bytes for each 8 bytes of a slot; no allocation but when a section grows.
///
/// Source: Amble and Knuth 1974, "Ordered hash tables".
struct OrderedTable<Entry: HashedSlot>: Sendable {
    var sections: [Section]
    /// The last record that each section includes, for a table that was read from a checkpoint; otherwise empty.
    var through: [JournalPosition] = []
    /// The slots that wait to be merged.
    var waiting: [Entry] = []
    /// The number of slots, without those that wait for ``settle()``.
    var count = 0

    static var sectionBits: Int { WindowPart.sectionBits }

    init() {
        // Sections start with different sizes, so that they don't all grow at the same time.
        sections = (0..<1 << Self.sectionBits).map { Section(firstSize: 16 + $0 % 16) }
    }

    /// Adds a slot unless its key is there; says whether it was added.
    mutating func insert(_ slot: Entry) -> Bool {
        settle()
        let isNew = sections[Self.section(of: slot)].place(for: slot).isNew
        if isNew { count += 1 }
        return isNew
    }

    /// Returns the slot with the same key; nil if there is none.
    mutating func slot(like probe: Entry) -> Entry? {
        settle()
        return sections[Self.section(of: probe)].slot(like: probe)
    }

    /// Changes the slot with the same key, which is added as given if there is none. The change must keep its hash.
    mutating func update<Result>(_ slot: Entry, _ change: (inout Entry) -> Result) -> Result {
        settle()
        let section = Self.section(of: slot)
        let (place, isNew) = sections[section].place(for: slot)
        if isNew { count += 1 }
        return change(&sections[section].slots[place])
    }

    /// Asks for the memory of a slot's place. A table is larger than the processor's cache, and several places that are
    /// asked for come at once, where each one that is only touched is waited for.
    func expect(_ slot: Entry) { sections[Self.section(of: slot)].expect(slot) }

    /// Calls `body` for every slot, in the order of hashes, without those that wait for ``settle()``.
    func forEach(_ body: (Entry) -> Void) {
        for section in sections { for slot in section.slots where slot.order != 0 { body(slot) } }
    }

    static func section(of slot: Entry) -> Int { Int(truncatingIfNeeded: slot.order >> (64 - sectionBits)) }

    struct Section: Sendable {
        /// The slots in order, with some room behind the last place instead of wrapping around to the front.
        fileprivate(set) var slots: [Entry] = []
        /// The number of places that hashes are spread over.
        private var size: Int
        private(set) var count = 0

        init(firstSize: Int) { size = firstSize }

        func expect(_ slot: Entry) {
            slots.withUnsafeBufferPointer { slots in
                if let first = slots.baseAddress { throng_expect(first + place(of: slot.order)) }
            }
        }

        func slot(like probe: Entry) -> Entry? {
            guard !slots.isEmpty else { return nil }
            var place = place(of: probe.order)
            while place < slots.count, slots[place].order != 0, slots[place].order <= probe.order {
                if slots[place].order == probe.order, slots[place].isSame(as: probe) { return slots[place] }
                place += 1
            }
            return nil
        }

        /// Returns the place of the slot with the same key, which is added if there is none.
        mutating func place(for slot: Entry) -> (place: Int, isNew: Bool) {
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

        /// Adds a slot, or merges it into the one with the same key; says whether it is new.
        mutating func takeIn(_ slot: Entry) -> Bool {
            let (place, isNew) = place(for: slot)
            if !isNew { slots[place].takeIn(slot) }
            return isNew
        }

        /// Moves the slots from a place on by one, up to the next free slot.
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
            size = newSize
            slots = slots.withUnsafeBufferPointer { laid($0) }
        }

        /// Merges slots that are in order; returns the number of new ones.
        ///
        /// - Parameter merged: has room for all old and all added slots.
        mutating func merge(
            _ added: UnsafeBufferPointer<Entry>, through merged: UnsafeMutableBufferPointer<Entry>
        ) -> Int {
            guard !added.isEmpty else { return 0 }
            var end = 0
            func take(_ slot: Entry) {
                // The slot goes to the one with the same key, or behind all others.
                var place = end - 1
                while place >= 0, merged[place].order == slot.order {
                    if merged[place].isSame(as: slot) { return merged[place].takeIn(slot) }
                    place -= 1
                }
                merged[end] = slot
                end += 1
            }
            var next = 0
            slots.withUnsafeBufferPointer { slots in
                for slot in slots where slot.order != 0 {
                    while next < added.count, added[next].order < slot.order {
                        take(added[next])
                        next += 1
                    }
                    merged[end] = slot
                    end += 1
                }
            }
            for slot in added[next...] { take(slot) }
            let known = count
            fill(UnsafeBufferPointer(rebasing: merged[..<end]))
            return end - known
        }

        /// Replaces all slots by these, which are in order.
        mutating func fill(_ ordered: UnsafeBufferPointer<Entry>) {
            while ordered.count * 5 > size * 4 { size += size / 4 }
            slots = []
            slots = laid(ordered)
            count = ordered.count
        }

        /// Returns ordered slots spread over their places; leaves out those that are free.
        private func laid(_ ordered: UnsafeBufferPointer<Entry>) -> [Entry] {
            let room = size + min(64, 8 + size / 16)
            var next = 0
            var laid = [Entry](unsafeUninitializedCapacity: room) { places, end in
                while next < ordered.count {
                    let slot = ordered[next]
                    if slot.order != 0 {
                        let place = max(place(of: slot.order), end)
                        guard place < room else { break }
                        places[end..<place].initialize(repeating: .free)
                        places[place] = slot
                        end = place + 1
                    }
                    next += 1
                }
                places[end...].initialize(repeating: .free)
                end = room
            }
            laid.reserveCapacity(room + ordered.count - next)
            for slot in ordered[next...] where slot.order != 0 { laid.append(slot) }
            return laid
        }

        /// Returns the place of a hash: its first bits chose the section, and the others are spread over the places.
        private func place(of order: UInt64) -> Int {
            Int(truncatingIfNeeded: (order << sectionBits).multipliedFullWidth(by: UInt64(size)).high)
        }
    }

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

// A checkpoint holds tables section by section, each as it was at one moment. Sections are never all taken at once:
// counting goes on between two of them, and copies at most the one that is being written.
