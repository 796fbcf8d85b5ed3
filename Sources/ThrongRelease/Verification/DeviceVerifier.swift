internal import ThrongPlan

/// Looks once more at what published numbers of devices, of one window or proved for the period, tell of devices that are in a whole and in none of a
/// part's events: from the counters and the numbers that are about to be published, by no line of ``AbsentDevices``.
struct DeviceVerifier {
    private let layout: MetricLayout
    private let threshold: Threshold
    /// By grouping, by cell: the devices that are published.
    private var known: [Margin: [CellIndex: Int64]] = [:]
    /// By grouping, its cells in which a device is.
    private var occupied: [Margin: Set<CellIndex>] = [:]

    /// Nil where numbers of devices of the release are none that add up.
    init?(_ release: ReleaseCase, publishing cells: [PublishedCell]) {
        layout = release.header.layout
        threshold = release.header.threshold
        guard release.header.reach, let part = release.parts.first else { return nil }
        let isProved = release.header.provesFirsts
        guard isProved || release.parts.count == 1 else { return nil }
        let windows = Set(part.distinct.map(\.window))
        if !release.header.hasFirsts, !isProved, windows.count != 1 {
            let ends = [part.period.start.value, part.period.end.value - 1].map {
                layout.rotation.window(at: UnixSeconds($0))
            }
            guard ends[0] == ends[1] else { return nil }
        }
        for cell in cells {
            guard let devices = release.header.hasFirsts ? cell.firsts : cell.reach?.devices else { continue }
            known[cell.margin, default: [:]][cell.cell] = devices
        }
        let shown = release.header.groupings
        // Sums that nobody shows may have a whole that somebody does.
        let sums = shown.flatMap { fine in
            shown.map { coarse in
                Margin(
                    keeping: layout.dimensions.indices.filter {
                        fine.keeps($0) && (coarse.keeps($0) || !layout.dimensions[$0].partitionsDevices)
                    })
            }
        }
        for margin in Set(shown + sums) {
            let project = layout.projection(from: layout.leaf, to: margin)
            occupied[margin] = Set(release.parts.flatMap(\.occupied).map { project($0) })
        }
        add()
    }

    /// Adds what is a sum or a rest of known numbers, where devices add up.
    private mutating func add() {
        let margins = occupied.keys.sorted()
        var isMore = true
        while isMore {
            isMore = false
            for fine in margins {
                for coarse in margins
                where fine != coarse && layout.refines(fine, coarse) && differ(fine, coarse) == nil {
                    let project = layout.projection(from: fine, to: coarse)
                    for (whole, parts) in Dictionary(grouping: occupied[fine] ?? [], by: { project($0) })
                    // That all but one are empty nobody knows.
                    where parts.count > 1 {
                        let numbers = parts.map { known[fine]?[$0] }
                        let open = numbers.indices.filter { numbers[$0] == nil }
                        let sum = numbers.reduce(Int64(0)) { $0.addedClamped($1 ?? 0) }
                        switch (known[coarse]?[whole], open.count) {
                        case (nil, 0):
                            known[coarse, default: [:]][whole] = sum
                            isMore = true
                        case (let all?, 1):
                            known[fine, default: [:]][parts[open[0]]] = all.subtractedClamped(sum)
                            isMore = true
                        default: continue
                        }
                    }
                }
            }
        }
    }

    /// A dimension in which two groupings differ and of several buckets of which a device may be; nil where there is none.
    private func differ(_ fine: Margin, _ coarse: Margin) -> Int? {
        layout.dimensions.indices.first { place in
            let base = layout.dimensions[place].coarsening?.place ?? place
            return fine.keeps(place) != coarse.keeps(place) && !layout.dimensions[base].partitionsDevices
        }
    }

    /// Wholes and parts of them whose devices differ by fewer than k.
    var faults: Int {
        var faults = 0
        for (fine, parts) in known {
            for (coarse, wholes) in known
            where fine != coarse && layout.refines(fine, coarse) && differ(fine, coarse) != nil {
                let project = layout.projection(from: fine, to: coarse)
                for (part, devices) in parts {
                    guard let whole = wholes[project(part)] else { continue }
                    let absent = whole.subtractedClamped(devices)
                    if absent > 0, !threshold.isReached(by: absent) { faults += 1 }
                }
            }
        }
        return faults
    }
}
