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
    mutating func addLater(_ key: UInt64, used: UInt32, partition: UInt32) {
        table.insertLater(Contributed(order: max(key, 1), used: used, partition: partition))
    }

    /// Brings in what waits.
    mutating func settle() { table.settle() }
}

/// What each identifier of one window has added to the sums of tracked cells, and the two largest of each cell.
///
/// - Unit: 10^-decimals of a sum's unit; saturates at `Int64.max`.
/// - Cost: 24 to 48 bytes an identifier, tracked cell, period and sum; the same a cell, period and sum.
struct ContributionTotals: Sendable {
    /// Key: a hash of identifier, tracked cell, period and sum. A collision makes a contribution larger, never smaller.
    private var totals = FlatTable<Int64>(initial: 0)
    /// Key: sum slot in the upper half, period ordinal in the lower.
    private var pairs = FlatTable<TwoLargest>(initial: TwoLargest())
    private var periods = Ordinals<Int64>()
    /// By place of a pair, the keys that have added to it since somebody wants to know.
    private var watched: [UInt64: Set<UInt64>] = [:]

    /// How many contributions are known.
    var count: Int { totals.count }

    /// Adds an amount that is not negative; returns the cell's two largest where they changed, are the first, or are nothing: these
    /// may have gone with somebody who was taken out, and have to be known of whoever is there now.
    mutating func add(_ amount: Int64, by key: UInt64, toSum slot: UInt32, periodStart: UnixSeconds) -> TwoLargest? {
        let old = totals[key]
        let new = old.saturatingAdd(amount)
        totals[key] = new
        let place = place(slot, periodStart)
        if !watched.isEmpty { watched[place]?.insert(key) }
        let known = pairs.count
        let hasChanged = pairs[place].replace(old, with: new)
        let pair = pairs[place]
        return hasChanged || pairs.count > known || pair.largest == 0 ? pair : nil
    }

    private mutating func place(_ slot: UInt32, _ periodStart: UnixSeconds) -> UInt64 {
        UInt64(slot) << 32 | periods.ordinal(of: periodStart.value)
    }

    /// Whether what a key has added may be one of the two largest.
    mutating func mayLead(_ key: UInt64, sum slot: UInt32, periodStart: UnixSeconds) -> Bool {
        let total = totals[key]
        return total > 0 && total >= pairs[place(slot, periodStart)].second
    }

    /// Notes from here on who adds to a sum.
    mutating func watch(sum slot: UInt32, periodStart: UnixSeconds) { watched[place(slot, periodStart)] = [] }

    /// Forgets what a key has added.
    mutating func take(_ key: UInt64) { totals[key] = 0 }

    /// The two largest of some contributors and of all who have added to a watched sum meanwhile; watches no more.
    mutating func lead(among keys: some Sequence<UInt64>, sum slot: UInt32, periodStart: UnixSeconds) -> TwoLargest {
        let place = place(slot, periodStart)
        var pair = TwoLargest()
        for key in Set(keys).union(watched.removeValue(forKey: place) ?? []) {
            _ = pair.replace(0, with: totals[key])
        }
        pairs[place] = pair
        return pair
    }

    /// Learns the two largest.
    mutating func set(_ pair: TwoLargest, ofSum slot: UInt32, periodStart: UnixSeconds) {
        pairs[place(slot, periodStart)] = pair
    }
}

/// The two largest of a crowd's contributions to one sum of one cell; 0 where there is none.
package struct TwoLargest: Hashable, Sendable {
    /// Unit: as ``TopContribution/largest``.
    package private(set) var largest: Int64 = 0
    /// Unit: the same; no more than ``largest``.
    package private(set) var second: Int64 = 0

    /// Of nobody.
    package init() {}

    /// Of two contributions, in any order.
    package init(_ one: Int64, _ other: Int64) { (largest, second) = (max(one, other), min(one, other)) }

    /// Learns that one contribution has grown, or come from nothing; returns whether the pair changed.
    ///
    /// Whose it is need not be known. Contributions are not negative, so one that was equal to a member of the pair may
    /// take that member's place: if it belonged to somebody else, an equal one remains below.
    mutating func replace(_ old: Int64, with new: Int64) -> Bool {
        let before = self
        if old == largest {
            largest = new
        } else if old == second || new > second {
            (largest, second) = (max(largest, new), min(largest, new))
        }
        return self != before
    }
}
