internal import ThrongPlan

/// The progress of each identifier of a window in one metric that counts identifiers, by a hash of both, which must be
/// uniform. A collision makes two identifiers one, so that a count is smaller, never larger.
///
/// - Cost: 20 to 25 bytes an identifier.
struct WindowProgress: Sendable {
    private struct Reached: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        /// The cell of the first event.
        var cell: UInt32 = 0
        /// The ordinal of that event's period.
        var period: UInt16 = 0
        /// The progress; 0 before the first event, and after it was forgotten.
        var progress: UInt16 = 0

        /// Adds a later slot's progress; a later slot without progress forgets what came before it.
        mutating func takeIn(_ later: Self) {
            if progress == 0 || later.progress == 0 { (cell, period) = (later.cell, later.period) }
            guard later.progress > 0 else {
                progress = 0
                return
            }
            let (sum, overflow) = progress.addingReportingOverflow(later.progress)
            progress = overflow ? .max : sum
        }
    }

    private var table = OrderedTable<Reached>()
    private var periods = Ordinals<Int64>()

    /// The number of identifiers with progress, and of those whose progress was forgotten.
    var count: Int { table.count }

    subscript(key: UInt64) -> Int { mutating get { Int(table.slot(like: Reached(order: max(key, 1)))?.progress ?? 0) } }

    mutating func advance(_ key: UInt64, by advance: CountedBatch.Advance) {
        let slot = slot(key, advance)
        if !table.insert(slot) { table.update(slot) { $0.takeIn(slot) } }
    }

    /// Advances a key that nobody reads before ``settle()``.
    mutating func advanceLater(_ key: UInt64, by advance: CountedBatch.Advance, at position: JournalPosition = .end) {
        table.insertLater(slot(key, advance), at: position)
    }

    private mutating func slot(_ key: UInt64, _ advance: CountedBatch.Advance) -> Reached {
        Reached(
            order: max(key, 1), cell: advance.cell.value,
            // A window lives for three rotations and takes events of two days before: its periods are some hundred days.
            period: UInt16(clamping: periods.ordinal(of: advance.periodStart.value)), progress: advance.progress)
    }

    /// Forgets a key's progress; true if it had any.
    mutating func forget(_ key: UInt64) -> Bool {
        guard self[key] > 0 else { return false }
        table.update(Reached(order: max(key, 1))) { $0.progress = 0 }
        return true
    }

    /// Forgets a key's progress, which nobody reads before ``settle()``.
    mutating func forgetLater(_ key: UInt64, at position: JournalPosition = .end) {
        table.insertLater(Reached(order: max(key, 1)), at: position)
    }

    /// Merges the slots that wait.
    mutating func settle() { table.settle() }

    /// Calls `body` for each identifier with progress, after merging the slots that wait.
    mutating func forEach(_ body: (_ cell: UInt32, _ periodStart: UnixSeconds, _ progress: Int) -> Void) {
        settle()
        table.forEach { if $0.progress > 0 { body($0.cell, UnixSeconds(periods[Int($0.period)]), Int($0.progress)) } }
    }

    func part(_ kind: WindowPart.Kind, from place: WindowPart.Place) -> WindowPart.Contents? {
        switch kind {
        case .progress: .sections(of: table, from: place)
        case .progressPeriods: .numbers(periods.all)
        default: nil
        }
    }

    /// Takes a part over; false if it is malformed.
    mutating func load(_ part: WindowPart.Loaded) -> Bool {
        switch part.kind {
        case .progress: return part.fill(&table)
        case .progressPeriods:
            periods = Ordinals(part.numbers)
            return true
        default: return false
        }
    }
}

/// The identifiers' progress in a window that is over, on its way to a ``WindowClosing``.
///
/// It is apart from ``Counting`` so that counting does not wait while millions of identifiers are added up.
package struct EndedWindow: Sendable {
    let id: WindowID
    let progress: [Int: WindowProgress]
    let space: CellSpace

    /// Returns the number of identifiers with each progress.
    ///
    /// - Complexity: O(identifiers and metrics).
    package consuming func tallied() -> TalliedWindow {
        var counts: [WindowPlace: UInt32] = [:]
        for (metric, progress) in progress {
            guard let within = space.metrics[metric].within else { continue }
            var progress = progress
            var cells = FlatTable<UInt32>(initial: 0)
            var periods = Ordinals<Int64>()
            progress.forEach { cell, periodStart, progress in
                let bucket = UInt32(within.bucket(of: progress))
                cells[UInt64(cell + bucket) << 32 | periods.ordinal(of: periodStart.value)] += 1
            }
            cells.forEach { key, identifiers in
                let start = UnixSeconds(periods[Int(key & 0xFFFF_FFFF)])
                counts[WindowPlace(metric: metric, periodStart: start, cell: UInt32(key >> 32))] = identifiers
            }
        }
        return TalliedWindow(id: id, counts: counts)
    }
}

/// The number of identifiers with each progress in a window that is over; about nobody.
package struct TalliedWindow: Sendable {
    let id: WindowID
    /// Unit: identifiers.
    let counts: [WindowPlace: UInt32]
}

/// A leaf cell of a metric in a period, in the order of a closing's additions.
struct WindowPlace: Hashable, Comparable, Sendable {
    let metric: Int
    var periodStart: UnixSeconds
    let cell: UInt32

    static func < (left: Self, right: Self) -> Bool {
        (left.metric, left.periodStart, left.cell) < (right.metric, right.periodStart, right.cell)
    }
}
