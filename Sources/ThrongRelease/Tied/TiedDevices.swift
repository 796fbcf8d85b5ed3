internal import ThrongPlan

/// The identifiers that a member of a share counted, by group of its cells and by window: at least so many, and at most.
struct TiedDevices {
    /// By group, by window. Unit: identifiers.
    private(set) var least: [Group: [Int64: Int64]] = [:]
    /// As ``least``. What is there may hold an identifier more than once.
    private(set) var most: [Group: [Int64: Int64]] = [:]

    /// Some cells of a member in some stretches.
    struct Group: Hashable {
        /// Which of the runs of stretches.
        let run: Int
        /// By chosen dimension: what its bucket is taken for.
        let values: [Int]
    }

    /// A dimension of the member, and what each of its buckets is taken for; negative leaves the bucket out.
    struct Axis {
        let place: Int
        let values: [Int]
    }

    /// Adds a member's distinct counts up.
    ///
    /// - Parameters:
    ///   - limit: the buckets that the member's source is limited to.
    ///   - runs: of stretches.
    /// - Complexity: O(distinct counts · runs).
    init(
        _ share: TiedShare, member number: Int, along axes: [Axis], limit: (place: Int, buckets: Set<Int>)?,
        runs: [Set<Int>]
    ) {
        let member = share.members[number]
        let layout = member.layout
        let margin = Margin(keeping: axes.map(\.place) + [limit?.place].compactMap { $0 })
        let counted = layout.counting(margin) ?? layout.leaf
        let project = layout.projection(from: counted, to: margin)
        let partition = layout.projection(from: counted, to: layout.partition)
        let kept = layout.dimensions.indices.filter(margin.keeps)
        let columns = axes.map { axis in kept.firstIndex(of: axis.place) ?? 0 }
        let limited = limit.flatMap { limit in kept.firstIndex(of: limit.place) }
        var rows: [Group: [DeviceCounts.Row]] = [:]
        for (part, stretch) in share.stretchOfPart[number].enumerated() {
            guard let stretch else { continue }
            let holding = runs.indices.filter { runs[$0].contains(stretch) }
            for row in member.laid.frame.distinct[part][counted] ?? [] {
                let buckets = layout.buckets(of: project(row.cell), in: margin)
                if let limited, let limit, !limit.buckets.contains(buckets[limited]) { continue }
                let values = zip(axes, columns).map { $0.values[buckets[$1]] }
                guard values.allSatisfy({ $0 >= 0 }) else { continue }
                for run in holding {
                    // A window that two parts share is one window.
                    rows[Group(run: run, values: values), default: []].append(
                        DeviceCounts.Row(
                            window: .init(part: 0, number: row.window.value), bucket: partition(row.cell).value,
                            devices: row.devices))
                }
            }
        }
        for (group, rows) in rows {
            most[group] = Self.byWindow(rows)
            least[group] = Self.byWindow(DeviceCounts(rows).rows)
        }
    }

    private static func byWindow(_ rows: [DeviceCounts.Row]) -> [Int64: Int64] {
        rows.reduce(into: [:]) { $0[$1.window.number] = ($0[$1.window.number] ?? 0).addedClamped($1.devices) }
    }
}

extension TiedShare {
    /// The buckets that a member's source is limited to.
    func limit(of member: Int) -> (place: Int, buckets: Set<Int>)? {
        names[member].flatMap { members[member].buckets(holding: $0) }
    }

    /// Whether identifiers of all members can be held against each other: they have the same windows.
    var hasOneRotation: Bool { Set(members.map(\.layout.rotation)).count == 1 }

    /// Whether any of the metrics counts identifiers instead of events: then no difference is made of events.
    var countsIdentifiers: Bool { members.contains { $0.layout.within != nil } }

    /// Events that one identifier may add in a window to any of them.
    var bound: Int64 { Int64(members.map(\.layout.contributionBound).max() ?? 1) }
}
