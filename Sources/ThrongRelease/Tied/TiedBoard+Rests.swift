internal import ThrongPlan
internal import ThrongSuppression

extension TiedBoard {
    /// What a whole has beyond its parts, by class; leaves whose sum it is.
    typealias Rests = [TiedShare.Key: [UInt32]]

    /// Adds the equations of an identity, and what can be computed with them: by class, and by fewer of the dimensions.
    ///
    /// - Parameter periods: of releases, longer than the stretches.
    /// - Complexity: O((leaves + distinct counts) · runs · choices of the shared dimensions), 64 choices or fewer up to six of
    ///   them, and about half their square of more.
    mutating func tie(_ share: TiedShare, periods: [Period]) -> Rests {
        let sides = share.sides.sorted { $0.key < $1.key }
        let axes = Array(share.dimensions.indices)
        let runs = share.runs(of: periods)
        let isEqual = share.identity.rest == .none && !share.countsIdentifiers
        // By how many identifiers the whole, or its parts, are more.
        let (more, fewer) = (
            isEqual ? share.identifiers(along: axes, runs: runs, limits: rule.span == nil) : [:],
            isEqual ? share.identifiers(along: axes, runs: runs, limits: rule.span == nil, isReversed: true) : [:]
        )
        var rests: Rests = [:]
        for (key, side) in sides {
            // That one metric counted nothing in a bucket only says that it did not count yet, or no longer.
            if side.parts.isEmpty {
                if share.identity.rest == .some { rests[key] = side.whole }
                continue
            }
            let difference = sum(side.whole).subtractedClamped(sum(side.parts))
            // What all identifiers added differs by somebody of whom nothing is proved, where what proved ones did does not.
            let all = everybody(side.whole).subtractedClamped(everybody(side.parts))
            let isOfOthers = all != 0 && all.signum() != difference.signum()
            let identifiers =
                runs.firstIndex(of: [key.stretch]).flatMap {
                    (difference < 0 ? fewer : more)[.init(run: $0, values: key.buckets)]
                } ?? []
            // What one side counts besides the other is somebody's, too: other kinds of events, or the late ones of a
            // few devices, between two releases.
            let isSmall =
                rule.span == nil && (difference != 0 || isOfOthers)
                && (isOfOthers || abs(difference) < rule.threshold.devices
                    || isEqual && rule.isOpen(abs(difference), identifiers: identifiers, bound: share.bound))
            // Of two that might be the same but for an edited plan, only that they nearly are is to be believed.
            if share.identity.rest == .unknown, !isSmall { continue }
            var (parts, whole) = (side.parts, side.whole)
            if share.identity.rest == .some {
                let rest = leaf(max(0, difference), everybody: max(0, all))
                parts.append(rest)
                rests[key] = [rest]
                if share.countsIdentifiers, isSmall, difference > 0 {
                    _ = secret([rest], floor: difference, isSensitive: true)
                }
            } else if isSmall || !knowsDifferences && difference != 0 {
                let rest = leaf(abs(difference), everybody: abs(all))
                if difference < 0 { whole.append(rest) } else { parts.append(rest) }
                if isSmall {
                    _ = secret([rest], floor: min(abs(difference), rule.threshold.devices - 1), isSensitive: true)
                }
            }
            tie(parts, whole)
        }
        if share.identity.rest == .some, !share.countsIdentifiers { hide(rests, of: share, runs: runs) }
        return rests
    }

    /// Adds rests as they can be computed: by any of the shared dimensions, in any run of stretches. What k devices stand
    /// behind is left out, unless it is a sum of something small.
    private mutating func hide(_ rests: Rests, of share: TiedShare, runs: [Set<Int>]) {
        let subsets = share.axisSubsets
        var rows: [[Int]: [TiedDevices.Group: Rest]] = [:]
        for axes in subsets {
            let known = share.identifiers(along: axes, runs: runs, limits: rule.span == nil)
            var groups: [TiedDevices.Group: [UInt32]] = [:]
            for (key, leaves) in rests {
                for (run, stretches) in runs.enumerated() where stretches.contains(key.stretch) {
                    groups[.init(run: run, values: axes.map { key.buckets[$0] }), default: []] += leaves
                }
            }
            rows[axes] = groups.reduce(into: [:]) { rows, group in
                let identifiers = known[group.key] ?? []
                rows[group.key] = Rest(
                    leaves: group.value, identifiers: identifiers,
                    isOpen: isOpen(group.value, identifiers: identifiers, bound: share.boundOfWhole))
            }
        }
        var columns: [[Int]: [TiedDevices.Group: ColumnIndex]] = [:]
        for axes in subsets {
            for (group, rest) in (rows[axes] ?? [:]).sorted(by: { $0.key < $1.key }) where rest.isOpen {
                columns[axes, default: [:]][group] = add(rest, of: share)
            }
        }
        for (axes, finer) in TiedShare.steps(between: subsets) {
            let children = Dictionary(grouping: (rows[finer] ?? [:]).keys) { group in
                TiedDevices.Group(
                    run: group.run, values: zip(finer, group.values).filter { axes.contains($0.0) }.map(\.1))
            }
            for (group, parts) in children.sorted(by: { $0.key < $1.key })
            where parts.count > 1 && parts.contains(where: { rows[finer]?[$0]?.isOpen ?? false }) {
                let all = [(axes, group)] + parts.sorted().map { (finer, $0) }
                for (axes, group) in all where columns[axes]?[group] == nil {
                    columns[axes, default: [:]][group] = rows[axes]?[group].map { add($0, of: share) }
                }
                guard let parent = columns[axes]?[group] else { continue }
                relate(parent, parts.sorted().compactMap { columns[finer]?[$0] })
            }
        }
    }

    private mutating func add(_ rest: Rest, of share: TiedShare) -> ColumnIndex {
        difference(of: rest.leaves, identifiers: rest.identifiers, bound: share.boundOfWhole)
    }

    /// What a whole has beyond its parts in some buckets.
    private struct Rest {
        let leaves: [UInt32]
        /// By window.
        let identifiers: [Int64]
        let isOpen: Bool
    }
}

extension TiedShare {
    /// The shared dimensions by which differences are looked at, the most first: all choices of up to six; of more, all of
    /// them, two, one and none.
    fileprivate var axisSubsets: [[Int]] {
        let axes = dimensions.indices.filter { dimensions[$0].splits }
        let choices: [[Int]]
        if axes.count <= Self.mostFreeAxes {
            choices = (0..<1 << axes.count).map { bits in
                axes.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
            }
        } else {
            let pairs = axes.enumerated().flatMap { place, axis in axes[(place + 1)...].map { [axis, $0] } }
            choices = [axes] + pairs + axes.map { [$0] } + [[]]
        }
        return choices.sorted { $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count > $1.count }
    }

    private static let mostFreeAxes = 6

    /// Each choice of axes with those that have one more, or the next more that there are.
    fileprivate static func steps(between subsets: [[Int]]) -> [(axes: [Int], finer: [Int])] {
        subsets.flatMap { axes in
            let finer = subsets.filter { $0.count > axes.count && Set(axes).isSubset(of: $0) }
            let next = finer.map(\.count).min()
            return finer.filter { $0.count == next }.map { (axes: axes, finer: $0) }
        }
    }
}

extension TiedDevices.Group: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        left.run != right.run ? left.run < right.run : left.values.lexicographicallyPrecedes(right.values)
    }
}

extension TiedShare {
    /// What one identifier may add in a window to the whole. Unit: events.
    var boundOfWhole: Int64 {
        Int64(zip(members, isWhole).filter(\.1).map(\.0.layout.contributionBound).max() ?? 1)
    }

    /// By group, by window: how many identifiers at least stand behind what the whole has beyond its parts.
    ///
    /// Either the whole counted so many more than its parts, or it counted them in events that are none of theirs.
    /// - Parameters:
    ///   - axes: the shared dimensions that are kept.
    ///   - limits: false where only the windows matter.
    ///   - isReversed: true for what the parts have beyond the whole.
    func identifiers(
        along axes: [Int], runs: [Set<Int>], limits: Bool, isReversed: Bool = false
    ) -> [TiedDevices.Group: [Int64]] {
        func counted(_ member: Int, limit: (place: Int, buckets: Set<Int>)?) -> TiedDevices {
            TiedDevices(
                self, member: member,
                along: axes.map {
                    TiedDevices.Axis(place: dimensions[$0].places[member], values: dimensions[$0].classes[member])
                }, limit: limit, runs: runs)
        }
        var least: [TiedDevices.Group: [Int64: Int64]] = [:]
        var others: [TiedDevices.Group: [Int64: Int64]] = [:]
        for member in members.indices {
            let devices = counted(member, limit: limit(of: member))
            if isWhole[member] != isReversed {
                for (group, windows) in devices.least {
                    least[group, default: [:]].merge(windows) { max($0, $1) }
                }
            } else {
                for (group, windows) in devices.most {
                    others[group, default: [:]].merge(windows) { $0.addedClamped($1) }
                }
            }
        }
        var found = least.mapValues { $0.mapValues { _ in Int64(0) } }
        guard limits else { return found.mapValues { Array($0.values) } }
        if hasOneRotation {
            for (group, windows) in least {
                for (window, devices) in windows {
                    found[group]?[window] = max(0, devices.subtractedClamped(others[group]?[window] ?? 0))
                }
            }
        }
        for member in members.indices where isWhole[member] && !isReversed {
            let own = limit(of: member)
            for (place, events) in members[member].kinds where own.map({ $0.place == place }) ?? true {
                for (bucket, names) in events.enumerated()
                where !names.isEmpty && names.isDisjoint(with: partNames) && own?.buckets.contains(bucket) ?? true {
                    for (group, windows) in counted(member, limit: (place, [bucket])).least {
                        found[group, default: [:]].merge(windows) { max($0, $1) }
                    }
                }
            }
        }
        return found.mapValues { windows in windows.sorted { $0.key < $1.key }.map(\.value) }
    }
}
