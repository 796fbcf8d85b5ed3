/// Deltas that were taken out of counting to be flushed.
package struct FrozenDeltas: Sendable {
    let after: JournalPosition
    let through: JournalPosition
    let space: CellSpace
    let deltas: PendingDeltas

    /// The deltas as a flush carries them, sorted so that all daemons lock rows in one order.
    ///
    /// - Complexity: O(touched counters · log).
    package func flush() -> Flush {
        Flush(
            after: after,
            through: through,
            layouts: space.layouts,
            counters: deltas.counterDeltas(in: space),
            distinct: deltas.distinctDeltas(in: space),
            top: deltas.topContributions(in: space),
            coverage: deltas.coverage.deltas)
    }
}
