internal import ThrongPlan

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

    /// Sets a key's contribution so far.
    mutating func set(_ key: UInt64, used: UInt32, partition: UInt32) {
        update(Contributed(order: max(key, 1))) { ($0.used, $0.partition) = (used, partition) }
    }

    /// Adds to a key's contribution, which nobody reads before ``settle()``.
    mutating func addLater(_ key: UInt64, used: UInt32, partition: UInt32, at position: JournalPosition = .end) {
        insertLater(Contributed(order: max(key, 1), used: used, partition: partition), at: position)
    }
}
