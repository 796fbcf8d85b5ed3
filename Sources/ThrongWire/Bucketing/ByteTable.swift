/// Small numbers by byte string: an open-addressing table that is built once and then only read.
///
/// A lookup neither allocates nor makes a `String`, and compares UTF-8 bytes, never canonical equivalents. Keys come
/// from a plan, so no client can choose them; a value longer than every key is a miss before it is hashed.
///
/// - Complexity: O(length) a lookup; at most half of the slots are taken.
package struct ByteTable: Sendable {
    /// The way in which letters are compared.
    package enum Letters: Sendable {
        /// Every byte counts.
        case exact
        /// A to Z equal a to z; other bytes count as they are.
        case foldingASCII
    }

    private struct Entry: Sendable {
        let start: Int
        let count: Int
        let value: Int
    }

    private let letters: Letters
    private var arena: [UInt8] = []
    private var entries: [Entry] = []
    /// Index into `entries` plus one; zero is an empty slot. A power of two.
    private var slots: [UInt32] = Array(repeating: 0, count: 8)
    private var longest = 0

    package init(_ letters: Letters = .exact) { self.letters = letters }

    package var count: Int { entries.count }

    /// Adds a key. A key that is there already changes nothing, and its value is returned.
    @discardableResult
    package mutating func insert(_ key: String, _ value: Int) -> Int? {
        let bytes = key.utf8.map { folded($0) }
        if let old = bytes.withUnsafeBufferPointer({ self[$0] }) { return old }
        entries.append(Entry(start: arena.count, count: bytes.count, value: value))
        arena.append(contentsOf: bytes)
        longest = Swift.max(longest, bytes.count)
        if entries.count * 2 > slots.count {
            slots = Array(repeating: 0, count: slots.count * 2)
            for place in entries.indices { occupy(with: place) }
        } else {
            occupy(with: entries.count - 1)
        }
        return nil
    }

    /// The value of a key that is part of a longer text.
    package subscript(bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? { self[UnsafeBufferPointer(rebasing: bytes)] }

    /// The value of a key; nil if there is no such key.
    package subscript(bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count <= longest else { return nil }
        let mask = slots.count - 1
        var slot = hash(bytes) & mask
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if entry.count == bytes.count, holds(entry, bytes) { return entry.value }
            slot = (slot + 1) & mask
        }
        return nil
    }

    private mutating func occupy(with place: Int) {
        let entry = entries[place]
        let mask = slots.count - 1
        var slot =
            arena.withUnsafeBufferPointer {
                hash(UnsafeBufferPointer(rebasing: $0[entry.start..<entry.start + entry.count]))
            } & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(place + 1)
    }

    private func holds(_ entry: Entry, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        arena.withUnsafeBufferPointer { arena in
            for place in bytes.indices where arena[entry.start + place] != folded(bytes[place]) { return false }
            return true
        }
    }

    private func folded(_ byte: UInt8) -> UInt8 {
        letters == .foldingASCII ? byte.lowercasedASCII : byte
    }

    /// Hashes eight bytes at a time where every byte counts, else one by one, with a folded multiplication each.
    private func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var state = UInt64(truncatingIfNeeded: bytes.count)
        func mix(_ word: UInt64) {
            let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            state = product.high ^ product.low
        }
        let raw = UnsafeRawBufferPointer(bytes)
        if letters == .exact, raw.count >= 8 {
            for offset in stride(from: 0, through: raw.count - 8, by: 8) {
                mix(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            // The last eight, which overlap those before.
            mix(raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self))
        } else {
            var word: UInt64 = 0
            for place in bytes.indices {
                word = word << 8 | UInt64(folded(bytes[place]))
                if place & 7 == 7 {
                    mix(word)
                    word = 0
                }
            }
            mix(word)
        }
        return Int(truncatingIfNeeded: state & 0xffff_ffff)
    }
}

extension UInt8 {
    /// The small letter for A to Z; any other byte as it is.
    package var lowercasedASCII: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }

    /// True if the byte is 0 to 9.
    package var isDigit: Bool { (0x30...0x39).contains(self) }

    /// True if the byte is A to Z or a to z.
    package var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }
}
