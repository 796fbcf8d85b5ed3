internal import ThrongPlan

/// What is known of the devices behind a cell: distinct identifiers by window and by bucket of the dimensions that
/// partition devices.
///
/// Within a window a device is in one bucket of the partition, so numbers of different buckets may be added there; over
/// windows nothing may be added, because the identifiers changed (design, section 5). Where devices prove that they were in a
/// cell in a period, that is one more window, as long as the period.
struct DeviceCounts {
    /// Ascending by window, then by bucket; at most one a window and bucket.
    let rows: [Row]

    /// Distinct identifiers of one window in one bucket of the partition.
    struct Row {
        /// The part of the frame and the window, one after the other.
        let window: WindowKey
        /// The cell of the partition's margin.
        let bucket: UInt32
        /// Unit: identifiers.
        let devices: Int64
    }

    /// A window of one part; or a whole period, whose devices proved to be in the cell, once each.
    struct WindowKey: Hashable, Comparable {
        /// The first, where it is a period.
        let part: Int
        /// Of the window, or of the period's first second.
        let number: Int64
        /// Parts of the period; 0 for a window.
        var length = 0

        static func < (left: Self, right: Self) -> Bool {
            (left.part, left.length, left.number) < (right.part, right.length, right.number)
        }
    }

    /// Merges rows: of several about one window and bucket the largest holds, because they may be the same devices.
    init(_ all: [Row]) {
        var rows: [Row] = []
        for row in all.sorted(by: { ($0.window, $0.bucket) < ($1.window, $1.bucket) }) {
            if let last = rows.last, last.window == row.window, last.bucket == row.bucket {
                if row.devices > last.devices { rows[rows.count - 1] = row }
            } else {
                rows.append(row)
            }
        }
        self.rows = rows
    }

    /// The floor: the most that any window shows. Unit: devices.
    var floor: Int64 {
        var best: Int64 = 0
        var sum: Int64 = 0
        var window: WindowKey?
        for row in rows {
            if row.window != window {
                window = row.window
                sum = 0
            }
            sum = sum.addedClamped(row.devices)
            best = max(best, sum)
        }
        return best
    }

    /// What is known of the union of disjoint cells.
    static func union(_ cells: some Sequence<DeviceCounts>) -> DeviceCounts { DeviceCounts(cells.flatMap(\.rows)) }
}
