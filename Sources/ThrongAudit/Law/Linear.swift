internal import Foundation

/// Small systems of equations.
enum Linear {
    /// Returns a row for each set of events: 1 for each event that is in it, 0 for each other.
    static func rows(of sets: [Set<String>]) -> [[Double]] {
        let events = sets.reduce(into: Set<String>()) { $0.formUnion($1) }.sorted()
        return sets.map { set in events.map { set.contains($0) ? 1 : 0 } }
    }

    /// Returns AᵀWA for rows A and weights W.
    static func normal(_ rows: [[Double]], _ weights: [Double]) -> [[Double]] {
        let columns = rows.first?.indices ?? 0..<0
        return columns.map { one in
            columns.map { other in rows.indices.reduce(0) { $0 + rows[$1][one] * rows[$1][other] * weights[$1] } }
        }
    }

    /// Solves a system that has a solution, though perhaps several, any of which will do. Nil if none is found.
    ///
    /// - Complexity: O(unknowns³).
    static func solve(_ system: [[Double]], _ values: [Double]) -> (solution: [Double], rank: Int)? {
        var (matrix, right) = (system, values)
        let count = right.count
        let scale = matrix.flatMap { $0 }.map { abs($0) }.max() ?? 0
        let size = right.map { abs($0) }.max() ?? 0
        var pivots: [Int] = []
        for column in 0..<count where pivots.count < count {
            let row = pivots.count
            guard let best = (row..<count).max(by: { abs(matrix[$0][column]) < abs(matrix[$1][column]) }),
                abs(matrix[best][column]) > 1e-10 * scale
            else { continue }
            matrix.swapAt(row, best)
            right.swapAt(row, best)
            for other in 0..<count where other != row {
                let factor = matrix[other][column] / matrix[row][column]
                guard factor != 0 else { continue }
                for place in column..<count { matrix[other][place] -= factor * matrix[row][place] }
                right[other] -= factor * right[row]
            }
            pivots.append(column)
        }
        guard right[pivots.count...].allSatisfy({ abs($0) <= 1e-6 * max(1, size) }) else { return nil }
        var solution = Array(repeating: 0.0, count: count)
        for (place, column) in pivots.enumerated() { solution[column] = right[place] / matrix[place][column] }
        return (solution, pivots.count)
    }

    /// Returns the squared distance of numbers from what events allow, in variances, and its freedom.
    static func residual(_ values: [Double], _ rows: [[Double]], variances: [Double]) -> (sum: Double, freedom: Int)? {
        let weights = variances.map { 1 / $0 }
        let right = (rows.first?.indices ?? 0..<0).map { column in
            rows.indices.reduce(0.0) { $0 + rows[$1][column] * weights[$1] * values[$1] }
        }
        guard let (solution, rank) = solve(normal(rows, weights), right) else { return nil }
        var sum = 0.0
        for (place, row) in rows.enumerated() {
            let rest = values[place] - zip(row, solution).reduce(0) { $0 + $1.0 * $1.1 }
            sum += rest * rest * weights[place]
        }
        return (sum, rows.count - rank)
    }
}

/// A sum of squares, to be judged by whether it is as large as chance makes it.
struct ChiSquare {
    private(set) var sum = 0.0
    private(set) var freedom = 0

    /// Adds independent squares, in units of their variances.
    mutating func add(_ sum: Double, freedom: Int) {
        self.sum += sum
        self.freedom += freedom
    }

    /// The sum as a standard normal number (Wilson and Hilferty 1931).
    var normal: Double {
        guard freedom > 0 else { return 0 }
        let spread = 2 / (9 * Double(freedom))
        return (cbrt(sum / Double(freedom)) - (1 - spread)) / spread.squareRoot()
    }

    /// True if a sum this small was to be expected less than once in 300,000 audits.
    var isTooSmall: Bool { normal < -4.5 }

    /// True if there are enough squares that a sum of 0 would have been noticed.
    var isTelling: Bool { freedom >= 6 }
}
