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
    /// Asks for the memory of a member's place: see ``OrderedTable/expect(_:)``.
    func expect(_ member: UInt64) { expect(FlatMember(order: max(member, 1))) }

    /// Adds a member; false if it was there already.
    mutating func insert(_ member: UInt64) -> Bool { insert(FlatMember(order: max(member, 1))) }

    /// Adds a member without a check, to be merged by ``settle()``.
    mutating func insertLater(_ member: UInt64) { insertLater(FlatMember(order: max(member, 1))) }

    /// True if the set has the member.
    mutating func contains(_ member: UInt64) -> Bool { slot(like: FlatMember(order: max(member, 1))) != nil }
}

/// Small numbers for repeated values, in the order in which they first came: as many as memory holds.
///
/// - Complexity: O(1); the value of the call before, and the first few, are found without hashing.
struct Ordinals<Value: Hashable & Sendable>: Sendable {
    private var values: [Value] = []
    /// The numbers of all values but the first few.
    private var ordinals: [Value: Int] = [:]
    private var last = 0

    private static var few: Int { 8 }

    init() {}

    /// Creates the same numbers again from the values in their order.
    init(_ values: [Value]) { for value in values { _ = ordinal(of: value) } }

    /// All values, in the order of their numbers.
    var all: [Value] { values }

    subscript(ordinal: Int) -> Value { values[ordinal] }

    /// Returns the number of a value, which is added if it is new. It is below 2^32: a number takes more than 16 bytes.
    mutating func ordinal(of value: Value) -> UInt64 {
        if last < values.count, values[last] == value { return UInt64(last) }
        if let found = values.prefix(Self.few).firstIndex(of: value) ?? ordinals[value] {
            last = found
        } else {
            last = values.count
            values.append(value)
            if last >= Self.few { ordinals[value] = last }
        }
        return UInt64(last)
    }
}

/// The contributions of identifiers to metrics within a window, by a hash of both, which must be uniform.
///
/// - Cost: 20 to 25 bytes per identifier and metric.
typealias Contributions = OrderedTable<Contributed>

/// The contribution of one identifier to one metric.
struct Contributed: HashedSlot {
    static var free: Self { Self(order: 0) }
    let order: UInt64
    /// Unit: events.
    var used: UInt32 = 0
    /// The cell of the metric's partition margin; `max` before the first event.
    var partition: UInt32 = .max

    mutating func takeIn(_ later: Self) {
        used &+= later.used
        partition = later.partition
    }
}

extension Contributions {
    /// The contribution of a key; nothing for a new key.
    subscript(key: UInt64) -> Contributed {
        mutating get {
            let probe = Contributed(order: max(key, 1))
            return slot(like: probe) ?? probe
        }
    }

    /// Asks for the memory of a key's place: see ``OrderedTable/expect(_:)``.
    func expect(_ key: UInt64) { expect(Contributed(order: max(key, 1))) }

    /// Sets a key's contribution so far.
    mutating func set(_ key: UInt64, used: UInt32, partition: UInt32) {
        update(Contributed(order: max(key, 1))) { ($0.used, $0.partition) = (used, partition) }
    }

    /// Adds to a key's contribution, which nobody reads before ``settle()``.
    mutating func addLater(_ key: UInt64, used: UInt32, partition: UInt32, at position: JournalPosition = .end) {
        insertLater(Contributed(order: max(key, 1), used: used, partition: partition), at: position)
    }
}
