/// The linear program over circuits while it is being made: for each circuit what it may do, and what stops it.
struct CircuitBoard {
    /// The most that each circuit may go up and down for the leaves that it alone moves.
    private var most: [Int64]
    private var least: [Int64]
    /// The leaf that stops each circuit on its way up and down; an amount of zero where none does.
    private var stopsUp: [TableChange.Step]
    private var stopsDown: [TableChange.Step]
    var cost: [Double]
    /// The coefficients of each circuit.
    var entries: [[(row: Int, coefficient: Double)]]
    /// The leaves that several circuits move, in the order of the rows; the goal is one row more.
    private(set) var leafOfRow: [UInt32] = []
    private var rowOfLeaf: [UInt32: Int] = [:]
    /// The change of the cell by each circuit, in the direction of the goal.
    var reduced: [Double]
    var program = CoinProgram()

    init(circuits count: Int) {
        most = Array(repeating: Int64.max, count: count)
        least = Array(repeating: Int64.max, count: count)
        stopsUp = Array(repeating: TableChange.Step(leaf: 0, amount: 0), count: count)
        stopsDown = stopsUp
        cost = Array(repeating: 0.01, count: count)
        entries = Array(repeating: [], count: count)
        reduced = Array(repeating: 0.0, count: count)
    }

    /// Bounds a circuit by a leaf that no other moves.
    ///
    /// - Parameter room: the most that the circuit may move before the leaf is negative.
    mutating func stop(_ place: Int, by step: TableChange.Step, room: Int64) {
        if step.amount < 0, room < most[place] {
            most[place] = room
            stopsUp[place] = step
        } else if step.amount > 0, room < least[place] {
            least[place] = room
            stopsDown[place] = step
        }
    }

    /// Adds a circuit's step to the row of a leaf that several circuits move.
    ///
    /// - Parameter held: the leaf's value, in the unit in whose multiples leaves move.
    mutating func add(_ step: TableChange.Step, of place: Int, held: Int64) {
        let row: Int
        if let known = rowOfLeaf[step.leaf] {
            row = known
        } else {
            row = leafOfRow.count
            rowOfLeaf[step.leaf] = row
            leafOfRow.append(step.leaf)
            program.addRow(lower: -Double(held), upper: .infinity)
        }
        entries[place].append((row, Double(step.amount)))
    }

    /// Adds two variables for each circuit, one for each direction.
    mutating func addColumns() {
        for direction in [1.0, -1.0] {
            for place in entries.indices {
                let room = direction > 0 ? most[place] : least[place]
                program.addColumn(
                    lower: 0, upper: room == .max ? .infinity : Double(room), cost: cost[place],
                    entries: direction > 0 ? entries[place] : entries[place].map { ($0.row, -$0.coefficient) })
            }
        }
    }

    /// Returns the leaves that stop the cell because they can't be negative: Farkas' multipliers, and for each circuit
    /// that they leave unbalanced the one leaf that stops it.
    func blame(_ ray: [Double]) -> CircuitProgram.Outcome {
        let goal = leafOfRow.count
        guard abs(ray[goal]) > 1e-9 else { return .undecided }
        let weights = ray.map { $0 / ray[goal] }
        var result: [(leaf: UInt32, weight: Double)] = []
        for (row, leaf) in leafOfRow.enumerated() where weights[row] > 1e-7 { result.append((leaf, weights[row])) }
        for place in entries.indices {
            var rest = reduced[place]
            for entry in entries[place] where entry.row != goal && weights[entry.row] > 1e-7 {
                rest += weights[entry.row] * entry.coefficient
            }
            guard abs(rest) > 1e-7 else { continue }
            let stop = rest > 0 ? stopsUp[place] : stopsDown[place]
            guard stop.amount != 0 else { return .undecided }
            result.append((stop.leaf, abs(rest / Double(stop.amount))))
        }
        return .bounded(result)
    }
}
