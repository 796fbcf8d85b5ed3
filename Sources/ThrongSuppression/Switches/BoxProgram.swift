/// Looks for a witness among the places of a box by a linear program, and for the published cells that have to go for it.
///
/// Outside of the box nothing moves, so that a published cell is left alone if its part of the box is. A cell that may be
/// hidden has a price for each unit that it moves by; a second program with prices by what the first one used makes it
/// settle on few cells (Candès, Wakin and Boyd 2008).
struct BoxProgram {
    private let board: SwitchBoard
    private let places: [LeafGrid.Place]
    /// By place, its leaf; −1 where it is empty.
    private let leaves: [Int32]
    /// By place, the rows that it is in.
    private let rowsOfPlace: [[Int32]]
    /// By row, its grouping and cell.
    private let cells: [(grouping: Int, cell: Int)]
    /// By row: what it costs to hide it; nil where it must stay.
    private let prices: [Double?]
    /// By place: in the cell that is to be moved.
    private let isTarget: [Bool]

    /// What was found.
    struct Answer {
        let changes: [SuppressionPattern.Witness.Change]
        let arrivals: [SuppressionPattern.Witness.Arrival]
        /// Columns that it moves and that are published.
        let hides: [UInt32]

        func witness(_ measure: Int) -> SuppressionPattern.Witness {
            .init(measure: measure, changes: changes, arrivals: arrivals, proves: [])
        }
    }

    /// Lays a box out.
    ///
    /// - Parameters:
    ///   - box: by axis, its buckets.
    ///   - isTarget: whether a place is in the cell that is to be moved.
    ///   - price: by column; nil where it must stay published.
    init(
        _ board: SwitchBoard, box: [[Int32]], isTarget: (LeafGrid.Place) -> Bool, price: (UInt32) -> Double?
    ) {
        self.board = board
        var places = [LeafGrid.Place(repeating: 0)]
        for (axis, buckets) in box.enumerated() {
            places = places.flatMap { place in
                buckets.map { bucket in
                    var next = place
                    next[axis] = bucket
                    return next
                }
            }
        }
        var kept: [LeafGrid.Place] = []
        var leaves: [Int32] = []
        var lists: [[Int32]] = []
        var targets: [Bool] = []
        var rows: [Int: Int32] = [:]
        var cells: [(grouping: Int, cell: Int)] = []
        for place in places {
            let leaf = board.grid.leaf(at: place)
            guard leaf != nil || board.mayHold(place) else { continue }
            let target = isTarget(place)
            var own: [Int32] = []
            for number in board.active {
                guard let cell = board.shownCell(of: place, number) else { continue }
                let name = cell << 6 | number
                if let row = rows[name] {
                    own.append(row)
                } else {
                    let row = Int32(cells.count)
                    rows[name] = row
                    own.append(row)
                    cells.append((number, cell))
                }
            }
            if own.isEmpty && !target { continue }
            kept.append(place)
            leaves.append(leaf.map { Int32($0) } ?? -1)
            lists.append(own)
            targets.append(target)
        }
        self.places = kept
        self.leaves = leaves
        rowsOfPlace = lists
        self.isTarget = targets
        self.cells = cells
        prices = cells.map { cell in
            board.grid.groupings[cell.grouping].column(ofCell: cell.cell).flatMap { price($0) }
        }
    }

    /// Programs with other costs whose answers are tried together where none of them is in whole numbers.
    private static let tries: UInt64 = 3
    /// Places that move in parts up to which an integer program is tried: CBC ends a long one only between its nodes.
    private static let mostMoving = 600
    /// Places of which all are tried in an integer program.
    private static let fewPlaces = 400

    /// The cheapest change that moves the cell by a distance; nil where the box has none, or none in whole numbers was found.
    func solve(_ direction: Proof.Direction, by distance: Int64, budget: SolverBudget) -> Answer? {
        guard isTarget.contains(true) else { return nil }
        var weights = prices
        var rows: Set<Int32> = []
        var moving: Set<Int> = []
        for attempt in 0..<Self.tries {
            guard let found = relaxed(direction, distance, weights, budget, attempt) else { return nil }
            if attempt == 0, !found.used.isEmpty {
                for row in weights.indices {
                    guard let price = prices[row] else { continue }
                    weights[row] = price / ((found.used[Int32(row)] ?? 0) / Double(distance) + 0.05)
                }
                continue
            }
            if let answer = whole(found.amounts, direction, distance) { return answer }
            // What moves in parts of one mostly can move in whole ones, too, and a program of only that is small.
            rows.formUnion(found.used.keys)
            moving.formUnion(places.indices.filter { abs(found.amounts[$0]) > 1e-6 })
            if moving.count <= Self.mostMoving,
                let answer = integer(direction, distance, hiding: rows, among: moving.sorted(), budget)
            {
                return answer
            }
        }
        return places.count <= Self.fewPlaces
            ? integer(direction, distance, hiding: rows, among: Array(places.indices), budget) : nil
    }

    /// What can be said of a cell with all that is published.
    enum Attack {
        /// Some table moves it so far, in whole numbers.
        case proved(Answer)
        /// Some table does, in real numbers.
        case open
        /// No table does while all of these are published, whatever else may be hidden; each of them is needed for that.
        case bounded(by: [UInt32])
        /// The budget was used up.
        case undecided
    }

    /// Attacks a cell as somebody would who knows all cells that must stay published or are.
    ///
    /// Its answer holds for the whole cube if the box is all of it.
    ///
    /// - Complexity: a linear program, and as many as there are cells in a combination of rows that contradicts itself.
    func attack(_ direction: Proof.Direction, by distance: Int64, budget: SolverBudget) -> Attack {
        var bounding: Set<Int32> = []
        for attempt in 0..<Self.tries {
            switch contradiction(direction, distance, hiding: [], budget, attempt) {
            case .optimal(let solution):
                if let answer = whole(amounts(solution), direction, distance) { return .proved(answer) }
                if attempt + 1 == Self.tries { return .open }
                continue
            case .infeasible(let ray): bounding = mayHide(in: ray)
            case .undecided: return attempt == 0 ? .undecided : .open
            }
            break
        }
        let choice = Set(cells.indices.filter { prices[$0] != nil }.map { Int32($0) })
        // The dearest first: what is left in has to be hidden, one of it at least.
        for row in bounding.sorted(by: { (prices[Int($0)] ?? 0, $0) > (prices[Int($1)] ?? 0, $1) })
        where bounding.contains(row) {
            switch contradiction(direction, distance, hiding: choice.subtracting(bounding).union([row]), budget) {
            case .optimal: continue
            case .infeasible(let ray): bounding.formIntersection(mayHide(in: ray).subtracting([row]))
            case .undecided: return .undecided
            }
        }
        return .bounded(
            by: bounding.sorted().compactMap { row in
                let cell = cells[Int(row)]
                return board.grid.groupings[cell.grouping].column(ofCell: cell.cell)
            })
    }

    private func contradiction(
        _ direction: Proof.Direction, _ distance: Int64, hiding rows: Set<Int32>, _ budget: SolverBudget,
        _ attempt: UInt64 = 0
    ) -> CoinProgram.LinearAnswer {
        let answer = program(
            direction, distance, hiding: rows, among: Array(places.indices), attempt, atMost: .infinity
        ).solveLinear(budget)
        // CLP does not always say why: then nothing can be learned from it.
        if case .infeasible(let ray) = answer, ray.count != cells.count + 1 { return .undecided }
        return answer
    }

    private func mayHide(in ray: [Double]) -> Set<Int32> {
        Set(cells.indices.filter { prices[$0] != nil && abs(ray[$0]) > 1e-9 }.map { Int32($0) })
    }

    private func amounts(_ solution: [Double]) -> [Double] {
        places.indices.map { solution[2 * $0] - solution[2 * $0 + 1] }
    }

    // MARK: Programs

    private func relaxed(
        _ direction: Proof.Direction, _ distance: Int64, _ weights: [Double?], _ budget: SolverBudget,
        _ attempt: UInt64
    ) -> (amounts: [Double], used: [Int32: Double])? {
        var program = self.program(direction, distance, hiding: [], among: Array(places.indices), attempt)
        let first = program.columnLower.count
        var owners: [Int32] = []
        for (row, weight) in weights.enumerated() {
            guard let weight else { continue }
            for sign in [1.0, -1.0] {
                program.addColumn(
                    lower: 0, upper: Double(distance) * 4, cost: 100 * weight / Double(distance),
                    entries: [(row, sign)])
                owners.append(Int32(row))
            }
        }
        guard case .optimal(let solution) = program.solveLinear(budget) else { return nil }
        var used: [Int32: Double] = [:]
        for (place, row) in owners.enumerated() where solution[first + place] > 1e-6 {
            used[row, default: 0] += solution[first + place]
        }
        return (amounts(solution), used)
    }

    private func integer(
        _ direction: Proof.Direction, _ distance: Int64, hiding rows: Set<Int32>, among chosen: [Int],
        _ budget: SolverBudget
    ) -> Answer? {
        let program = program(direction, distance, hiding: rows, among: chosen, 0)
        var budget = budget
        budget.isFirstEnough = rows.isEmpty
        guard let solution = program.solveInteger(budget).solution else { return nil }
        var amounts = Array(repeating: 0.0, count: places.count)
        for (index, place) in chosen.enumerated() { amounts[place] = solution[2 * index] - solution[2 * index + 1] }
        return whole(amounts, direction, distance)
    }

    /// Two columns a place: what it gains and what it loses. A row a published cell, and last the cell that is to be moved.
    ///
    /// - Parameters:
    ///   - chosen: the places that may move.
    ///   - attempt: all moves cost the same in the first one; in others they differ, so that another vertex is the cheapest.
    ///   - limit: how far one place may move; nil for some times the distance.
    private func program(
        _ direction: Proof.Direction, _ distance: Int64, hiding rows: Set<Int32>, among chosen: [Int],
        _ attempt: UInt64, atMost limit: Double? = nil
    ) -> CoinProgram {
        var program = CoinProgram()
        for row in cells.indices {
            let isFree = rows.contains(Int32(row))
            program.addRow(lower: isFree ? -.infinity : 0, upper: isFree ? .infinity : 0)
        }
        program.addRow(lower: Double(distance), upper: .infinity)
        let most = limit ?? Double(distance) * 4
        var random = SecretGenerator(seed: attempt)
        for place in chosen {
            let cost = attempt == 0 ? 0.01 : Double.random(in: 0.005..<0.015, using: &random)
            for sign in [1.0, -1.0] {
                let held = leaves[place] >= 0 ? Double(board.values[Int(leaves[place])]) : 0
                var entries = rowsOfPlace[place].map { (row: Int($0), coefficient: sign) }
                if isTarget[place] {
                    entries.append((cells.count, direction == .up ? sign : -sign))
                }
                program.addColumn(lower: 0, upper: sign > 0 ? most : min(most, held), cost: cost, entries: entries)
            }
        }
        return program
    }

    /// An answer in whole numbers, if it holds exactly.
    private func whole(_ amounts: [Double], _ direction: Proof.Direction, _ distance: Int64) -> Answer? {
        var sums = Array(repeating: Int64(0), count: cells.count)
        var moved: Int64 = 0
        var changes: [SuppressionPattern.Witness.Change] = []
        var arrivals: [SuppressionPattern.Witness.Arrival] = []
        for (place, amount) in amounts.enumerated() {
            let rounded = amount.rounded()
            guard abs(rounded - amount) < 1e-5 else { return nil }
            let step = Int64(rounded)
            if step == 0 { continue }
            for row in rowsOfPlace[place] { sums[Int(row)] += step }
            if isTarget[place] { moved += step }
            if leaves[place] >= 0 {
                guard board.values[Int(leaves[place])] + step >= 0 else { return nil }
                changes.append(.init(leaf: LeafIndex(UInt32(leaves[place])), amount: step))
            } else {
                guard step > 0 else { return nil }
                arrivals.append(.init(place: places[place], amount: step))
            }
        }
        guard (direction == .up ? moved : -moved) >= distance else { return nil }
        var hides: [UInt32] = []
        for (row, sum) in sums.enumerated() where sum != 0 {
            guard prices[row] != nil,
                let column = board.grid.groupings[cells[row].grouping].column(ofCell: cells[row].cell)
            else { return nil }
            hides.append(column)
        }
        return Answer(
            changes: changes.sorted { $0.leaf < $1.leaf },
            arrivals: arrivals.sorted { board.grid.key(of: $0.place) < board.grid.key(of: $1.place) }, hides: hides)
    }
}
