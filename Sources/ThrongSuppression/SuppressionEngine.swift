/// Finds a pattern of published cells that satisfies L1, L2 and, where asked, L3 (disclosure, section 2).
///
/// Cell suppression with linear constraints is NP-hard (Kelly, Golden and Assad 1992); this is the greedy road: publish
/// the most useful cells first as long as nothing sensitive can be computed, then prove by other tables that nothing
/// can be bounded either, and hide what the dual of a failed proof names.
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
        let pattern = best.pattern()
        if options.isStrict {
            if !pattern.pinned.isEmpty { throw .pinnedByLedger(cells: pattern.pinned) }
            if !pattern.unproved.isEmpty { throw .unproved(cells: pattern.unproved) }
        }
        return pattern
    }
}
