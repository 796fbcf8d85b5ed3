extension SwitchClimber {
    /// Layers that are tried for one cell.
    private static let mostLayers = 64

    /// Moves a cell by flows: where only two dimensions change, what rows and columns gain and lose in cells that nobody
    /// sees is a circulation, and the most that one of them can move is a maximum flow (Ford and Fulkerson 1956).
    ///
    /// - Returns: how far the cell moved.
    mutating func flow(_ target: Target, by wanted: Int64, sign: Int) -> Int64 {
        let kept = board.grid.sizes.indices.filter { target.lanes[$0] }
        var got: Int64 = 0
        for (place, first) in kept.enumerated() {
            for second in kept.dropFirst(place + 1) {
                for origin in layers(of: target, first, second, sign: sign) {
                    if got >= wanted { return got }
                    got += push(target, through: origin, FlowLayer(board, origin, first, second), wanted - got, sign)
                }
            }
        }
        return got
    }

    /// The cell's places to move, a layer each: one for each combination of what the cell does not keep.
    private mutating func layers(of target: Target, _ first: Int, _ second: Int, sign: Int) -> [LeafGrid.Place] {
        let isLeaf = board.grid.sizes.indices.allSatisfy { target.lanes[$0] }
        if isLeaf { return [target.place] }
        if sign < 0 { return target.leaves.prefix(Self.mostLayers).map { board.grid.places[Int($0)] } }
        var lanes = target.lanes
        lanes[second] = false
        var seen: Set<LeafGrid.Place> = []
        var result: [LeafGrid.Place] = []
        for donor in board.donors(0, agreeing: lanes, with: target.place) {
            let place = board.grid.places[Int(donor)].replacing(with: target.place, where: target.lanes)
            if seen.insert(place).inserted { result.append(place) }
            if result.count == Self.mostLayers { break }
        }
        return result
    }

    /// Pushes as much as there is room for through one place of a layer.
    private mutating func push(
        _ target: Target, through origin: LeafGrid.Place, _ layer: FlowLayer, _ wanted: Int64, _ sign: Int
    ) -> Int64 {
        guard mayHold(origin), layer.isOpen(origin, on: board) else { return 0 }
        var wanted = sign < 0 ? min(wanted, rest(at: origin)) : wanted
        var got: Int64 = 0
        var amount = wanted
        while wanted > 0, amount > 0 {
            guard let path = layer.path(around: origin, of: target, sign, amount, self) else {
                amount /= 2
                continue
            }
            commit(Int64(sign) * amount, at: origin)
            for step in path { commit(Int64(step.sign) * amount, at: step.place) }
            got += amount
            wanted -= amount
            amount = min(amount, wanted)
        }
        return got
    }
}

/// All places that differ from one in two dimensions only, as a network: its rows and columns are nodes, its places are
/// edges that lead from the row to the column where they gain and back where they lose.
///
/// Where a row's sum is published it has to stay; of other rows what one gains another may lose, over a hub.
struct FlowLayer {
    let first: Int
    let second: Int
    private let rows: Int
    private let columns: Int
    /// Groupings that keep both dimensions.
    private let crossing: [Int]
    /// By row, then by column: nothing published would change with its sum.
    private let isFree: [Bool]
    /// Nothing published would change with the sum of all.
    private let isHubFree: Bool

    init(_ board: SwitchBoard, _ origin: LeafGrid.Place, _ first: Int, _ second: Int) {
        self.first = first
        self.second = second
        let (rows, columns) = (board.grid.sizes[first], board.grid.sizes[second])
        self.rows = rows
        self.columns = columns
        var crossing: [Int] = []
        var isFree = Array(repeating: true, count: rows + columns)
        var isHubFree = true
        for number in board.active {
            let kept = board.grid.groupings[number].kept
            var place = origin
            switch (kept[first], kept[second]) {
            case (true, true): crossing.append(number)
            case (true, false):
                for row in 0..<rows where isFree[row] {
                    place[first] = Int32(row)
                    if board.shownCell(of: place, number) != nil { isFree[row] = false }
                }
            case (false, true):
                for column in 0..<columns where isFree[rows + column] {
                    place[second] = Int32(column)
                    if board.shownCell(of: place, number) != nil { isFree[rows + column] = false }
                }
            case (false, false): if board.shownCell(of: place, number) != nil { isHubFree = false }
            }
        }
        self.crossing = crossing
        self.isFree = isFree
        self.isHubFree = isHubFree
    }

    /// Whether no published cell but those of its row and column would change with a place.
    func isOpen(_ place: LeafGrid.Place, on board: SwitchBoard) -> Bool {
        crossing.allSatisfy { board.shownCell(of: place, $0) == nil }
    }

    /// The fewest places that make up for an amount more, or less, at a place of the layer.
    func path(
        around origin: LeafGrid.Place, of target: SwitchClimber.Target, _ sign: Int, _ amount: Int64,
        _ climber: SwitchClimber
    ) -> [(place: LeafGrid.Place, sign: Int)]? {
        let hubs = (rows + columns, rows + columns + 1)
        let (row, column) = (Int(origin[first]), rows + Int(origin[second]))
        let (start, end) = sign > 0 ? (column, row) : (row, column)
        var parent = Array(repeating: -1, count: rows + columns + 2)
        parent[start] = start
        var queue = [start]
        var next = 0
        func visit(_ node: Int, from: Int) {
            if parent[node] < 0 {
                parent[node] = from
                queue.append(node)
            }
        }
        var place = origin
        search: while next < queue.count {
            let node = queue[next]
            next += 1
            switch node {
            case hubs.0:
                for other in 0..<rows where isFree[other] { visit(other, from: node) }
                if isHubFree { visit(hubs.1, from: node) }
            case hubs.1:
                for other in rows..<rows + columns where isFree[other] { visit(other, from: node) }
                if isHubFree { visit(hubs.0, from: node) }
            default:
                let gains = node < rows
                place[gains ? first : second] = Int32(gains ? node : node - rows)
                for other in 0..<(gains ? columns : rows) {
                    let neighbour = gains ? rows + other : other
                    if parent[neighbour] >= 0 { continue }
                    place[gains ? second : first] = Int32(other)
                    if target.holds(place, in: climber.board.grid) || !isOpen(place, on: climber.board) { continue }
                    guard gains ? climber.mayHold(place) : climber.rest(at: place) >= amount else { continue }
                    visit(neighbour, from: node)
                    if neighbour == end { break search }
                }
                if isFree[node] { visit(gains ? hubs.0 : hubs.1, from: node) }
            }
        }
        guard parent[end] >= 0 else { return nil }
        var steps: [(place: LeafGrid.Place, sign: Int)] = []
        var node = end
        while node != start {
            let from = parent[node]
            if node < hubs.0, from < hubs.0 {
                let (row, column) = from < rows ? (from, node - rows) : (node, from - rows)
                place[first] = Int32(row)
                place[second] = Int32(column)
                steps.append((place, from < rows ? 1 : -1))
            }
            node = from
        }
        return steps
    }
}
