/// Finds a pattern of published cells that satisfies L1, L2 and L3.
///
/// Cell suppression with linear constraints is NP-hard (Kelly, Golden and Assad 1992), so this is greedy: publish the most useful
/// cells first as long as nothing sensitive can be computed, then prove by other tables that nothing can be bounded either, and
/// hide what the dual of a failed proof names.
package struct SuppressionEngine: Sendable {
    /// The options, which set its effort.
    package let options: SuppressionOptions

    /// Makes an engine.
    package init(options: SuppressionOptions) { self.options = options }

    /// Finds a pattern.
    ///
    /// - Throws: ``SuppressionError/unproved(cells:)`` in strict mode, if some cell has no proof.
    /// - Complexity: near-linear in incidences for L1 and L2 on tables with margins; L3 adds a small linear program for
    ///   the few cells that no circuit proves.
    package func pattern(for problem: SuppressionProblem) throws(SuppressionError) -> SuppressionPattern {
        let compact = CompactProblem(problem)
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(options.seconds)
        var random = SecretGenerator(seed: options.seed)
        var best: PatternSearch?
        for attempt in 0..<options.attempts {
            if attempt > 0, clock.now >= deadline { break }
            var search = PatternSearch(compact, original: problem, deadline: deadline, progress: options.progress)
            search.run(using: &random)
            if let found = best, found.rank <= search.rank { continue }
            best = search
        }
        guard let best else { throw .solverFailed }
        let pattern = best.pattern()
        if options.isStrict, !pattern.unproved.isEmpty { throw .unproved(cells: pattern.unproved) }
        return pattern
    }
}
