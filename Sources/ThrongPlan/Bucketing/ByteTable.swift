/// Small numbers by byte string: an open-addressing table that is built once and then only read.
///
/// A lookup neither allocates nor makes a `String`, and compares UTF-8 bytes, never canonical equivalents. Keys come
/// from a plan, so no client can choose them; a value longer than every key is a miss before it is hashed.
///
/// - Complexity: O(length) a lookup; at most half of the slots are taken.
package struct ByteTable: Sendable {
    /// How letters are compared.
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

    /// How many keys there are.
    package var count: Int { entries.count }

    /// Adds a key; where it is there already, changes nothing and says its value.
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

    /// The value of a key, nil where there is no such key.
    package subscript(bytes: UnsafeBufferPointer<UInt8>) -> Int? { self[Slice(base: bytes, bounds: bytes.indices)] }

    /// The value of a key that is part of a longer text.
    package subscript(bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard bytes.count <= longest || bytes.isEmpty else { return nil }
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
        var slot = arena.withUnsafeBufferPointer { hash($0[entry.start..<entry.start + entry.count]) } & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(place + 1)
    }

    private func holds(_ entry: Entry, _ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var place = entry.start
        for byte in bytes {
            if arena[place] != folded(byte) { return false }
            place += 1
        }
        return true
    }

    private func folded(_ byte: UInt8) -> UInt8 {
        letters == .foldingASCII ? byte.lowercasedASCII : byte
    }

    /// FNV-1a, 64 bits, its upper half folded into the lower.
    private func hash(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { state = (state ^ UInt64(folded(byte))) &* 0x100_0000_01b3 }
        return Int(truncatingIfNeeded: (state ^ (state >> 32)) & 0xffff_ffff)
    }
}

extension UInt8 {
    /// a to z for A to Z; any other byte as it is.
    var lowercasedASCII: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }

    /// Whether the byte is 0 to 9.
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is A to Z or a to z.
    var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }
}
