internal import ThrongPlan
internal import ThrongSuppression

extension AbsentDevices {
    /// What everybody knows of events and devices together: a device of a part is one of its whole, and sent an event, and no more
    /// than the contribution bound.
    ///
    /// - Returns: that, by sensitive column its sums of devices, and by unknown the leaves of its events.
    /// - Complexity: O(devices' rows · families).
    func besideEvents(
        _ isPublished: [Bool], silent: Set<ColumnIndex>
    ) -> (beside: BesideLeaves, ofColumn: [ColumnIndex: [[Int]]], leavesOf: [[UInt32]]) {
        struct Place: Hashable {
            let value: CellIndex
            let bucket: CellIndex
        }
        let layout = header.layout
        var beside = BesideLeaves()
        var unknowns: [[Place: Int]] = []
        var ofColumn: [ColumnIndex: [[Int]]] = [:]
        var leavesOf: [[UInt32]] = []
        for family in families {
            let value = layout.projection(from: layout.leaf, to: family.apart)
            let bucket = layout.projection(from: layout.leaf, to: layout.partition)
            var events: [Place: [UInt32]] = [:]
            for (leaf, known) in laid.frame.leaves.enumerated() {
                events[Place(value: value(known.cell), bucket: bucket(known.cell)), default: []].append(UInt32(leaf))
            }
            var devices: [Place: Int64] = [:]
            let (own, partition) = (
                layout.projection(from: family.margin, to: family.apart),
                layout.projection(from: family.margin, to: layout.partition)
            )
            for row in family.rows {
                let place = Place(value: own(row.cell), bucket: partition(row.cell))
                devices[place] = (devices[place] ?? 0).addedClamped(row.devices)
            }
            var numbers: [Place: Int] = [:]
            let bound = Double(layout.contributionBound) * (family.quantity == .floors ? 1 : Double(windows))
            for (place, leaves) in events.sorted(by: { ($0.key.value, $0.key.bucket) < ($1.key.value, $1.key.bucket) })
            {
                let unknown = beside.addUnknown(devices[place] ?? 0)
                numbers[place] = unknown
                leavesOf.append(leaves)
                let terms = leaves.map { (leaf: $0, factor: 1.0) }
                let (held, counted) = (laid.frame.events(in: leaves), devices[place] ?? 0)
                // Where counters contradict it, because some came late, nobody believes it.
                if held >= counted {
                    beside.add(leaves: terms, unknowns: [(unknown, -1)], lower: 0, upper: .infinity)
                }
                if Double(held) <= bound * Double(counted) {
                    beside.add(leaves: terms, unknowns: [(unknown, -bound)], lower: -.infinity, upper: 0)
                }
            }
            unknowns.append(numbers)
            for number in family.slabs {
                let slab = laid.slabs[number]
                let sums = family.sums(over: slab.margin, layout)
                var members: [CellIndex: [Int]] = [:]
                for (place, unknown) in numbers {
                    let cell = layout.cell(
                        of: slab.margin, value: place.value, in: family.apart, partition: place.bucket)
                    members[cell, default: []].append(unknown)
                }
                for (place, cell) in slab.cells.enumerated() {
                    guard let column = laid.columns[number][place].map({ ColumnIndex($0) }), let inside = members[cell]
                    else { continue }
                    if laid.problem.cells[Int(column.value)].isSensitive {
                        ofColumn[column, default: []].append(inside.sorted())
                    }
                    let published = family.quantity == .floors ? slab.floors[place] : laid.firsts[number]?[place]
                    guard isPublished[Int(column.value)], !silent.contains(column), published == sums[cell] else {
                        continue
                    }
                    beside.add(
                        unknowns: inside.sorted().map { ($0, 1) }, lower: Double(sums[cell] ?? 0),
                        upper: Double(sums[cell] ?? 0), teller: column)
                }
            }
        }
        for (part, own) in families.enumerated() {
            for (whole, all) in families.enumerated()
            where all.quantity == own.quantity && all.apart != own.apart && header.layout.refines(own.apart, all.apart)
            {
                let project = layout.projection(from: own.apart, to: all.apart)
                for (place, unknown) in unknowns[part].sorted(by: { $0.value < $1.value }) {
                    guard let above = unknowns[whole][Place(value: project(place.value), bucket: place.bucket)] else {
                        continue
                    }
                    beside.add(unknowns: [(above, 1), (unknown, -1)], lower: 0, upper: .infinity)
                }
            }
        }
        return (beside, ofColumn, leavesOf)
    }
}
