internal import ThrongPlan

/// What lies in an ``OrderedTable``: something with a uniform 64-bit hash that it is ordered by.
protocol HashedSlot: Sendable, BitwiseCopyable {
    /// What marks a free slot: its ``order`` is 0, which nothing else has.
    static var free: Self { get }
    /// Uniform over 64 bits, to those who choose what is added too.
    var order: UInt64 { get }
    /// Whether both are of the same thing; asked only where ``order`` is equal.
    func isSame(as other: Self) -> Bool
    /// Learns what a later slot of the same thing says.
    mutating func takeIn(_ later: Self)
}

extension HashedSlot {
    func isSame(as other: Self) -> Bool { true }
    func takeIn(_ later: Self) {}
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
    var sections: [Section]
    /// Of a table that was read from a checkpoint: up to which record each section has everything; else empty.
    var through: [JournalPosition] = []
    /// Slots that nobody has asked for yet.
    var waiting: [Slot] = []
    /// How many there are, once what waits is in: ``settle()``.
    var count = 0

    static var sectionBits: Int { WindowPart.sectionBits }

    init() {
        // Sections start with different sizes, so that they don't all grow at the same time.
        sections = (0..<1 << Self.sectionBits).map { Section(firstSize: 16 + $0 % 16) }
    }

    /// Adds a slot unless one of the same thing is there; says whether it was added.
    mutating func insert(_ slot: Slot) -> Bool {
        settle()
        let isNew = sections[Self.section(of: slot)].place(for: slot).isNew
        if isNew { count += 1 }
        return isNew
    }

    /// The slot of the same thing, if there is one.
    mutating func slot(like probe: Slot) -> Slot? {
        settle()
        return sections[Self.section(of: probe)].slot(like: probe)
    }

    /// Changes the slot of the same thing, which is added as given where there is none. Must leave its hash as it is.
    mutating func update<Result>(_ slot: Slot, _ change: (inout Slot) -> Result) -> Result {
        settle()
        let section = Self.section(of: slot)
        let (place, isNew) = sections[section].place(for: slot)
        if isNew { count += 1 }
        return change(&sections[section].slots[place])
    }

    /// Every slot, in the order of hashes, once what waits is in: ``settle()``.
    func forEach(_ body: (Slot) -> Void) {
        for section in sections { for slot in section.slots where slot.order != 0 { body(slot) } }
    }

    static func section(of slot: Slot) -> Int { Int(truncatingIfNeeded: slot.order >> (64 - sectionBits)) }

    struct Section: Sendable {
        /// In order; with some room behind the last place, instead of going on at the front.
        fileprivate(set) var slots: [Slot] = []
        /// Places that hashes are spread over.
        private var size: Int
        private(set) var count = 0

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

        /// Adds a slot, or takes it in where one of the same thing is there; says whether it is new.
        mutating func takeIn(_ slot: Slot) -> Bool {
            let (place, isNew) = place(for: slot)
            if !isNew { slots[place].takeIn(slot) }
            return isNew
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
            size = newSize
            slots = slots.withUnsafeBufferPointer { laid($0) }
        }

        /// Adds slots that are in order and have waited; returns how many of them are new.
        ///
        /// - Parameter merged: has room for all that were there and all that are added.
        mutating func merge(
            _ added: UnsafeBufferPointer<Slot>, through merged: UnsafeMutableBufferPointer<Slot>
        ) -> Int {
            guard !added.isEmpty else { return 0 }
            var end = 0
            func take(_ slot: Slot) {
                // To the one of the same thing, or behind all others.
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

        /// Holds these slots and no others, which are in order.
        mutating func fill(_ ordered: UnsafeBufferPointer<Slot>) {
            while ordered.count * 5 > size * 4 { size += size / 4 }
            slots = []
            slots = laid(ordered)
            count = ordered.count
        }

        /// Slots that are in order, over their places; leaves out those that are free.
        private func laid(_ ordered: UnsafeBufferPointer<Slot>) -> [Slot] {
            let room = size + min(64, 8 + size / 16)
            var next = 0
            var laid = [Slot](unsafeUninitializedCapacity: room) { places, end in
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

        /// The first bits chose the section; the others are spread over its places.
        private func place(of order: UInt64) -> Int {
            Int(truncatingIfNeeded: (order << sectionBits).multipliedFullWidth(by: UInt64(size)).high)
        }
    }
}
