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
        /// 0 before the first event.
        var progress: UInt16 = 0

        mutating func takeIn(_ later: Self) {
            let (sum, overflow) = progress.addingReportingOverflow(later.progress)
            progress = overflow ? .max : sum
        }
    }

    private var table = OrderedTable<Reached>()
    private var periods = Ordinals()

    /// How many identifiers have come anywhere.
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
    mutating func advanceLater(_ key: UInt64, by advance: CountedBatch.Advance) {
        table.insertLater(slot(key, advance))
    }

    private mutating func slot(_ key: UInt64, _ advance: CountedBatch.Advance) -> Reached {
        Reached(
            order: max(key, 1), cell: advance.cell.value, period: UInt16(periods.ordinal(of: advance.periodStart)),
            progress: advance.progress)
    }

    /// Brings in what waits.
    mutating func settle() { table.settle() }

    /// Adds up how many came where.
    mutating func forEach(_ body: (_ cell: UInt32, _ periodStart: Int64, _ progress: Int) -> Void) {
        settle()
        table.forEach { body($0.cell, periods[Int($0.period)], Int($0.progress)) }
    }
}
