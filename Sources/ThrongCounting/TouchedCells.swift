internal import ThrongPlan

/// How many leaf cells identifiers have touched in noisy metrics, by a hash of both, which must be uniform.
///
/// - Cost: 20 to 25 bytes an identifier and metric.
struct TouchedCells: Sendable {
    private struct Touched: HashedSlot {
        static var free: Self { Self(order: 0) }
        let order: UInt64
        /// Unit: cells.
        var cells: UInt32 = 0
        private let unused: UInt32 = 0

        init(order: UInt64, cells: UInt32 = 0) { (self.order, self.cells) = (order, cells) }

        mutating func takeIn(_ later: Self) { cells &+= later.cells }
    }

    private var table = OrderedTable<Touched>()

    /// How many keys have touched any, once what waits is in: ``settle()``.
    var count: Int { table.count }

    /// How many a key has touched.
    subscript(key: UInt64) -> UInt32 {
        mutating get { table.slot(like: Touched(order: max(key, 1)))?.cells ?? 0 }
    }

    /// Notes one more.
    mutating func touch(_ key: UInt64) { table.update(Touched(order: max(key, 1))) { $0.cells += 1 } }

    /// Notes one more, of which nobody has to know yet.
    mutating func touchLater(_ key: UInt64, at position: JournalPosition) {
        table.insertLater(Touched(order: max(key, 1), cells: 1), at: position)
    }

    /// Brings in what waits.
    mutating func settle() { table.settle() }

    /// Its part of a checkpoint.
    func part(from place: WindowPart.Place) -> WindowPart.Contents { .sections(of: table, from: place) }

    /// Takes a part over; false where it is none.
    mutating func load(_ part: WindowPart.Loaded) -> Bool { part.fill(&table) }
}
