extension LevelSearch {
    /// Sweeps after which a cell that has not reached what it needs is left.
    private static let mostSweeps = (narrow: 80, wide: 12)
    /// Sweeps after which others want other places, where a cell is to be emptied.
    private static let sweepsOfWish = 3

    /// A witness by exchanges that gather what there is in a need's cell, or bring it elsewhere: from the true table, so that
    /// it moves little else.
    ///
    /// - Parameter isWide: whether all layers exchange, so that lines far from the cell are filled first; else those through
    ///   its leaves, each time with others.
    func gathered(_ need: Int, on board: SwitchBoard, isWide: Bool) -> SuppressionPattern.Witness? {
        let proof = store.needs[need]
        let column = Int(proof.column)
        guard var table = tables[proof.measure], let number = grid.groupingOfColumn[column] else { return nil }
        let leaves = problem.columns[column].map { grid.places[Int($0)] }
        let goal = goal(of: need)
        var random = SecretGenerator(seed: UInt64(need))
        for sweep in 0..<(isWide ? Self.mostSweeps.wide : Self.mostSweeps.narrow) {
            if sweep == 0 || proof.direction == .down && sweep.isMultiple(of: Self.sweepsOfWish) {
                table.wish(proof.direction, at: leaves, grid.groupings[number], isWide: isWide, using: &random)
            }
            table.sweep(on: board, through: isWide ? nil : leaves, isParallel: false, using: &random)
            let held = leaves.reduce(0) { $0 + table.amount(at: $1) }
            if proof.direction == .up ? held >= goal : held <= goal { return table.witness(proof.measure) }
        }
        return nil
    }
}
