internal import ThrongPlan

/// The subtraction of an identifier's additions in its window, from all periods that were not released by then.
package struct Removal: Sendable, Equatable {
    package internal(set) var position: JournalPosition
    package let window: WindowID
    /// The identifier under the window's key.
    package let identifier: KeyedIdentifier
    /// The identifier's additions, at most one a metric, period, cell, ``CountedBatch/Addition/isLate`` and
    /// ``CountedBatch/Addition/isProved``.
    package let additions: [CountedBatch.Addition]
    /// The tracked cells in which it had been.
    package let appearances: [CountedBatch.Appearance]
    /// The outcomes of events in batches that were removed entirely, at most one a kind; never ``CoverageKind/late``.
    package let outcomes: [Outcome]
    /// True if the next position continues it: all parts together take effect, or none does.
    package internal(set) var hasMore: Bool

    /// Events of one kind.
    package struct Outcome: Sendable, Equatable {
        package let kind: CoverageKind
        /// Unit: events.
        package let events: Int64

        package init(kind: CoverageKind, events: Int64) { (self.kind, self.events) = (kind, events) }
    }

    package init(
        position: JournalPosition, window: WindowID, identifier: KeyedIdentifier,
        additions: [CountedBatch.Addition] = [], appearances: [CountedBatch.Appearance] = [],
        outcomes: [Outcome] = [], hasMore: Bool = false
    ) {
        (self.position, self.window, self.identifier, self.additions) = (position, window, identifier, additions)
        (self.appearances, self.outcomes, self.hasMore) = (appearances, outcomes, hasMore)
    }
}

extension Removal {
    /// Calls `body` for each delta that it takes from the totals of its app.
    func forEachCoverage(_ body: (CoverageDelta) -> Void) {
        let hour = CoverageDelta.hour(holding: window.rotation.start(of: window.number))
        for outcome in outcomes {
            body(CoverageDelta(app: window.app, hour: hour, kind: outcome.kind, events: -outcome.events))
        }
        for addition in additions where addition.isLate {
            let hour = CoverageDelta.hour(ofPeriod: addition.periodStart)
            body(CoverageDelta(app: window.app, hour: hour, kind: .late, events: -addition.count))
        }
    }
}
