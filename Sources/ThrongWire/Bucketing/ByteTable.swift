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

    private struct Entry {
        /// The first and the last eight bytes, which are all of most keys.
        var ends: (first: UInt64, last: UInt64) = (0, 0)
        var start: Int32 = 0
        /// The number of bytes; -1 in an empty slot.
        var count: Int32 = -1
        var value = 0
    }

    private let letters: Letters
    /// The keys' bytes, one after the other.
    private var arena: [UInt8] = []
    package private(set) var count = 0
    /// A power of two.
    private var slots = Array(repeating: Entry(), count: 8)
    private var longest = 0

    package init(_ letters: Letters = .exact) { self.letters = letters }

    /// Numbers keys by their places.
    package init(_ keys: some Sequence<String>) {
        self.init()
        for (place, key) in keys.enumerated() { insert(key, place) }
    }

    /// Adds a key. A key that is there already changes nothing, and its value is returned.
    @discardableResult package mutating func insert(_ key: String, _ value: Int) -> Int? {
        let bytes = key.utf8.map { folded($0) }
        if let old = bytes.withUnsafeBufferPointer({ self[$0] }) { return old }
        (count, longest) = (count + 1, Swift.max(longest, bytes.count))
        if count * 2 > slots.count {
            let old = slots
            slots = Array(repeating: Entry(), count: old.count * 2)
            for entry in old where entry.count >= 0 {
                occupy(with: entry, arena[Int(entry.start)..<Int(entry.start + entry.count)])
            }
        }
        let entry = Entry(
            ends: bytes.withUnsafeBufferPointer { ends($0) }, start: Int32(arena.count), count: Int32(bytes.count),
            value: value)
        arena.append(contentsOf: bytes)
        occupy(with: entry, bytes[...])
        return nil
    }

    /// The value of a key that is part of a longer text.
    package subscript(bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? { self[UnsafeBufferPointer(rebasing: bytes)] }

    /// The value of a key; nil if there is no such key.
    package subscript(bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard bytes.count <= longest else { return nil }
        let ends = ends(bytes)
        let mask = slots.count - 1
        var slot = hash(bytes, ends) & mask
        while true {
            let entry = slots[slot]
            if entry.ends == ends, Int(entry.count) == bytes.count, holds(Int(entry.start), bytes) {
                return entry.value
            }
            if entry.count < 0 { return nil }
            slot = (slot &+ 1) & mask
        }
    }

    private mutating func occupy(with entry: Entry, _ bytes: ArraySlice<UInt8>) {
        let mask = slots.count - 1
        var slot = bytes.withUnsafeBufferPointer { hash($0, entry.ends) } & mask
        while slots[slot].count >= 0 { slot = (slot + 1) & mask }
        slots[slot] = entry
    }

    /// True if the key that starts at a place of the arena has these bytes. Its length and ends are known to be theirs.
    @inline(__always) private func holds(_ start: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if bytes.count <= 16 { return true }
        for place in 8..<bytes.count - 8 where arena[start + place] != folded(bytes[place]) { return false }
        return true
    }

    private func folded(_ byte: UInt8) -> UInt8 { letters == .foldingASCII ? byte.lowercasedASCII : byte }

    /// Eight bytes with A to Z as a to z.
    @inline(__always) private func folded(_ word: UInt64) -> UInt64 {
        if letters == .exact { return word }
        let low = word & 0x7f7f_7f7f_7f7f_7f7f
        // The high bit of each byte: whether it is at least `A`, and whether it is above `Z`.
        let capitals = (low &+ 0x3f3f_3f3f_3f3f_3f3f) & ~(low &+ 0x2525_2525_2525_2525) & ~word & 0x8080_8080_8080_8080
        return word | capitals >> 2
    }

    /// Returns the first and the last eight bytes, which overlap in less than sixteen; of less than eight all, which differ
    /// for different texts of one length.
    @inline(__always) private func ends(_ bytes: UnsafeBufferPointer<UInt8>) -> (first: UInt64, last: UInt64) {
        let (raw, count) = (UnsafeRawBufferPointer(bytes), bytes.count)
        if count >= 8 {
            return (
                folded(raw.loadUnaligned(as: UInt64.self)),
                folded(raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
            )
        }
        if count >= 4 {
            let first = UInt64(raw.loadUnaligned(as: UInt32.self))
            return (folded(first | UInt64(raw.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)) << 32), 0)
        }
        if count == 0 { return (0, 0) }
        return (folded(UInt64(raw[0]) | UInt64(raw[count / 2]) << 8 | UInt64(raw[count - 1]) << 16), 0)
    }

    /// Hashes the ends and, in longer texts, what lies between them, eight bytes at a time, with a folded multiplication each.
    @inline(__always)
    private func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ ends: (first: UInt64, last: UInt64)) -> Int {
        var state = UInt64(truncatingIfNeeded: bytes.count)
        func mix(_ word: UInt64) {
            let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            state = product.high ^ product.low
        }
        mix(ends.first)
        if bytes.count > 8 { mix(ends.last) }
        let raw = UnsafeRawBufferPointer(bytes)
        for offset in stride(from: 8, to: bytes.count - 8, by: 8) {
            mix(folded(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
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
