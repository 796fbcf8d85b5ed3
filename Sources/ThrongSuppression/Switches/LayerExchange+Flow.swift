internal import CLemon
internal import Dispatch

extension LayerExchange {
    /// Exchanges between pairs of layers, in all pairs of dimensions, on all processors: those of one pair of dimensions
    /// have no place in common.
    ///
    /// - Parameters:
    ///   - targets: places one of which a layer must have; nil for all layers.
    ///   - isParallel: false where others keep the processors busy.
    mutating func sweep(
        on board: SwitchBoard, through targets: [LeafGrid.Place]? = nil, isParallel: Bool = true,
        using random: inout SecretGenerator
    ) {
        let axes = grid.sizes.indices
        for first in axes {
            for second in axes where second > first {
                let chosen = targets.map { anchors(of: $0, first, second) } ?? wishfulAnchors(first, second)
                let pairs = pairs(first, second, using: &random).filter { pair in
                    [pair.one, pair.other].contains { $0.map { chosen.contains(Int(grid.key(of: $0))) } ?? false }
                }
                let layers = pairs.map { pair in
                    let (rows, columns) =
                        targets.map { area(first, second, pair, around: $0, using: &random) }
                        ?? (Array(0..<Int32(grid.sizes[first])), Array(0..<Int32(grid.sizes[second])))
                    return Layers(
                        first: first, second: second, one: pair.one, other: pair.other, rows: rows, columns: columns)
                }
                for move in moves(layers, on: board, isParallel: isParallel).joined() {
                    held[move.key] += move.amount
                    if targets != nil { moved.append(move) }
                }
            }
        }
    }

    private typealias Pair = (one: LeafGrid.Place, other: LeafGrid.Place?)

    /// Two layers, or parts of them.
    private struct Layers {
        /// The dimensions in which a layer's places differ.
        let first: Int
        let second: Int
        let one: LeafGrid.Place
        let other: LeafGrid.Place?
        /// Buckets of the first dimension that take part.
        let rows: [Int32]
        /// Buckets of the second dimension that take part.
        let columns: [Int32]
    }

    /// Places of a layer, of which more than these don't take part where one cell is all that is wanted.
    private static let mostInArea = 600

    /// Rows and columns of layers that take part: those of the targets, some in which a target's line has somebody, and some
    /// others.
    private func area(
        _ first: Int, _ second: Int, _ pair: Pair, around targets: [LeafGrid.Place], using random: inout SecretGenerator
    ) -> (rows: [Int32], columns: [Int32]) {
        let sizes = (Int32(grid.sizes[first]), Int32(grid.sizes[second]))
        if Int(sizes.0) * Int(sizes.1) <= Self.mostInArea { return (Array(0..<sizes.0), Array(0..<sizes.1)) }
        let most = Int(Double(Self.mostInArea).squareRoot())
        let own = targets.filter { target in
            [pair.one, pair.other].contains { anchor in
                anchor.map { anchor in
                    grid.sizes.indices.allSatisfy { $0 == first || $0 == second || anchor[$0] == target[$0] }
                } ?? false
            }
        }
        func chosen(_ axis: Int, of size: Int32) -> [Int32] {
            var result = Set(own.prefix(most).map { $0[axis] })
            let lines = own.prefix(4)
            let others = (0..<size).shuffled(using: &random)
            for bucket in others where result.count < most / 2 {
                let isHeld = lines.contains { target in
                    var place = target
                    place[axis] = bucket
                    return amount(at: place) > 0
                }
                if isHeld { result.insert(bucket) }
            }
            for bucket in others where result.count < most { result.insert(bucket) }
            return result.sorted()
        }
        return (chosen(first, of: sizes.0), chosen(second, of: sizes.1))
    }

    private func moves(_ layers: [Layers], on board: SwitchBoard, isParallel: Bool) -> [[Move]] {
        guard isParallel else { return layers.map { exchange($0, on: board) } }
        var result: [[Move]] = Array(repeating: [], count: layers.count)
        result.withUnsafeMutableBufferPointer { result in
            // Each writes to a place of its own.
            nonisolated(unsafe) let result = result
            DispatchQueue.concurrentPerform(iterations: layers.count) { number in
                result[number] = exchange(layers[number], on: board)
            }
        }
        return result
    }

    /// Keys of the anchors of layers that have one of some places.
    private func anchors(of targets: [LeafGrid.Place], _ first: Int, _ second: Int) -> Set<Int> {
        Set(
            targets.map { place in
                var anchor = place
                anchor[first] = 0
                anchor[second] = 0
                return Int(grid.key(of: anchor))
            })
    }

    /// Keys of the anchors of layers in which some wish is open.
    private func wishfulAnchors(_ first: Int, _ second: Int) -> Set<Int> {
        var result: Set<Int> = []
        func part(_ key: Int, _ axis: Int) -> Int { key / weights[axis] % grid.sizes[axis] * weights[axis] }
        for key in wished {
            let wish = wishes[key]
            guard held[key] < wish.goal ? wish.below > 0 : wish.above < 0 && held[key] > wish.goal else { continue }
            result.insert(key - part(key, first) - part(key, second))
        }
        return result
    }

    /// Pairs of anchors, at random: those of layers that differ in one dimension, or in more of them, as far as they go.
    ///
    /// Where only pairs of dimensions are summed, layers that differ in many exchange as well as those that differ in one.
    private func pairs(_ first: Int, _ second: Int, using random: inout SecretGenerator) -> [Pair] {
        let others = grid.sizes.indices.filter { $0 != first && $0 != second }
        guard let axis = others.randomElement(using: &random) else {
            return [(LeafGrid.Place(repeating: 0), nil)]
        }
        var differing: Set = [axis]
        for other in others where other != axis && Bool.random(using: &random) { differing.insert(other) }
        func anchors(_ axes: [Int]) -> [LeafGrid.Place] {
            axes.reduce([LeafGrid.Place(repeating: 0)]) { anchors, axis in
                anchors.flatMap { anchor in
                    (0..<Int32(grid.sizes[axis])).map { bucket in
                        var next = anchor
                        next[axis] = bucket
                        return next
                    }
                }
            }
        }
        let ends = anchors(others.filter(differing.contains))
        var result: [Pair] = []
        for anchor in anchors(others.filter { !differing.contains($0) }) {
            let layers = ends.shuffled(using: &random).map { $0 &+ anchor }
            for place in stride(from: 0, to: layers.count, by: 2) {
                result.append((layers[place], place + 1 < layers.count ? layers[place + 1] : nil))
            }
        }
        return result
    }

    /// The best circulation through two layers.
    private func exchange(_ layers: Layers, on board: SwitchBoard) -> [Move] {
        let (first, second, one, other) = (layers.first, layers.second, layers.one, layers.other)
        let (rows, columns) = (layers.rows.count, layers.columns.count)
        var isClosed = Array(repeating: false, count: rows * columns)
        var isFree = Array(repeating: true, count: rows + columns)
        var isHubFree = true
        func isShown(_ row: Int, _ column: Int, _ number: Int) -> Bool {
            for anchor in [one, other] {
                guard var place = anchor else { continue }
                place[first] = layers.rows[row]
                place[second] = layers.columns[column]
                if board.shownCell(of: place, number) != nil { return true }
            }
            return false
        }
        for number in board.active {
            let grouping = grid.groupings[number]
            if let other, isSame(one, other, grouping, first, second) { continue }
            switch (grouping.kept[first], grouping.kept[second]) {
            case (true, true):
                for row in 0..<rows {
                    for column in 0..<columns where isShown(row, column, number) {
                        isClosed[row * columns + column] = true
                    }
                }
            case (true, false): for row in 0..<rows where isShown(row, 0, number) { isFree[row] = false }
            case (false, true):
                for column in 0..<columns where isShown(0, column, number) { isFree[rows + column] = false }
            case (false, false): if isShown(0, 0, number) { isHubFree = false }
            }
        }
        let base = Int(grid.key(of: one))
        let acrossBase = other.map { Int(grid.key(of: $0)) } ?? 0
        var arcs: [throng_arc] = []
        var owners: [(one: Int, other: Int?, sign: Int64)] = []
        for row in 0..<rows {
            for column in 0..<columns where !isClosed[row * columns + column] {
                let offset =
                    Int(layers.rows[row]) * weights[first] + Int(layers.columns[column]) * weights[second]
                let key = base + offset
                let across = other.map { _ in acrossBase + offset }
                if let across, held[key] == 0, held[across] == 0 { continue }
                for (gains, loses, sign) in [(Optional(key), across, Int64(1)), (across, key, -1)] {
                    if let gains, !mayGain[gains] { continue }
                    var room = loses.map { held[$0] } ?? Int64(1) << 30
                    var (gained, lost) = (gains.map { held[$0] } ?? 0, loses.map { held[$0] } ?? 0)
                    while room > 0 {
                        let up = gains.map { slope($0, gained, 1) } ?? (0, .max)
                        let down = loses.map { slope($0, lost, -1) } ?? (0, .max)
                        let step = min(room, up.length, down.length)
                        arcs.append(
                            throng_arc(
                                from: Int32(sign > 0 ? row : rows + column), to: Int32(sign > 0 ? rows + column : row),
                                capacity: step, cost: -(up.worth + down.worth)))
                        owners.append((key, across, sign))
                        room -= step
                        gained += step
                        lost -= step
                    }
                }
            }
        }
        guard arcs.contains(where: { $0.cost < 0 }) else { return [] }
        let hubs = (Int32(rows + columns), Int32(rows + columns + 1))
        func link(_ from: Int32, _ to: Int32) {
            arcs.append(throng_arc(from: from, to: to, capacity: 1 << 40, cost: 0))
            arcs.append(throng_arc(from: to, to: from, capacity: 1 << 40, cost: 0))
        }
        for row in 0..<rows where isFree[row] { link(Int32(row), hubs.0) }
        for column in 0..<columns where isFree[rows + column] { link(Int32(rows + column), hubs.1) }
        if isHubFree { link(hubs.0, hubs.1) }
        var flows = Array(repeating: Int64(0), count: arcs.count)
        guard throng_circulation(hubs.1 + 1, Int32(arcs.count), arcs, &flows) == 1 else { return [] }
        var moves: [Move] = []
        for (arc, owner) in owners.enumerated() where flows[arc] != 0 {
            moves.append((owner.one, owner.sign * flows[arc]))
            if let other = owner.other { moves.append((other, -owner.sign * flows[arc])) }
        }
        return moves
    }

    /// What the next unit that a place gains or loses is worth, and for how many it is that.
    private func slope(_ key: Int, _ amount: Int64, _ sign: Int64) -> (worth: Int64, length: Int64) {
        let wish = wishes[key]
        if sign > 0 { return amount < wish.goal ? (wish.below, wish.goal - amount) : (wish.above, .max) }
        return amount > wish.goal ? (-wish.above, amount - wish.goal) : (-wish.below, .max)
    }

    /// Whether both anchors' places are in the same cells of a grouping.
    private func isSame(
        _ one: LeafGrid.Place, _ other: LeafGrid.Place, _ grouping: LeafGrid.Grouping, _ first: Int, _ second: Int
    ) -> Bool {
        grouping.groups.enumerated().allSatisfy { axis, group in
            guard let group, axis != first, axis != second else { return true }
            return group[Int(one[axis])] == group[Int(other[axis])]
        }
    }
}
