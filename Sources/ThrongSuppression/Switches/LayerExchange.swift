/// Moves many cells of a table at once, by flows of least cost.
///
/// Two layers are all places that differ from two anchors in two dimensions only. What a place of the one gains the place
/// across loses, so that whatever is summed over both stays. Sums over a row or a column of one layer stay where rows and
/// columns of what moves are in balance: that is a circulation, and the best of all circulations is found at once, in whole
/// numbers (Ford and Fulkerson 1962). A single layer is the same without anything across.
struct LayerExchange {
    let grid: LeafGrid
    /// By leaf: what is there in truth.
    private let truth: [Int64]
    /// By place of the whole cube: what is there.
    var held: [Int64]
    /// By place: whether it may gain.
    let mayGain: [Bool]
    /// By place: what is wanted there.
    private(set) var wishes: [Wish]
    /// Places of wishes, some more than once.
    private(set) var wished: [Int] = []
    /// What was moved for the sake of some places only, since the last ``undo()``.
    var moved: [Move] = []
    /// By axis: by how much a place's key rises from one bucket to the next.
    let weights: [Int]

    typealias Move = (key: Int, amount: Int64)

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

    /// What a unit in a cell is worth to it, as a power of two.
    private static let nearest: Int64 = 30
    /// More than anything holds.
    private static let plenty: Int64 = 1 << 40
    /// Places of a cube at most.
    static let mostPlaces = 1 << 22

    /// Starts from the true table; nil where the cube has too many places.
    init?(_ grid: LeafGrid, _ measure: AdditiveMeasure) {
        guard grid.sizes.reduce(1.0, { $0 * Double($1) }) <= Double(Self.mostPlaces) else { return nil }
        self.grid = grid
        truth = measure.values
        let count = grid.sizes.reduce(1, *)
        var weights = Array(repeating: 1, count: grid.sizes.count)
        for axis in grid.sizes.indices.dropLast().reversed() {
            weights[axis] = weights[axis + 1] * grid.sizes[axis + 1]
        }
        self.weights = weights
        held = Array(repeating: 0, count: count)
        for (leaf, place) in grid.places.enumerated() { held[Int(grid.key(of: place))] = truth[leaf] }
        var mayGain = Array(repeating: measure.mayArrive, count: count)
        if measure.mayArrive {
            for key in 0..<count where !grid.isPossible(Self.place(key, grid.sizes)) { mayGain[key] = false }
        }
        for place in grid.places { mayGain[Int(grid.key(of: place))] = true }
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
    func amount(at place: LeafGrid.Place) -> Int64 { held[Int(grid.key(of: place))] }

    /// Goes on from another table.
    mutating func add(_ witness: SuppressionPattern.Witness) {
        for change in witness.changes {
            held[Int(grid.key(of: grid.places[Int(change.leaf.value)]))] += change.amount
        }
        for arrival in witness.arrivals { held[Int(grid.key(of: arrival.place))] += arrival.amount }
    }

    /// Wants nothing anywhere.
    mutating func forgetWishes() {
        for key in wished { wishes[key] = .none }
        wished.removeAll(keepingCapacity: true)
    }

    /// Wants what there is in truth, everywhere.
    mutating func wishTruth() {
        wished = Array(wishes.indices)
        for key in wishes.indices { wishes[key] = .meet(0, worth: 1) }
        for (leaf, place) in grid.places.enumerated() {
            wishes[Int(grid.key(of: place))] = .meet(truth[leaf], worth: 1)
        }
    }

    /// Wants something at a place, instead of what was wanted there before.
    mutating func wish(_ wish: Wish, at place: LeafGrid.Place) {
        let key = Int(grid.key(of: place))
        wishes[key] = wish
        wished.append(key)
    }

    /// Wants as much as can be in a cell, and less so elsewhere the farther it is from there; or nobody in the cell, and the
    /// others anywhere.
    ///
    /// What a place may gain in an exchange its own lines must hold already: to raise one far, those are filled first.
    ///
    /// - Parameter isWide: whether anything is wanted elsewhere than in the lines of the cell's leaves.
    mutating func wish(
        _ direction: Proof.Direction, at leaves: [LeafGrid.Place], _ grouping: LeafGrid.Grouping, isWide: Bool,
        using random: inout SecretGenerator
    ) {
        func wish(_ distance: Int) -> Wish {
            switch direction {
            case .up: .reach(Self.plenty, worth: 1 << max(0, Self.nearest - 6 * Int64(distance)))
            case .down where distance == 0: .stayUnder(0, worth: 1 << Self.nearest)
            case .down: .reach(Self.plenty, worth: .random(in: 0..<1024, using: &random))
            }
        }
        forgetWishes()
        if isWide, let center = leaves.first {
            wished = Array(wishes.indices)
            for key in wishes.indices {
                wishes[key] = wish(grouping.distance(Self.place(key, grid.sizes), from: center))
            }
            return
        }
        for leaf in leaves {
            for axis in grid.sizes.indices {
                for bucket in 0..<Int32(grid.sizes[axis]) {
                    var place = leaf
                    place[axis] = bucket
                    self.wish(wish(1), at: place)
                }
            }
        }
        for leaf in leaves { self.wish(wish(0), at: leaf) }
    }

    /// Takes back what was moved for the sake of some places only.
    mutating func undo() {
        for move in moved { held[move.key] -= move.amount }
        moved.removeAll(keepingCapacity: true)
    }

    /// How the table differs from what it was when nothing had been moved for the sake of some places only.
    func witnessOfMoves(_ measure: Int) -> SuppressionPattern.Witness {
        var amounts: [Int: Int64] = [:]
        for move in moved { amounts[move.key, default: 0] += move.amount }
        var changes: [SuppressionPattern.Witness.Change] = []
        var arrivals: [SuppressionPattern.Witness.Arrival] = []
        for (key, amount) in amounts.sorted(by: { $0.key < $1.key }) where amount != 0 {
            let place = Self.place(key, grid.sizes)
            if let leaf = grid.leaf(at: place) {
                changes.append(.init(leaf: LeafIndex(leaf), amount: amount))
            } else {
                arrivals.append(.init(place: place, amount: amount))
            }
        }
        return .init(measure: measure, changes: changes.sorted { $0.leaf < $1.leaf }, arrivals: arrivals, proves: [])
    }

    /// How the table differs from the true one.
    func witness(_ measure: Int) -> SuppressionPattern.Witness {
        var changes: [SuppressionPattern.Witness.Change] = []
        var rest = held
        for (leaf, place) in grid.places.enumerated() {
            let key = Int(grid.key(of: place))
            rest[key] = 0
            if held[key] != truth[leaf] {
                changes.append(.init(leaf: LeafIndex(UInt32(leaf)), amount: held[key] - truth[leaf]))
            }
        }
        let arrivals = rest.indices.filter { rest[$0] != 0 }.map {
            SuppressionPattern.Witness.Arrival(place: Self.place($0, grid.sizes), amount: rest[$0])
        }
        return .init(measure: measure, changes: changes, arrivals: arrivals, proves: [])
    }
}
