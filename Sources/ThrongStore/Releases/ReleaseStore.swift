package import ThrongPlan
package import ThrongRelease

/// The release step's access to PostgreSQL: offers evidence, commits the decision made on it, reads releases back.
///
/// Works as `throng_reporter`, which may read counters and write releases, and can change neither.
package final class ReleaseStore: Sendable {
    /// The connection, as `throng_reporter`; other stores may share it.
    package let connection: Connection

    package init(_ settings: ConnectionSettings) { connection = .reporting(settings) }

    /// Returns the periods of an app that have counters and no release, by their end.
    ///
    /// They include periods that are not over yet, and layouts that the plan in force no longer has.
    package func openPeriods(app: AppName) async throws -> [OpenPeriod] {
        try await connection.run { session in
            var layouts: [LayoutID: MetricLayout] = [:]
            return try session.run(Query.selectOpenPeriods(app: app)).map { stored, start, end in
                let layout = try layouts[stored.id] ?? stored.layout()
                layouts[stored.id] = layout
                return OpenPeriod(layout: layout, period: Period(kind: layout.period, start: start, end: end))
            }
        }
    }

    /// Closes a period, decides about it and releases it, in one transaction; nil if another process released it, or
    /// gave it up because the plan no longer asks for it.
    ///
    /// The transaction waits for this metric's flushes under way and holds off later ones; their late counts of this
    /// period go into the open one. No other work on this connection goes on while it decides. The distinct counts are
    /// deleted, unless a rollup still needs them.
    /// - Parameter decide: runs on the connection's thread. When it throws, nothing happened.
    package func commit(
        _ scope: ReleaseScope, deciding decide: @escaping @Sendable (ReleaseEvidence) throws -> ReleaseDecision
    ) async throws -> ReleaseDecision? {
        try await connection.transaction { session in
            let metric = try session.metricID(of: scope.layout)
            guard try Self.closePeriod(of: scope, metric, session) else { return nil }
            let evidence = try Self.evidence(for: scope, metric, session)
            let decision = try decide(evidence)
            try Self.write(decision.release, decision.withheld, of: scope.layout, scope.period, metric, session)
            try Self.letGo(of: scope, evidence, metric, session)
            return decision
        }
    }

    package func close(within length: Duration? = nil) { connection.close(within: length) }

    /// Checks that a release is of the closed layout and period, then writes it and the reasons for withheld cells;
    /// returns its number.
    @discardableResult static func write(
        _ release: Release, _ withheld: [WithheldCell], of layout: MetricLayout, _ period: Period, _ metric: Int64,
        _ session: Session
    ) throws -> Int64 {
        guard release.header.layout.counted == layout, release.header.period == period else {
            throw StoreError.releaseMismatched(metric: layout.metric)
        }
        let id = try write(release, metric, session)
        try write(withheld, release: id, session)
        try notePublished(release, session)
        return id
    }

    /// Writes the margins of error of a row's grouping: PostgreSQL takes no number without one.
    private static func write(margins header: ReleaseHeader, of cell: PublishedCell, _ writer: CopyWriter) throws {
        try writer.number(header.margin(of: cell.margin))
        try writer.bigints(header.layout.sums.indices.compactMap { header.margin(of: cell.margin, measure: $0 + 1) })
        try writer.number(cell.reach == nil && cell.firsts == nil ? nil : header.deviceMargin(of: cell.margin))
    }

    private static func write(_ release: Release, _ metric: Int64, _ session: Session) throws -> Int64 {
        let header = release.header
        let layout = header.layout
        guard let digest = [UInt8](hex: release.digest.hex) else {
            throw PostgresError.unexpectedAnswer(query: "release.insert")
        }
        let id = try session.one(Query.insertRelease(metric: metric, header: header, digest: digest))
        try session.copyIn(Query.copyReleasedCells.name, Query.copyReleasedCells.sql) { writer in
            for cell in release.cells {
                var labels: [String?] = Array(repeating: nil, count: layout.dimensions.count)
                let kept = layout.dimensions.indices.filter { cell.margin.keeps($0) }
                for (place, bucket) in zip(kept, layout.buckets(of: cell.cell, in: cell.margin)) {
                    labels[place] = layout.dimensions[place].labels[bucket].text
                }
                let (margin, place) = (Int32(bitPattern: cell.margin.bits), Int32(bitPattern: cell.cell.value))
                try writer.row(columns: 11, id, margin, place)
                try writer.texts(labels)
                try writer.number(cell.count)
                try writer.bigints(cell.sums)
                try writer.number(cell.reach?.devices)
                try writer.number(cell.firsts)
                try write(margins: header, of: cell, writer)
            }
        }
        return id
    }

    /// Waits for the flushes under way, holds off later ones, and closes a period; false if it was closed before, or a
    /// part of it was opened meanwhile. The first part of a coarser period opens that period.
    static func closePeriod(of scope: ReleaseScope, _ metric: Int64, _ session: Session) throws -> Bool {
        let period = scope.period
        let closing =
            switch scope.source {
            case .counted: Query.closePeriod(metric: metric, period: period)
            case .parts: Query.closeOpenRollup(metric: metric, period: period)
            }
        let answers = try session.pipeline([Query.lockMetric(metric: metric), closing, Query.holdCounters()])
        let isClosed = answers[1].affected == 1
        switch scope.source {
        case .counted(let rollups) where isClosed:
            for rollup in rollups { try session.run(Query.insertOpenRollup(metric: metric, period: rollup)) }
        case .counted:
            // The calendar may have opened it once more while another process released it.
            try session.run(Query.deleteOpenPeriod(metric: metric, period: period))
        case .parts where isClosed:
            // No part of it may be released later: it would show the difference to a still coarser period.
            try session.run(Query.closeUncounted(metric: metric, periods: scope.layout.periods(in: period)))
        case .parts: break
        }
        return isClosed
    }

    /// Deletes a released period from the open ones, and the data that only its release needed.
    static func letGo(of scope: ReleaseScope, _ evidence: ReleaseEvidence, _ metric: Int64, _ session: Session) throws {
        let (layout, period) = (scope.layout, scope.period)
        var isNeeded = true
        if case .counted(let rollups) = scope.source {
            try session.run(Query.deleteOpenPeriod(metric: metric, period: period))
            isNeeded = !rollups.isEmpty
        }
        isNeeded = try isNeeded && session.one(Query.findOpenRollup(metric: metric, period: period))
        if !isNeeded {
            for part in evidence.parts { try session.run(Query.deleteDistinct(metric: metric, period: part.period)) }
        }
        if layout.provedFirsts != nil { try session.run(Query.deleteProvedFirsts(metric: metric, period: period)) }
    }

    // These are part of the release's transaction: its evidence and its numbers have to name the same labels.

    /// Returns a layout with the labels that its slots have now.
    static func named(_ layout: MetricLayout, _ session: Session) throws -> MetricLayout {
        guard layout.isRevealing else { return layout }
        var known: [DimensionName: [Int: BucketLabel]] = [:]
        for label in try session.run(Query.selectLabels(app: layout.app)) {
            known[label.dimension, default: [:]][label.slot] = label.label
        }
        return layout.named(known)
    }

    /// Notes the labels that a release publishes numbers of: they live as long as they are of use.
    static func notePublished(_ release: Release, _ session: Session) throws {
        let layout = release.header.layout
        for (place, dimension) in layout.dimensions.enumerated() where dimension.isRevealed {
            var slots: Set<Int> = []
            for cell in release.cells where cell.margin.keeps(place) {
                let kept = layout.dimensions.indices.filter(cell.margin.keeps)
                guard let position = kept.firstIndex(of: place) else { continue }
                slots.insert(layout.buckets(of: cell.cell, in: cell.margin)[position])
            }
            slots.remove(dimension.labels.count - 1)
            guard !slots.isEmpty else { continue }
            try session.run(
                Query.notePublishedLabels(app: layout.app, dimension: dimension.name, slots: slots.sorted()))
        }
    }

    /// Returns the periods of a plan's app that have no release yet, the next one due first. Each comes once, however
    /// many layouts were counted in it.
    package func pending(of plan: Plan) async throws -> [PendingRelease] {
        struct Place: Hashable {
            let metric: MetricName
            let period: Period
        }
        let open = try await openPeriods(app: plan.app.name).map { ($0.layout, $0.period) }
        let rollups = try await openRollups(app: plan.app.name).map { ($0.layout, $0.period) }
        var due: [Place: UnixSeconds] = [:]
        for (layout, period) in open + rollups {
            let place = Place(metric: layout.metric, period: period)
            due[place] = max(due[place] ?? .epoch, layout.due(periodEnding: period.end, grace: plan.app.grace))
        }
        let all = due.map { PendingRelease(metric: $0.metric, period: $0.period, due: $1) }
        return all.sorted { ($0.due, $0.period, $0.metric) < ($1.due, $1.period, $1.metric) }
    }
}

/// The layout and period of a release, and the other periods concerned.
package struct ReleaseScope: Sendable {
    package let layout: MetricLayout
    package let period: Period
    let source: Source

    enum Source: Sendable {
        /// A period of its own, which is part of coarser ones that are to be released too.
        case counted(rollups: [Period])
        /// The released periods that it is made of.
        case parts
    }

    /// Creates the scope of a counted period; `rollups` are the coarser ones around it that are to be released too.
    package init(_ open: OpenPeriod, rollups: [Period] = []) {
        (layout, period, source) = (open.layout, open.period, .counted(rollups: rollups))
    }

    /// Creates the scope of a coarser period, over the counters of its parts.
    package init(_ rollup: OpenRollup) { (layout, period, source) = (rollup.layout, rollup.period, .parts) }
}

/// A period of one layout that has counters and no release yet.
package struct OpenPeriod: Sendable, Hashable {
    package let layout: MetricLayout
    package let period: Period
}

/// A coarser period that is to be released itself, and whose first parts were released.
package struct OpenRollup: Sendable, Hashable {
    /// The layout of its parts' counters.
    package let layout: MetricLayout
    package let period: Period
    /// True if one of its parts still waits for its own release.
    package let hasOpenParts: Bool
}

/// A period that will be released, and the time it is due.
package struct PendingRelease: Sendable, Hashable {
    package let metric: MetricName
    package let period: Period
    /// The time it is due: see ``MetricLayout/due(periodEnding:grace:)``; of several layouts the last.
    package let due: UnixSeconds
}
