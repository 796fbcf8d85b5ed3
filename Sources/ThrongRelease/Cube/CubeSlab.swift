internal import ThrongPlan
internal import ThrongSuppression

/// The cells of one grouping over some consecutive periods: which leaves each sums, and which devices are behind it.
struct CubeSlab {
    /// The parts of the frame that it sums over.
    let span: Range<Int>
    /// Which dimensions are kept.
    let margin: Margin
    /// The cells with a leaf in the frame, ascending.
    let cells: [CellIndex]
    /// By cell: no leaf of it is occupied.
    let isEmpty: [Bool]
    /// By cell, its leaves in the frame, ascending.
    let leaves: IndexLists
    /// By cell.
    let devices: [DeviceCounts]
    /// By cell. Unit: devices.
    let floors: [Int64]

    /// Sums the leaves of a frame.
    ///
    /// - Complexity: O((leaves + distinct counts) · log).
    init(_ frame: ReleaseFrame, span: Range<Int>, margin: Margin) {
        self.span = span
        self.margin = margin
        let layout = frame.layout
        var members: [CellIndex: [UInt32]] = [:]
        var occupied: Set<CellIndex> = []
        let project = layout.projection(from: layout.leaf, to: margin)
        for leaf in frame.leaves(of: span) {
            let cell = project(frame.leaves[leaf].cell)
            members[cell, default: []].append(UInt32(leaf))
            if frame.leaves[leaf].isOccupied { occupied.insert(cell) }
        }
        cells = members.keys.sorted()
        isEmpty = cells.map { !occupied.contains($0) }
        leaves = IndexLists(cells.map { members[$0] ?? [] })

        // A margin that was not counted by itself is known by its leaves only: DeviceCounts takes the largest of those
        // that may be the same devices.
        let counted = layout.counting(margin) ?? layout.leaf
        let toCell = layout.projection(from: counted, to: margin)
        let toBucket = layout.projection(from: counted, to: layout.partition)
        var rows: [CellIndex: [DeviceCounts.Row]] = [:]
        for place in span {
            for row in frame.distinct[place][counted] ?? [] {
                rows[toCell(row.cell), default: []].append(
                    DeviceCounts.Row(
                        window: .init(part: place, number: row.window.value),
                        bucket: toBucket(row.cell).value,
                        devices: row.devices))
            }
        }
        for proved in frame.proved
        where span.lowerBound <= proved.span.lowerBound && proved.span.upperBound <= span.upperBound {
            for (cell, count) in proved.devices[counted] ?? [:] {
                rows[toCell(cell), default: []].append(
                    DeviceCounts.Row(
                        window: .init(
                            part: proved.span.lowerBound, number: proved.period.start.value, length: proved.span.count),
                        bucket: toBucket(cell).value, devices: count))
            }
        }
        devices = cells.map { DeviceCounts(rows[$0] ?? []) }
        floors = devices.map(\.floor)
    }

    /// Where a cell is in ``cells``.
    func place(of cell: CellIndex) -> Int? {
        var low = cells.startIndex
        var high = cells.endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if cells[middle] < cell { low = middle + 1 } else { high = middle }
        }
        return low < cells.endIndex && cells[low] == cell ? low : nil
    }
}

extension MetricLayout {
    /// The tracked margin from which the devices of a margin's cells are known exactly, if it is counted.
    func counting(_ margin: Margin) -> Margin? {
        let wanted = trackedMargin(for: margin)
        return trackedMargins.contains(wanted) ? wanted : nil
    }
}
