internal import ThrongPlan

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
}
