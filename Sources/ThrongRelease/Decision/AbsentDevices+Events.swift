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
            let (first, end) =
                family.quantity.part.map { (laid.frame.starts[$0], laid.frame.starts[$0 + 1]) }
                ?? (0, laid.frame.leaves.count)
            for (leaf, known) in laid.frame.leaves.enumerated() where (first..<end).contains(leaf) {
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
            let bound =
                Double(layout.contributionBound) * Double(family.quantity == .floors ? windowsOfFloors : windows)
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
                // Of what devices sent in other windows this one says nothing.
                if family.quantity.isSubtracted, Double(held) <= bound * Double(counted) {
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
                    // That so many devices are in some window needs no more than so many events.
                    if laid.problem.cells[Int(column.value)].isSensitive, family.quantity.isSubtracted {
                        ofColumn[column, default: []].append(inside.sorted())
                    }
                    let published =
                        family.quantity == .firsts ? laid.firsts[number]?[place] : laid.numbers[number]?[place]
                    guard isPublished[Int(column.value)], !silent.contains(column), let published,
                        published == sums[cell] || published > sums[cell] ?? 0 && !family.quantity.isSubtracted
                    else { continue }
                    // Whichever window has most of a number's devices, the others have no more.
                    beside.add(
                        unknowns: inside.sorted().map { ($0, 1) },
                        lower: published == sums[cell] ? Double(published) : 0, upper: Double(published),
                        teller: column)
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
