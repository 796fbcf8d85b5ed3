internal import ThrongPlan

/// What each identifier of one window has added to the sums of tracked cells, and the two largest of each cell.
///
/// - Unit: 10^-decimals of a sum's unit; saturates at `Int64.max`.
/// - Cost: 20 to 25 bytes an identifier, tracked cell, period and sum; 40 to 50 a cell, period and sum.
struct ContributionTotals: Sendable {
    /// By a hash of identifier, tracked cell, period and sum. A collision makes a contribution larger, never smaller.
    private struct Total: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        var amount: Int64 = 0

        init(order: UInt64) { self.order = order }
        init(_ key: UInt64) { order = max(key, 1) }
    }

    /// Whose place is its sum slot in the upper half and the period's ordinal in the lower.
    private struct Top: HashedSlot {
        static var free: Self { Self(order: 0, place: 0) }
        let order: UInt64
        let place: UInt64
        var pair = TwoLargest()

        init(order: UInt64, place: UInt64) { (self.order, self.place) = (order, place) }

        /// Places are small numbers: mixed reversibly they are uniform. Source: MurmurHash3's finalizer.
        init(_ place: UInt64) {
            var mixed = (place ^ place >> 33) &* 0xFF51_AFD7_ED55_8CCD
            mixed = (mixed ^ mixed >> 33) &* 0xC4CE_B9FE_1A85_EC53
            self.init(order: max(mixed ^ mixed >> 33, 1), place: place)
        }

        func isSame(as other: Self) -> Bool { place == other.place }
    }

    private var totals = OrderedTable<Total>()
    private var tops = OrderedTable<Top>()
    private var periods = Ordinals<Int64>()
    /// By place of a pair, the keys that have added to it since somebody wants to know.
    private var watched: [UInt64: Set<UInt64>] = [:]
    /// The metric's first sum slot, which another start may count from elsewhere.
    private let firstSum: UInt32

    /// - Parameter firstSum: the metric's first sum slot.
    init(firstSum: UInt32 = 0) { self.firstSum = firstSum }

    /// How many contributions are known.
    var count: Int { totals.count }

    /// Adds an amount that is not negative; returns the cell's two largest where they changed, are the first, or are nothing: these
    /// may have gone with somebody who was taken out, and have to be known of whoever is there now.
    ///
    /// - Parameter position: of the record that is replayed; nothing happens where a checkpoint has it.
    mutating func add(
        _ amount: Int64, by key: UInt64, toSum slot: UInt32, periodStart: UnixSeconds,
        at position: JournalPosition? = nil
    ) -> TwoLargest? {
        let total = Total(key)
        if let position, totals.holds(total, at: position) { return nil }
        let (old, new) = totals.update(total) { total in
            let old = total.amount
            total.amount = old.saturatingAdd(amount)
            return (old, total.amount)
        }
        let place = place(slot, periodStart)
        if !watched.isEmpty { watched[place]?.insert(key) }
        let top = Top(place)
        // Written after all that it is made of, so it may know what they do not.
        if let position, tops.holds(top, at: position) { return nil }
        let known = tops.count
        let (hasChanged, pair) = tops.update(top) { ($0.pair.replace(old, with: new), $0.pair) }
        return hasChanged || tops.count > known || pair.largest == 0 ? pair : nil
    }

    private mutating func place(_ slot: UInt32, _ periodStart: UnixSeconds) -> UInt64 {
        UInt64(slot &- firstSum) << 32 | periods.ordinal(of: periodStart.value)
    }

    private mutating func amount(_ key: UInt64) -> Int64 { totals.slot(like: Total(key))?.amount ?? 0 }

    /// Whether what a key has added may be one of the two largest.
    mutating func mayLead(_ key: UInt64, sum slot: UInt32, periodStart: UnixSeconds) -> Bool {
        let total = amount(key)
        return total > 0 && total >= tops.slot(like: Top(place(slot, periodStart)))?.pair.second ?? 0
    }

    /// Notes from here on who adds to a sum.
    mutating func watch(sum slot: UInt32, periodStart: UnixSeconds) { watched[place(slot, periodStart)] = [] }

    /// Forgets what a key has added.
    ///
    /// - Parameter position: see ``add(_:by:toSum:periodStart:at:)``.
    mutating func take(_ key: UInt64, at position: JournalPosition? = nil) {
        let total = Total(key)
        if let position, totals.holds(total, at: position) { return }
        guard totals.slot(like: total) != nil else { return }
        totals.update(total) { $0.amount = 0 }
    }

    /// The two largest of some contributors and of all who have added to a watched sum meanwhile; watches no more.
    mutating func lead(among keys: some Sequence<UInt64>, sum slot: UInt32, periodStart: UnixSeconds) -> TwoLargest {
        var pair = TwoLargest()
        for key in Set(keys).union(watched.removeValue(forKey: place(slot, periodStart)) ?? []) {
            _ = pair.replace(0, with: amount(key))
        }
        set(pair, ofSum: slot, periodStart: periodStart)
        return pair
    }

    /// Learns the two largest; says whether it did, and a checkpoint did not have them or later ones.
    ///
    /// - Parameter position: see ``add(_:by:toSum:periodStart:at:)``.
    @discardableResult
    mutating func set(
        _ pair: TwoLargest, ofSum slot: UInt32, periodStart: UnixSeconds, at position: JournalPosition? = nil
    ) -> Bool {
        let top = Top(place(slot, periodStart))
        if let position, tops.holds(top, at: position) { return false }
        tops.update(top) { $0.pair = pair }
        return true
    }
}

extension ContributionTotals {
    /// Its part of a checkpoint: totals first, so that pairs are never older than what they are made of.
    func part(_ kind: WindowPart.Kind, from place: WindowPart.Place) -> WindowPart.Contents? {
        switch kind {
        case .totals: .sections(of: totals, from: place)
        case .tops: .sections(of: tops, from: place)
        case .totalPeriods: .numbers(periods.all)
        default: nil
        }
    }

    /// Takes a part over; false where it is none.
    mutating func load(_ part: WindowPart.Loaded) -> Bool {
        switch part.kind {
        case .totals: return part.fill(&totals)
        case .tops: return part.fill(&tops)
        case .totalPeriods:
            periods = Ordinals(part.numbers)
            return true
        default: return false
        }
    }
}

/// The two largest of a crowd's contributions to one sum of one cell; 0 where there is none.
package struct TwoLargest: Hashable, Sendable, BitwiseCopyable {
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
