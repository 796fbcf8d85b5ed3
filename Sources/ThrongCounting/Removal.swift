package import ThrongPlan

/// Somebody asks that what an identifier added in its window be taken away. From here on nothing that it sends is counted.
package struct RemovalRequest: Sendable, Equatable {
    /// Its place in the journal.
    package let position: JournalPosition
    /// The window.
    package let window: WindowID
    /// Whose it is, under the window's key.
    package let identifier: KeyedIdentifier

    /// Puts a request together.
    package init(position: JournalPosition, window: WindowID, identifier: KeyedIdentifier) {
        self.position = position
        self.window = window
        self.identifier = identifier
    }
}

/// What was taken away of what an identifier had added in its window: of all periods that were not released by then.
package struct Removal: Sendable, Equatable {
    /// Its place in the journal.
    package let position: JournalPosition
    /// The window.
    package let window: WindowID
    /// Whose it was, under the window's key.
    package let identifier: KeyedIdentifier
    /// What the identifier had added, at most one a metric, period, cell, ``CountedBatch/Addition/isLate`` and
    /// ``CountedBatch/Addition/isProved``.
    package let additions: [CountedBatch.Addition]
    /// The tracked cells in which it had been.
    package let appearances: [CountedBatch.Appearance]
    /// What the largest contributions are without it, where they may have been its own.
    package let leaders: [Leaders]
    /// What had become of the events of batches of which nothing is left, at most one a kind; never ``CoverageKind/late``.
    package let outcomes: [Outcome]
    /// Whether the next position goes on with it: all of them together take effect, or none does.
    package let hasMore: Bool

    /// The two largest contributions to a sum of a tracked cell.
    package struct Leaders: Sendable, Equatable {
        /// The metric's ordinal in the ``CellSpace``.
        package let metric: Int
        /// Place of the margin among the layout's tracked margins.
        package let margin: Int
        /// The cell of that margin.
        package let cell: CellIndex
        /// First second of the period.
        package let periodStart: UnixSeconds
        /// Place among the layout's ``MetricLayout/rankedMeasures``.
        package let sum: Int
        /// What is left.
        package let pair: TwoLargest

        /// Puts one together.
        package init(
            metric: Int, margin: Int, cell: CellIndex, periodStart: UnixSeconds, sum: Int, pair: TwoLargest
        ) {
            self.metric = metric
            self.margin = margin
            self.cell = cell
            self.periodStart = periodStart
            self.sum = sum
            self.pair = pair
        }
    }

    /// Events of one kind.
    package struct Outcome: Sendable, Equatable {
        /// What had become of them.
        package let kind: CoverageKind
        /// Unit: events.
        package let events: Int64

        /// Puts one together.
        package init(kind: CoverageKind, events: Int64) {
            self.kind = kind
            self.events = events
        }
    }

    /// Puts a removal together.
    package init(
        position: JournalPosition, window: WindowID, identifier: KeyedIdentifier,
        additions: [CountedBatch.Addition] = [], appearances: [CountedBatch.Appearance] = [], leaders: [Leaders] = [],
        outcomes: [Outcome] = [], hasMore: Bool = false
    ) {
        self.position = position
        self.window = window
        self.identifier = identifier
        self.additions = additions
        self.appearances = appearances
        self.leaders = leaders
        self.outcomes = outcomes
        self.hasMore = hasMore
    }
}

extension Removal {
    /// What it takes from the totals of its app.
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
