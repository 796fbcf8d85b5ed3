/// The pivots that still apply to a row, smallest number first.
struct PivotHeap {
    private var entries: [(pivot: Int32, unknown: Int32)] = []

    mutating func push(_ pivot: Int32, _ unknown: Int32) {
        entries.append((pivot, unknown))
        var child = entries.count - 1
        while child > 0, entries[child].pivot < entries[(child - 1) / 2].pivot {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> (pivot: Int32, unknown: Int32)? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].pivot < entries[least].pivot { least = child }
            }
            guard least != parent else { return first }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
