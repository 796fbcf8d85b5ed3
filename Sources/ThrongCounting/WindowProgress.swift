internal import ThrongPlan

/// How far each identifier of a window came in one metric that counts identifiers, by a hash of both, which must be
/// uniform. A collision makes two identifiers one, so that a count is smaller, never larger.
///
/// - Cost: 20 to 25 bytes an identifier.
struct WindowProgress: Sendable {
    private struct Reached: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        /// Of the first event.
        var cell: UInt32 = 0
        /// Ordinal of its period.
        var period: UInt16 = 0
        /// 0 before the first event, and where all that came was forgotten.
        var progress: UInt16 = 0

        /// One without progress forgets what came before it.
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

    /// How many identifiers have come anywhere, with those that were forgotten.
    var count: Int { table.count }

    /// How far a key has come.
    subscript(key: UInt64) -> Int {
        mutating get { Int(table.slot(like: Reached(order: max(key, 1)))?.progress ?? 0) }
    }

    /// Takes a key further.
    mutating func advance(_ key: UInt64, by advance: CountedBatch.Advance) {
        let slot = slot(key, advance)
        if !table.insert(slot) { table.update(slot) { $0.takeIn(slot) } }
    }

    /// Takes a key further, of which nobody has to know yet.
    mutating func advanceLater(_ key: UInt64, by advance: CountedBatch.Advance, at position: JournalPosition = .end) {
        table.insertLater(slot(key, advance), at: position)
    }

    private mutating func slot(_ key: UInt64, _ advance: CountedBatch.Advance) -> Reached {
        Reached(
            order: max(key, 1), cell: advance.cell.value,
            // A window lives for three rotations and takes events of two days before: its periods are some hundred days.
            period: UInt16(clamping: periods.ordinal(of: advance.periodStart.value)), progress: advance.progress)
    }

    /// Forgets how far a key has come; says whether it had come anywhere.
    mutating func forget(_ key: UInt64) -> Bool {
        guard self[key] > 0 else { return false }
        table.update(Reached(order: max(key, 1))) { $0.progress = 0 }
        return true
    }

    /// Forgets how far a key has come, of which nobody has to know yet.
    mutating func forgetLater(_ key: UInt64, at position: JournalPosition = .end) {
        table.insertLater(Reached(order: max(key, 1)), at: position)
    }

    /// Brings in what waits.
    mutating func settle() { table.settle() }

    /// Adds up how many came where.
    mutating func forEach(_ body: (_ cell: UInt32, _ periodStart: UnixSeconds, _ progress: Int) -> Void) {
        settle()
        table.forEach {
            if $0.progress > 0 { body($0.cell, UnixSeconds(periods[Int($0.period)]), Int($0.progress)) }
        }
    }

    /// Its part of a checkpoint.
    func part(_ kind: WindowPart.Kind, from place: WindowPart.Place) -> WindowPart.Contents? {
        switch kind {
        case .progress: .sections(of: table, from: place)
        case .progressPeriods: .numbers(periods.all)
        default: nil
        }
    }

    /// Takes a part over; false where it is none.
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
