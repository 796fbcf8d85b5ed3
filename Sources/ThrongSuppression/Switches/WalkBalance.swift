/// Which published cells a walk has put out of balance, and by how much.
struct WalkBalance {
    /// By grouping, by cell.
    private var nets: [[Int32]]
    private var touched: [(grouping: Int, cell: Int)] = []
    /// By grouping, how many axes it keeps.
    private let kept: [Int]

    init(_ grid: LeafGrid) {
        nets = grid.groupings.prefix(grid.shownCount).map { Array(repeating: 0, count: $0.cellCount) }
        kept = grid.groupings.map { $0.groups.count { $0 != nil } }
    }

    func net(_ grouping: Int, _ cell: Int) -> Int32 { nets[grouping][cell] }

    /// Notes a step.
    mutating func add(_ place: LeafGrid.Place, _ sign: Int32, on board: SwitchBoard) {
        for number in board.active {
            guard let cell = board.shownCell(of: place, number) else { continue }
            if nets[number][cell] == 0 { touched.append((number, cell)) }
            nets[number][cell] += sign
        }
    }

    /// By how much a step puts published cells out of balance, less what it settles.
    func cost(of place: LeafGrid.Place, _ sign: Int32, on board: SwitchBoard) -> Int {
        var result = 0
        for number in board.active {
            guard let cell = board.shownCell(of: place, number) else { continue }
            let net = nets[number][cell]
            result += Int(abs(net + sign) - abs(net))
        }
        return result
    }

    /// One of the cells out of balance that keep most axes: they leave least choice. Nil where all is in balance.
    mutating func finest(on board: SwitchBoard, using random: inout SecretGenerator) -> (grouping: Int, cell: Int)? {
        touched.removeAll { nets[$0.grouping][$0.cell] == 0 }
        let most = touched.map { kept[$0.grouping] }.max() ?? 0
        return touched.filter { kept[$0.grouping] == most }.randomElement(using: &random)
    }

    /// Forgets all steps.
    mutating func clear() {
        for place in touched { nets[place.grouping][place.cell] = 0 }
        touched.removeAll(keepingCapacity: true)
    }
}
