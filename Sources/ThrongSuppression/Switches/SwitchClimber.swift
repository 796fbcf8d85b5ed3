/// Looks for witnesses as sums of small switches: the cell and some places across gain what donors in the lines through it
/// lose, so that whatever is published of either stays what it is.
///
/// - One block: a donor elsewhere moves into the cell.
/// - Two blocks: one donor shares the one block with the cell, the other the other; what they have besides meets in a
///   place across, which gains as much as the cell.
/// - Three blocks: three donors, and two places across.
/// - A cube of three blocks: eight corners; nothing that keeps only two of the blocks moves at all.
///
/// Each switch is checked against all groupings before it is taken, so that the search may guess.
struct SwitchClimber {
    var board: SwitchBoard
    /// By column, its leaves.
    let columns: IndexLists
    var random = SecretGenerator(seed: 3)
    var balance: WalkBalance
    private var change: SwitchChange
    private let all: Set<Int>
    private var splits: [LeafGrid.Place: [SwitchSplit]] = [:]
    private var tries = 0

    /// How many switches are looked at for one proof.
    private static let mostTries = 1_200
    private static let quickTries = 40
    private static let mostDonors = 96
    /// Places that one search for cubes looks up.
    private static let mostLooks = 20_000

    init(_ board: SwitchBoard, columns: IndexLists) {
        self.board = board
        self.columns = columns
        balance = WalkBalance(board.grid)
        change = SwitchChange(board.grid, values: board.values)
        all = Set(board.grid.sizes.indices)
    }

    /// What is to be moved.
    struct Target {
        /// The places of the cell agree with this one on ``lanes``.
        let place: LeafGrid.Place
        let lanes: SwitchSplit.Lanes
        /// Its grouping and cell, for columns that have one.
        let cell: (grouping: Int, cell: Int)?
        /// Its leaves.
        let leaves: ArraySlice<UInt32>

        func holds(_ other: LeafGrid.Place, in grid: LeafGrid) -> Bool {
            if let cell { return grid.groupings[cell.grouping].cell(of: other) == cell.cell }
            return grid.leaf(at: other).map { leaves.contains($0) } ?? false
        }
    }

    /// A change that moves the cell as far as asked, or nil where no sum of switches was found that does.
    ///
    /// - Parameter isQuick: whether a few switches are all that is looked at.
    mutating func climb(
        _ target: Target, _ direction: Proof.Direction, by distance: Int64, isQuick: Bool = false
    ) -> (changes: [SuppressionPattern.Witness.Change], arrivals: [SuppressionPattern.Witness.Arrival])? {
        // Where little is published one switch does, and a flow would take longer to be laid out than that to be found.
        tries = Self.mostTries - Self.quickTries
        let rest = distance - (direction == .up ? raise(target, by: distance) : lower(target, by: distance))
        let quick = change.finish()
        if rest <= 0 || isQuick { return rest <= 0 ? quick : nil }
        tries = 0
        var missing = distance
        switch direction {
        case .up:
            missing -= flow(target, by: missing, sign: 1)
            if missing > 0 { missing -= raise(target, by: missing) }
            if missing > 0 { missing -= walk(target, by: missing, sign: 1) }
        case .down:
            missing -= flow(target, by: missing, sign: -1)
            for leaf in target.leaves.sorted(by: { board.values[Int($0)] > board.values[Int($1)] }) where missing > 0 {
                let own = Target(
                    place: board.grid.places[Int(leaf)], lanes: .init(repeating: true), cell: target.cell,
                    leaves: target.leaves)
                missing -= lower(own, by: min(missing, change.rest(of: leaf)))
                let left = min(missing, change.rest(of: leaf))
                if left > 0 { missing -= walk(own, by: left, sign: -1) }
            }
        }
        let found = change.finish()
        return missing <= 0 ? found : nil
    }

    func rest(at place: LeafGrid.Place) -> Int64 { change.rest(at: place) }
    func mayHold(_ place: LeafGrid.Place) -> Bool { board.mayHold(place) }
    mutating func commit(_ amount: Int64, at place: LeafGrid.Place) { change.add(amount, at: place) }

    private mutating func splits(for lanes: SwitchSplit.Lanes) -> [SwitchSplit] {
        let name = LeafGrid.Place(repeating: 0).replacing(with: 1, where: lanes)
        if let known = splits[name] { return known }
        let kept = Set(all.filter { lanes[$0] })
        let made = SwitchSplit.all(
            axes: board.grid.sizes.count, mayFix: kept, mustMeet: kept,
            groupings: Array(board.grid.groupings.prefix(board.grid.shownCount)))
        splits[name] = made
        return made
    }

    // MARK: Up

    private mutating func raise(_ target: Target, by wanted: Int64) -> Int64 {
        let free = (board.isFree(target.place) && mayHold(target.place)) ? wanted : 0
        if free > 0 {
            change.add(free, at: target.place)
            return free
        }
        var got: Int64 = 0
        for split in splits(for: target.lanes) {
            if got >= wanted || tries > Self.mostTries { break }
            let lists = split.blocks.indices.map { block in
                Array(
                    board.donors(
                        split.crossing[block],
                        agreeing: target.lanes .& (split.blocks[block] .| split.fixed)
                            .& (split.blocks.count == 1 ? split.fixed : .init(repeating: true)), with: target.place
                    ).prefix(Self.mostDonors))
            }
            if lists.contains(where: \.isEmpty) { continue }
            switch split.blocks.count {
            case 1: got += moveIn(target, lists[0], split, wanted - got)
            case 2: got += pairUp(target, lists, split, wanted - got)
            default:
                got += cube(target, split, wanted - got, sign: 1)
                got += tripleUp(target, lists, split, wanted - got)
            }
        }
        return got
    }

    private mutating func moveIn(_ target: Target, _ donors: [UInt32], _ split: SwitchSplit, _ wanted: Int64) -> Int64 {
        var got: Int64 = 0
        for donor in donors where got < wanted {
            let from = board.grid.places[Int(donor)]
            let to = from.replacing(with: target.place, where: split.blocks[0])
            got += take(target, [(to, 1), (from, -1)], wanted - got, sign: 1)
        }
        return got
    }

    private mutating func pairUp(_ target: Target, _ lists: [[UInt32]], _ split: SwitchSplit, _ wanted: Int64) -> Int64
    {
        var got: Int64 = 0
        for first in lists[0] where got < wanted {
            var misses = 0
            for second in lists[1] where got < wanted && misses < 24 {
                if change.rest(of: first) <= 0 || tries > Self.mostTries { break }
                if change.rest(of: second) <= 0 { continue }
                let (x, y) = (board.grid.places[Int(first)], board.grid.places[Int(second)])
                let own = x.replacing(with: y, where: split.blocks[1])
                let across = x.replacing(with: y, where: split.blocks[0])
                let taken = take(target, [(own, 1), (across, 1), (x, -1), (y, -1)], wanted - got, sign: 1)
                if taken == 0 { misses += 1 }
                got += taken
            }
        }
        return got
    }

    private mutating func tripleUp(_ target: Target, _ lists: [[UInt32]], _ split: SwitchSplit, _ wanted: Int64)
        -> Int64
    {
        var got: Int64 = 0
        let (one, two) = (split.blocks[1], split.blocks[2])
        for first in lists[0].prefix(32) where got < wanted {
            for second in lists[1].prefix(32) where got < wanted {
                if change.rest(of: first) <= 0 || tries > Self.mostTries { break }
                var misses = 0
                for third in lists[2].prefix(32) where got < wanted && misses < 6 {
                    if change.rest(of: first) <= 0 || change.rest(of: second) <= 0 { break }
                    if change.rest(of: third) <= 0 { continue }
                    let places = [first, second, third].map { board.grid.places[Int($0)] }
                    let (x, y, z) = (places[0], places[1], places[2])
                    let own = x.replacing(with: y, where: one).replacing(with: z, where: two)
                    // Which donor's other blocks part ways: the others' stay together.
                    let parted: [(LeafGrid.Place, LeafGrid.Place)] = [
                        (x.replacing(with: z, where: split.blocks[0]), y.replacing(with: z, where: one)),
                        (x.replacing(with: y, where: split.blocks[0]), z.replacing(with: y, where: two)),
                        (y.replacing(with: x, where: one), z.replacing(with: x, where: two)),
                    ]
                    var taken: Int64 = 0
                    for (left, right) in parted where taken == 0 {
                        taken = take(
                            target, [(own, 1), (left, 1), (right, 1), (x, -1), (y, -1), (z, -1)], wanted - got, sign: 1)
                    }
                    if taken == 0 { misses += 1 }
                    got += taken
                }
            }
        }
        return got
    }

    // MARK: Both ways

    /// Eight corners: the cell and its mirrors in two blocks gain, its mirrors in one and in three lose; or the other way
    /// round.
    ///
    /// Whether the last corner has something to give is looked up for all choices of the others, which takes far less than a
    /// program: where nearly all pairs of dimensions are published this is what moves a leaf.
    private mutating func cube(_ target: Target, _ split: SwitchSplit, _ wanted: Int64, sign: Int) -> Int64 {
        let lanes = target.lanes
        guard all.allSatisfy({ lanes[$0] }) else { return 0 }
        var crossing: UInt64 = 0
        for (number, grouping) in board.grid.groupings.prefix(board.grid.shownCount).enumerated()
        where grouping.keepsBuckets {
            if split.blocks.allSatisfy({ any(grouping.kept .& $0) }) { crossing |= 1 << UInt64(number) }
        }
        let (zero, one, two) = (split.blocks[0], split.blocks[1], split.blocks[2])
        let own = target.place
        var got: Int64 = 0
        var looks = 0
        let budget = tries + 400
        func isOver(_ tries: Int) -> Bool { looks > Self.mostLooks || tries > min(budget, Self.mostTries) }
        // Upwards the mirrors in one block give, and the one in all three; downwards the mirrors in two.
        let outer = board.donors(crossing, agreeing: sign > 0 ? .!zero : .!(zero .| one), with: own)
        let last = sign > 0 ? board.donors(crossing, agreeing: .!two, with: own) : []
        for first in outer where got < wanted && !isOver(tries) {
            let x = board.grid.places[Int(first)]
            let inner = board.donors(
                crossing, agreeing: sign > 0 ? .!one : .!two, with: sign > 0 ? own : x.replacing(with: own, where: one))
            for second in inner where got < wanted && !isOver(tries) {
                if change.rest(of: first) <= 0 { break }
                let y = board.grid.places[Int(second)]
                looks += 1
                if change.rest(of: second) <= 0 { continue }
                if sign < 0 {
                    // x is the mirror in the first two blocks, y in the first and the last.
                    let far = x.replacing(with: y, where: two)
                    if change.rest(at: far.replacing(with: own, where: zero)) > 0 {
                        got += corners(target, far, split, wanted - got, sign: -1)
                    }
                    continue
                }
                for third in last where got < wanted && !isOver(tries) {
                    if change.rest(of: first) <= 0 || change.rest(of: second) <= 0 { break }
                    looks += 1
                    let far = x.replacing(with: y, where: one)
                        .replacing(with: board.grid.places[Int(third)], where: two)
                    if change.rest(of: third) > 0, change.rest(at: far) > 0 {
                        got += corners(target, far, split, wanted - got, sign: 1)
                    }
                }
            }
        }
        return got
    }

    private mutating func corners(
        _ target: Target, _ far: LeafGrid.Place, _ split: SwitchSplit, _ wanted: Int64, sign: Int
    ) -> Int64 {
        var steps: [(place: LeafGrid.Place, sign: Int)] = []
        for number in 0..<8 {
            var place = target.place
            var flips = 0
            for block in 0..<3 where number & (1 << block) != 0 {
                place = place.replacing(with: far, where: split.blocks[block])
                flips += 1
            }
            steps.append((place, flips.isMultiple(of: 2) ? sign : -sign))
        }
        return take(target, steps, wanted, sign: sign)
    }

    // MARK: Down

    /// - Parameter target: a single leaf's place.
    private mutating func lower(_ target: Target, by most: Int64) -> Int64 {
        let wanted = min(most, change.rest(at: target.place))
        guard wanted > 0 else { return 0 }
        if board.isFree(target.place) {
            change.add(-wanted, at: target.place)
            return wanted
        }
        var got: Int64 = 0
        for split in splits(for: target.lanes) {
            if got >= wanted || tries > Self.mostTries { break }
            switch split.blocks.count {
            case 1, 2:
                var misses = 0
                let crossing = split.crossing[0] | (split.crossing.count > 1 ? split.crossing[1] : 0)
                for other in board.donors(crossing, agreeing: split.fixed, with: target.place).prefix(400) {
                    if got >= wanted || misses > 200 { break }
                    let across = board.grid.places[Int(other)]
                    let left = target.place.replacing(with: across, where: split.blocks[0])
                    var steps: [(place: LeafGrid.Place, sign: Int)] = [(target.place, -1), (left, 1)]
                    if split.blocks.count == 2 {
                        steps += [(across, -1), (target.place.replacing(with: across, where: split.blocks[1]), 1)]
                    }
                    let taken = take(target, steps, wanted - got, sign: -1)
                    if taken == 0 { misses += 1 }
                    got += taken
                }
            default: got += cube(target, split, wanted - got, sign: -1)
            }
        }
        return got
    }

    // MARK: One switch

    /// Adds a switch as often as there is room, at most so that the cell moves as far as wanted.
    ///
    /// - Returns: how far the cell moved.
    private mutating func take(
        _ target: Target, _ steps: [(place: LeafGrid.Place, sign: Int)], _ wanted: Int64, sign: Int
    ) -> Int64 {
        tries += 1
        var room = wanted
        var net = 0
        for (index, step) in steps.enumerated() {
            for other in steps[..<index] where other.place == step.place { return 0 }
            if step.sign < 0 {
                room = min(room, change.rest(at: step.place))
            } else if !mayHold(step.place) {
                return 0
            }
            if target.holds(step.place, in: board.grid) { net += step.sign }
        }
        guard room > 0, net == sign, board.isBalanced(steps) else { return 0 }
        for step in steps { change.add(room * Int64(step.sign), at: step.place) }
        return room
    }
}
