internal import ThrongPlan

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
