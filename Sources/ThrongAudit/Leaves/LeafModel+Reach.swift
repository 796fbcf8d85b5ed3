extension LeafModel {
    /// Devices do not add up, but a part has at most as many as the whole, the whole at most as many as its parts
    /// together, and every device sent an event.
    mutating func link(_ cell: ReachCell, _ unknown: Int32) {
        let count = Quantity(metric: cell.metric, measure: .count)
        var leaves: Set<Int32> = []
        space.forEachLeaf(of: cell.region) { leaves.insert(classes.classOf[$0]) }
        let events = leaves.sorted().map { LinearSystem.Term(unknown: self.unknown(count, $0), coefficient: -1) }
        if quantities[count] != nil {
            system.rows.append(
                .init(
                    terms: [.init(unknown: unknown, coefficient: 1)] + events, lower: nil, upper: 0,
                    origin: .rule("every device sent at least one event")))
        }
        for tie in group.plan.ties where tie.app == group.app {
            for (mine, other) in [(tie.left, tie.right), (tie.right, tie.left)]
            where mine.metric == cell.metric && mine.measure == .reach && other.measure != .reach {
                let quantity = Quantity(metric: other.metric, measure: other.measure)
                guard quantities[quantity] != nil else { continue }
                let isLeft = mine == tie.left
                let terms = leaves.sorted().map {
                    LinearSystem.Term(unknown: self.unknown(quantity, $0), coefficient: -other.factor)
                }
                system.rows.append(
                    .init(
                        terms: [.init(unknown: unknown, coefficient: mine.factor)] + terms,
                        lower: tie.isEqual || !isLeft ? 0 : nil, upper: tie.isEqual || isLeft ? 0 : nil,
                        origin: .rule(tie.words)))
            }
        }
        for axis in space.axes.indices where cell.region.sets[axis] >= 0 && axis < space.axes.count - 1 {
            var parent = cell
            parent = ReachCell(metric: cell.metric, measure: .reach, region: cell.region.dropping(axis))
            guard let whole = reaches[parent] else { continue }
            system.rows.append(
                .init(
                    terms: [.init(unknown: unknown, coefficient: 1), .init(unknown: whole, coefficient: -1)],
                    lower: nil, upper: 0, origin: .rule("a part reaches no more devices than the whole")))
            // Once a parent: the part that holds the first element speaks for its siblings.
            guard space.axes[axis].members(of: cell.region.sets[axis]).first == 0 else { continue }
            var parts: [LinearSystem.Term] = [.init(unknown: whole, coefficient: 1)]
            for element in space.axes[axis].elements.indices {
                let set = space.axes[axis].setOf.lazy.map { $0[element] }.first { number in
                    number >= 0 && space.axes[axis].members(of: number) == [Int32(element)]
                }
                guard let set else { return }
                var region = cell.region
                region.sets[axis] = set
                guard let part = reaches[ReachCell(metric: cell.metric, measure: .reach, region: region)] else {
                    return
                }
                parts.append(.init(unknown: part, coefficient: -1))
            }
            system.rows.append(
                .init(
                    terms: parts, lower: nil, upper: 0,
                    origin: .rule("the whole reaches no more devices than its parts together")))
        }
    }
}

extension LeafRegion {
    /// The same leaves and all others along one axis.
    fileprivate func dropping(_ axis: Int) -> LeafRegion {
        var sets = sets
        sets[axis] = -1
        return LeafRegion(sets: sets)
    }
}
