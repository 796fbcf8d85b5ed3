/// A table from 64-bit keys to values in two flat arrays: open addressing, linear probing, at most two thirds full.
///
/// `UInt64.max` is not a key.
struct FlatTable<Value: Sendable>: Sendable {
    private var keys: [UInt64]
    private var values: [Value]
    private let initial: Value
    private(set) var count = 0

    private static var empty: UInt64 { .max }

    /// Creates an empty table; a key that is touched for the first time starts with `initial`.
    init(initial: Value, minimumCapacity: Int = 64) {
        var size = 64
        while size * 2 / 3 < minimumCapacity { size *= 2 }
        keys = Array(repeating: Self.empty, count: size)
        values = Array(repeating: initial, count: size)
        self.initial = initial
    }

    /// The value of a key; a new key is added.
    subscript(key: UInt64) -> Value {
        mutating _read {
            let place = slot(of: key)
            yield values[place]
        }
        _modify {
            let place = slot(of: key)
            yield &values[place]
        }
    }

    /// Calls `body` for every key and value, in no particular order.
    func forEach(_ body: (UInt64, Value) throws -> Void) rethrows {
        for place in keys.indices where keys[place] != Self.empty { try body(keys[place], values[place]) }
    }

    private mutating func slot(of key: UInt64) -> Int {
        var mask = keys.count - 1
        var place = Self.hash(key) & mask
        while keys[place] != Self.empty {
            if keys[place] == key { return place }
            place = (place + 1) & mask
        }
        if (count + 1) * 3 > keys.count * 2 {
            grow()
            mask = keys.count - 1
            place = Self.hash(key) & mask
            while keys[place] != Self.empty { place = (place + 1) & mask }
        }
        keys[place] = key
        count += 1
        return place
    }

    private mutating func grow() {
        let oldKeys = keys
        let oldValues = values
        keys = Array(repeating: Self.empty, count: oldKeys.count * 2)
        values = Array(repeating: initial, count: oldKeys.count * 2)
        let mask = keys.count - 1
        for old in oldKeys.indices where oldKeys[old] != Self.empty {
            var place = Self.hash(oldKeys[old]) & mask
            while keys[place] != Self.empty { place = (place + 1) & mask }
            keys[place] = oldKeys[old]
            values[place] = oldValues[old]
        }
    }

    /// Spreads packed keys over the slots: Fibonacci hashing (Knuth, TAOCP 6.4), top half folded onto the bottom.
    private static func hash(_ key: UInt64) -> Int {
        let product = key &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product ^ (product >> 32)) & Int.max
    }
}

/// A set of 64-bit hashes, which must be uniform (they come out of a keyed hash).
///
/// 0 is stored as 1, which merges two of 2^64 hashes.
/// - Cost: 10 to 12.5 bytes a member.
typealias FlatSet = OrderedTable<FlatMember>

struct FlatMember: HashedSlot {
    static var free: Self { Self(order: 0) }
    let order: UInt64
}

extension FlatSet {
    /// Adds a member; false if it was there already.
    mutating func insert(_ member: UInt64) -> Bool { insert(FlatMember(order: max(member, 1))) }

    /// Adds a member without a check, to be merged by ``settle()``.
    mutating func insertLater(_ member: UInt64) { insertLater(FlatMember(order: max(member, 1))) }

    /// True if the set has the member.
    mutating func contains(_ member: UInt64) -> Bool { slot(like: FlatMember(order: max(member, 1))) != nil }
}
