internal import ThrongPlan

/// What identifiers have added to metrics within a window, by a hash of both, which must be uniform.
///
/// - Cost: 20 to 25 bytes an identifier and metric.
struct Contributions: Sendable {
    /// What one identifier has added to one metric.
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

    private var table = OrderedTable<Contributed>()

    /// How many keys have added anything, once what waits is in: ``settle()``.
    var count: Int { table.count }

    /// What a key has added; for a new key it is nothing.
    subscript(key: UInt64) -> Contributed {
        mutating get {
            let probe = Contributed(order: max(key, 1))
            return table.slot(like: probe) ?? probe
        }
    }

    /// Notes what a key has added by now.
    mutating func set(_ key: UInt64, used: UInt32, partition: UInt32) {
        table.update(Contributed(order: max(key, 1))) {
            $0.used = used
            $0.partition = partition
        }
    }

    /// Adds to what a key has added, of which nobody has to know yet.
    mutating func addLater(_ key: UInt64, used: UInt32, partition: UInt32, at position: JournalPosition = .end) {
        table.insertLater(Contributed(order: max(key, 1), used: used, partition: partition), at: position)
    }

    /// Brings in what waits.
    mutating func settle() { table.settle() }

    /// Its part of a checkpoint.
    func part(from place: WindowPart.Place) -> WindowPart.Contents { .sections(of: table, from: place) }

    /// Takes a part over; false where it is none.
    mutating func load(_ part: WindowPart.Loaded) -> Bool { part.fill(&table) }
}
