/// A change of a table under way: what leaves and empty places gain and lose.
struct SwitchChange {
    private let grid: LeafGrid
    private let values: [Int64]
    private var moved: [Int64]
    private var touched: [UInt32] = []
    private var arrived: [LeafGrid.Place: Int64] = [:]

    init(_ grid: LeafGrid, values: [Int64]) {
        self.grid = grid
        self.values = values
        moved = Array(repeating: 0, count: values.count)
    }

    /// What a leaf has left.
    func rest(of leaf: UInt32) -> Int64 { values[Int(leaf)] + moved[Int(leaf)] }

    /// What a place has left.
    func rest(at place: LeafGrid.Place) -> Int64 { grid.leaf(at: place).map { rest(of: $0) } ?? arrived[place] ?? 0 }

    /// Adds to a place, which has enough left and may hold it.
    mutating func add(_ amount: Int64, at place: LeafGrid.Place) {
        if let leaf = grid.leaf(at: place) {
            if moved[Int(leaf)] == 0 { touched.append(leaf) }
            moved[Int(leaf)] += amount
        } else {
            arrived[place, default: 0] += amount
        }
    }

    /// Gives the change back, and starts anew.
    mutating func finish() -> (
        changes: [SuppressionPattern.Witness.Change], arrivals: [SuppressionPattern.Witness.Arrival]
    ) {
        var changes: [SuppressionPattern.Witness.Change] = []
        for leaf in touched.sorted() where moved[Int(leaf)] != 0 {
            changes.append(.init(leaf: LeafIndex(leaf), amount: moved[Int(leaf)]))
            moved[Int(leaf)] = 0
        }
        let arrivals = arrived.filter { $0.value != 0 }.map {
            SuppressionPattern.Witness.Arrival(place: $0.key, amount: $0.value)
        }
        .sorted { grid.key(of: $0.place) < grid.key(of: $1.place) }
        touched.removeAll(keepingCapacity: true)
        arrived.removeAll(keepingCapacity: true)
        return (changes, arrivals)
    }
}
