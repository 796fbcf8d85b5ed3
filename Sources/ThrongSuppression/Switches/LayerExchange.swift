internal import CLemon
internal import Dispatch

/// Moves many cells of a table at once, by flows of least cost.
///
/// Two layers are all places that differ from two anchors in two dimensions only. What a place of the one gains the place
/// across loses, so that whatever is summed over both stays. Sums over a row or a column of one layer stay where rows and
/// columns of what moves are in balance: that is a circulation, and the best of all circulations is found at once, in whole
/// numbers (Ford and Fulkerson 1962). A single layer is the same without anything across.
struct LayerExchange {
    private let board: SwitchBoard
    /// By place of the whole cube: what is there.
    private(set) var held: [Int64]
    /// By place: whether it may gain.
    private let mayGain: [Bool]
    /// By place: what is wanted there.
    private var wishes: [Wish]
    /// Places of wishes.
    private var wished: [(key: Int, place: LeafGrid.Place)] = []
    private let weights: [Int]

    /// What a place is wanted to hold.
    struct Wish {
        let goal: Int64
        /// What a unit more is worth until there is as much as wanted.
        let below: Int64
        /// What a unit more is worth from then on; not more.
        let above: Int64

        static let none = Wish(goal: 0, below: 0, above: 0)

        /// As much as the goal, at least.
        static func reach(_ goal: Int64, worth: Int64) -> Wish { Wish(goal: goal, below: worth, above: 0) }
        /// As much as the goal, at most.
        static func stayUnder(_ goal: Int64, worth: Int64) -> Wish { Wish(goal: goal, below: 0, above: -worth) }
        /// As near to the goal as can be.
        static func meet(_ goal: Int64, worth: Int64) -> Wish { Wish(goal: goal, below: worth, above: -worth) }
    }

    /// Places of a cube at most.
    static let mostPlaces = 1 << 22

    /// Starts from the true table; nil where the cube has too many places.
    init?(_ board: SwitchBoard) {
        let grid = board.grid
        guard grid.sizes.reduce(1.0, { $0 * Double($1) }) <= Double(Self.mostPlaces) else { return nil }
        self.board = board
        let count = grid.sizes.reduce(1, *)
        var weights = Array(repeating: 1, count: grid.sizes.count)
        for axis in grid.sizes.indices.dropLast().reversed() {
            weights[axis] = weights[axis + 1] * grid.sizes[axis + 1]
        }
        self.weights = weights
        held = Array(repeating: 0, count: count)
        for (leaf, place) in grid.places.enumerated() { held[Int(grid.key(of: place))] = board.values[leaf] }
        var mayGain = Array(repeating: board.mayArrive, count: count)
        for place in grid.places { mayGain[Int(grid.key(of: place))] = true }
        if board.mayArrive {
            for key in 0..<count where !grid.isPossible(Self.place(key, grid.sizes)) { mayGain[key] = false }
            for place in grid.places { mayGain[Int(grid.key(of: place))] = true }
        }
        self.mayGain = mayGain
        wishes = Array(repeating: .none, count: count)
    }

    private static func place(_ key: Int, _ sizes: [Int]) -> LeafGrid.Place {
        var place = LeafGrid.Place(repeating: 0)
        var rest = key
        for axis in sizes.indices.reversed() {
            place[axis] = Int32(rest % sizes[axis])
            rest /= sizes[axis]
        }
        return place
    }

    /// What is at a place.
    func amount(at place: LeafGrid.Place) -> Int64 { held[Int(board.grid.key(of: place))] }

    /// Goes on from another table.
    mutating func add(_ witness: SuppressionPattern.Witness) {
        for change in witness.changes {
            held[Int(board.grid.key(of: board.grid.places[Int(change.leaf.value)]))] += change.amount
        }
        for arrival in witness.arrivals { held[Int(board.grid.key(of: arrival.place))] += arrival.amount }
    }

    /// Wants nothing anywhere.
    mutating func forgetWishes() {
        for (key, _) in wished { wishes[key] = .none }
        wished.removeAll(keepingCapacity: true)
    }

    /// Wants what there is in truth, everywhere.
    mutating func wishTruth() {
        forgetWishes()
        for key in wishes.indices { wish(.meet(0, worth: 1), at: Self.place(key, board.grid.sizes)) }
        for (leaf, place) in board.grid.places.enumerated() {
            wishes[Int(board.grid.key(of: place))] = .meet(board.values[leaf], worth: 1)
        }
    }

    /// Wants something at a place, instead of what was wanted there before.
    mutating func wish(_ wish: Wish, at place: LeafGrid.Place) {
        let key = Int(board.grid.key(of: place))
        wishes[key] = wish
        wished.append((key, place))
    }

    /// How the table differs from the true one.
    func witness(_ measure: Int) -> SuppressionPattern.Witness {
        let grid = board.grid
        var changes: [SuppressionPattern.Witness.Change] = []
        var rest = held
        for (leaf, place) in grid.places.enumerated() {
            let key = Int(grid.key(of: place))
            rest[key] = 0
            if held[key] != board.values[leaf] {
                changes.append(.init(leaf: LeafIndex(UInt32(leaf)), amount: held[key] - board.values[leaf]))
            }
        }
        let arrivals = rest.indices.filter { rest[$0] != 0 }.map {
            SuppressionPattern.Witness.Arrival(place: Self.place($0, grid.sizes), amount: rest[$0])
        }
        return .init(measure: measure, changes: changes, arrivals: arrivals, proves: [])
    }

    // MARK: Flows

    /// Exchanges between pairs of layers, in all pairs of dimensions, on all processors: those of one pair of dimensions
    /// have no place in common.
    mutating func sweep(using random: inout SecretGenerator) {
        let axes = board.grid.sizes.indices
        for first in axes {
            for second in axes where second > first {
                let isWishful = isWishful(first, second)
                let pairs = pairs(first, second, using: &random).filter { pair in
                    [pair.one, pair.other].contains { $0.map { isWishful[Int(board.grid.key(of: $0))] } ?? false }
                }
                for move in moves(first, second, through: pairs).joined() { held[move.key] += move.amount }
            }
        }
    }

    private typealias Move = (key: Int, amount: Int64)
    private typealias Pair = (one: LeafGrid.Place, other: LeafGrid.Place?)

    private func moves(_ first: Int, _ second: Int, through pairs: [Pair]) -> [[Move]] {
        var result: [[Move]] = Array(repeating: [], count: pairs.count)
        result.withUnsafeMutableBufferPointer { result in
            // Each writes to a place of its own.
            nonisolated(unsafe) let result = result
            DispatchQueue.concurrentPerform(iterations: pairs.count) { number in
                result[number] = exchange(first, second, pairs[number].one, pairs[number].other)
            }
        }
        return result
    }

    /// By key: whether it is the anchor of a layer in which some wish is open.
    private func isWishful(_ first: Int, _ second: Int) -> [Bool] {
        var result = Array(repeating: false, count: held.count)
        for (key, place) in wished {
            let wish = wishes[key]
            guard held[key] < wish.goal ? wish.below > 0 : wish.above < 0 && held[key] > wish.goal else { continue }
            result[key - Int(place[first]) * weights[first] - Int(place[second]) * weights[second]] = true
        }
        return result
    }

    /// Pairs of anchors: those of layers that differ in one dimension only, as far as they go.
    private func pairs(_ first: Int, _ second: Int, using random: inout SecretGenerator) -> [Pair] {
        let grid = board.grid
        let others = grid.sizes.indices.filter { $0 != first && $0 != second }
        guard let axis = others.randomElement(using: &random) else {
            return [(LeafGrid.Place(repeating: 0), nil)]
        }
        var anchors: [LeafGrid.Place] = [LeafGrid.Place(repeating: 0)]
        for other in others where other != axis {
            anchors = anchors.flatMap { anchor in
                (0..<Int32(grid.sizes[other])).map { bucket in
                    var next = anchor
                    next[other] = bucket
                    return next
                }
            }
        }
        var result: [Pair] = []
        for anchor in anchors {
            let buckets = (0..<Int32(grid.sizes[axis])).shuffled(using: &random)
            for place in stride(from: 0, to: buckets.count, by: 2) {
                var one = anchor
                one[axis] = buckets[place]
                var other: LeafGrid.Place?
                if place + 1 < buckets.count {
                    other = anchor
                    other?[axis] = buckets[place + 1]
                }
                result.append((one, other))
            }
        }
        return result
    }

    /// The best circulation through two layers.
    private func exchange(
        _ first: Int, _ second: Int, _ one: LeafGrid.Place, _ other: LeafGrid.Place?
    ) -> [Move] {
        let (rows, columns) = (board.grid.sizes[first], board.grid.sizes[second])
        var isClosed = Array(repeating: false, count: rows * columns)
        var isFree = Array(repeating: true, count: rows + columns)
        var isHubFree = true
        func isShown(_ row: Int, _ column: Int, _ number: Int) -> Bool {
            for anchor in [one, other] {
                guard var place = anchor else { continue }
                place[first] = Int32(row)
                place[second] = Int32(column)
                if board.shownCell(of: place, number) != nil { return true }
            }
            return false
        }
        for number in board.active {
            let grouping = board.grid.groupings[number]
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
        let base = Int(board.grid.key(of: one))
        let acrossBase = other.map { Int(board.grid.key(of: $0)) } ?? 0
        var arcs: [throng_arc] = []
        var owners: [(one: Int, other: Int?, sign: Int64)] = []
        for row in 0..<rows {
            for column in 0..<columns where !isClosed[row * columns + column] {
                let moved = row * weights[first] + column * weights[second]
                let key = base + moved
                let across = other.map { _ in acrossBase + moved }
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
