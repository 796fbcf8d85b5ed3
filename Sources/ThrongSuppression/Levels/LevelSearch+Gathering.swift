extension LevelSearch {
    /// Sweeps after which a cell that has not reached what it needs is left.
    private static let mostSweeps = (narrow: 80, wide: 12)
    /// Leaves of a cell that is gathered for: a dominated one may have very many.
    private static let mostLeaves = 400
    /// Sweeps after which others want other places, where a cell is to be emptied.
    private static let sweepsOfWish = 3

    /// A witness by exchanges that gather what there is in a need's cell, or bring it elsewhere: from the true table, so that
    /// it moves little else.
    ///
    /// - Parameters:
    ///   - tables: by measure, the true ones, and again so afterwards.
    ///   - isWide: whether all layers exchange, so that lines far from the cell are filled first; else those through its leaves,
    ///     each time with others.
    ///   - end: when nothing is looked for any more.
    func gathered(
        _ need: Int, on board: SwitchBoard, from tables: inout [LayerExchange?], isWide: Bool,
        until end: ContinuousClock.Instant
    ) -> SuppressionPattern.Witness? {
        let proof = store.needs[need]
        let column = Int(proof.column)
        guard let number = grid.groupingOfColumn[column], problem.columns[column].count <= Self.mostLeaves else {
            return nil
        }
        let leaves = problem.columns[column].map { grid.places[Int($0)] }
        let goal = goal(of: need)
        var random = SecretGenerator(seed: UInt64(need))
        func gather(in table: inout LayerExchange) -> Bool {
            for sweep in 0..<(isWide ? Self.mostSweeps.wide : Self.mostSweeps.narrow)
            where ContinuousClock().now < end {
                if sweep == 0 || proof.direction == .down && sweep.isMultiple(of: Self.sweepsOfWish) {
                    table.wish(proof.direction, at: leaves, grid.groupings[number], isWide: isWide, using: &random)
                }
                table.sweep(on: board, through: isWide ? nil : leaves, isParallel: false, using: &random)
                let held = leaves.reduce(0) { $0 + table.amount(at: $1) }
                if proof.direction == .up ? held >= goal : held <= goal { return true }
            }
            return false
        }
        if isWide {
            guard var table = tables[proof.measure], gather(in: &table) else { return nil }
            return table.witness(proof.measure)
        }
        guard var table = tables[proof.measure] else { return nil }
        // So that there is one of it, and nothing is copied.
        tables[proof.measure] = nil
        defer {
            table.undo()
            tables[proof.measure] = table
        }
        return gather(in: &table) ? table.witnessOfMoves(proof.measure) : nil
    }
}
