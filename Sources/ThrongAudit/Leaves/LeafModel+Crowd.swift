extension LeafModel {
    /// The devices that did some things in one span (``DeviceSpan``), by the leaf of which they did something first.
    ///
    /// Within a span a device is in one bucket of each dimension that partitions devices. So those that did something
    /// in some buckets of these are those that did it first there, and numbers of them add up.
    struct Crowd {
        /// By class of leaves: the devices; and how many of the leaves the crowd's region has.
        let members: [Int32: (unknown: Int32, leaves: Int32)]
    }

    /// Says what a number of devices adds up, where devices add up.
    ///
    /// - Parameter unknown: the number's own.
    /// - Complexity: O(leaves of the cell), and once a crowd O(leaves of it).
    mutating func add(_ cell: ReachCell, _ unknown: Int32) {
        guard let crowd = crowd(of: cell) else { return }
        var inside: [Int32: Int32] = [:]
        space.forEachLeaf(of: cell.region) { inside[classes.classOf[$0], default: 0] += 1 }
        let touched = inside.keys.sorted()
        let whole = touched.filter { crowd.members[$0]?.leaves == inside[$0] }
        func row(_ classes: [Int32], lower: Int64?, upper: Int64?) {
            let devices = classes.compactMap { crowd.members[$0]?.unknown }.map {
                LinearSystem.Term(unknown: $0, coefficient: -1)
            }
            system.rows.append(
                .init(
                    terms: [.init(unknown: unknown, coefficient: 1)] + devices, lower: lower, upper: upper,
                    origin: .rule("a device is in one bucket of what partitions devices, so that devices add up")))
        }
        if whole.count == touched.count {
            row(touched, lower: 0, upper: 0)
        } else {
            row(touched, lower: nil, upper: 0)
            row(whole, lower: 0, upper: nil)
        }
    }

    /// The crowd that a cell is a part of; nil where devices don't add up, or nothing is split.
    private mutating func crowd(of cell: ReachCell) -> Crowd? {
        guard let period = space.period(of: cell.region), group.plan.deviceSpans[cell.metric]?.holding(period) != nil
        else { return nil }
        var region = cell.region
        for axis in space.axes.indices where space.axes[axis].partitionsDevices { region.sets[axis] = -1 }
        let all = ReachCell(metric: cell.metric, measure: .reach, region: region)
        if let known = crowds[all] { return known }
        var leaves: [Int32: Int32] = [:]
        space.forEachLeaf(of: region) { leaves[classes.classOf[$0], default: 0] += 1 }
        var members: [Int32: (unknown: Int32, leaves: Int32)] = [:]
        for (member, count) in leaves.sorted(by: { $0.key < $1.key }) {
            members[member] = (Int32(system.unknowns), count)
            system.unknowns += 1
        }
        crowds[all] = Crowd(members: members)
        return crowds[all]
    }
}
