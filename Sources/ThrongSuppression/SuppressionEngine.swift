/// Finds a pattern of published cells that satisfies L1, L2 and, where asked, L3 (disclosure, section 2).
///
/// Cell suppression with linear constraints is NP-hard (Kelly, Golden and Assad 1992), so both roads are greedy. Where it is
/// known where leaves stand: from the top down, a level at a time, with proofs by switches. Elsewhere, and for small tables
/// besides: publish the most useful cells first as long as nothing sensitive can be computed, then prove by other tables
/// that nothing can be bounded either, and hide what the dual of a failed proof names.
package struct SuppressionEngine: Sendable {
    /// How hard it tries.
    package let options: SuppressionOptions

    /// Makes an engine.
    package init(options: SuppressionOptions) { self.options = options }

    /// Finds a pattern.
    ///
    /// - Throws: ``SuppressionError/unproved(cells:)`` in strict mode, where some cell has no proof.
    /// - Complexity: near-linear in incidences for L1 and L2 on tables with margins; L3 adds a small linear program for
    ///   the few cells that no circuit proves.
    package func pattern(for problem: SuppressionProblem) throws(SuppressionError) -> SuppressionPattern {
        guard let grid = problem.grid, case .witnesses(let seconds) = options.proof,
            !problem.cells.contains(where: \.isForced)
        else { return try refused(flatPattern(for: problem)) }
        var flat: SuppressionPattern?
        if problem.cells.count <= options.flatCells {
            // Programs over all of a small table find what switches miss. That they take from the top is seldom.
            let found = try flatPattern(for: problem)
            if !isLacking(found, problem) { return found }
            flat = found
        }
        var random = SecretGenerator(seed: options.seed)
        var search = LevelSearch(
            problem, grid: grid, options: options, deadline: ContinuousClock().now + .seconds(seconds), using: &random)
        search.run()
        let levelled = search.pattern()
        guard let flat, rank(flat, problem).lexicographicallyPrecedes(rank(levelled, problem)) else {
            return try refused(levelled)
        }
        return try refused(flat)
    }

    /// How many publishable cells of a level every safe pattern hides that publishes what a given one does of coarser levels.
    ///
    /// A bound to measure patterns by, from L2 along the relations and from what known wholes leave their parts; L1 and L3 as
    /// a whole may ask for more.
    ///
    /// - Returns: nil where the problem has no grid, or the program took more than a minute.
    package func leastHidden(of problem: SuppressionProblem, at level: Int, beside published: [Bool]) -> Int? {
        guard let grid = problem.grid else { return nil }
        var random = SecretGenerator(seed: options.seed)
        var search = LevelSearch(
            problem, grid: grid, options: options, deadline: ContinuousClock().now + .seconds(60), using: &random)
        search.published = problem.cells.indices.map { published[$0] && problem.cells[$0].level < level }
        return search.leastHidden(level)
    }

    /// Whether a pattern lacks proofs, or a useful cell.
    private func isLacking(_ pattern: SuppressionPattern, _ problem: SuppressionProblem) -> Bool {
        if !pattern.unproved.isEmpty || !pattern.openRelations.isEmpty { return true }
        return problem.cells.indices.contains { place in
            let cell = problem.cells[place]
            return cell.isOffered && !cell.isSensitive && !pattern.isPublished[place]
        }
    }

    /// What a pattern lacks: proofs, then, level by level, useful cells that are hidden.
    private func rank(_ pattern: SuppressionPattern, _ problem: SuppressionProblem) -> [Int64] {
        var hidden: [Int: Int64] = [:]
        for (place, cell) in problem.cells.enumerated() where cell.isOffered && !cell.isSensitive {
            hidden[cell.level, default: 0] += pattern.isPublished[place] ? 0 : cell.cost
        }
        return [Int64(pattern.unproved.count + pattern.openRelations.count)]
            + hidden.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The pattern, unless it was to be strict and lacks a proof.
    private func refused(_ pattern: SuppressionPattern) throws(SuppressionError) -> SuppressionPattern {
        if options.isStrict {
            if !pattern.pinned.isEmpty { throw .pinnedByLedger(cells: pattern.pinned) }
            if !pattern.unproved.isEmpty { throw .unproved(cells: pattern.unproved) }
        }
        return pattern
    }

    /// The most useful cells first, whatever their level.
    private func flatPattern(for problem: SuppressionProblem) throws(SuppressionError) -> SuppressionPattern {
        let compact = CompactProblem(problem)
        let clock = ContinuousClock()
        var random = SecretGenerator(seed: options.seed)
        var best: PatternSearch?
        var deadline = clock.now
        if case .witnesses(let seconds) = options.proof { deadline += .seconds(seconds) }
        for attempt in 0..<options.attempts {
            if attempt > 0, clock.now >= deadline, options.proof != .unique { break }
            var search = PatternSearch(compact, original: problem, options: options, deadline: deadline)
            search.run(using: &random)
            if let found = best, found.rank <= search.rank { continue }
            best = search
        }
        guard let best else { throw .solverFailed }
        return best.pattern()
    }
}
