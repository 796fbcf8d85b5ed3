public import ThrongPlan

/// What a round of retention took.
public struct ExpiryOutcome: Sendable, Hashable {
    /// Unit: released cells.
    public let cells: Int64
    /// Tables of raw counters and distinct counts.
    public let partitions: [String]
}

extension ReleaseStore {
    /// Deletes what the plan keeps no longer: each metric's decay steps, its purpose's retention, and raw counters.
    ///
    /// Released numbers of a metric that the plan no longer has go after the longest retention that it knows. The rows
    /// of the ledger stay, without their numbers.
    ///
    /// - Parameters:
    ///   - plan: The plan in force.
    ///   - now: Unit: Unix seconds.
    ///   - countersKept: How long raw counters outlive the release of their period.
    ///   - abandonedAfter: When counters go although nobody released them.
    public func expire(
        plan: Plan,
        now: Int64,
        countersKept: Duration = .seconds(7 * 86_400),
        abandonedAfter: Duration = .seconds(400 * 86_400)
    ) async throws -> ExpiryOutcome {
        let cells = try await connection.run { session in
            // What waited for a metric that the plan no longer asks to release goes now.
            try Self.forgetKept(app: plan.app.name, session)
            try Self.expireLabels(of: plan, now: now, session)
            try Self.expireFiles(of: plan, now: now, session)
            let rows = try session.query(Query.selectLayouts([.text(plan.app.name.text)]))
            var cells: Int64 = 0
            for row in rows.indices {
                let metric = MetricName(try rows.text(row, 1))
                for step in plan.expirySteps(of: metric) {
                    let dimension: Parameter =
                        if case .drop(let name) = step.action { .text(name.text) } else { .null }
                    let dropped = try session.query(
                        Query.dropReleased([
                            .integer(try rows.integer(row, 0)), dimension,
                            .instant(now - step.after.components.seconds),
                        ]))
                    cells += try dropped.integer(0, 0)
                }
            }
            return cells
        }
        let partitions = try await dropPartitions(
            countersBefore: now - countersKept.components.seconds,
            distinctBefore: now - 86_400,
            abandonedBefore: now - abandonedAfter.components.seconds)
        return ExpiryOutcome(cells: cells, partitions: partitions)
    }

    /// Drops the partitions of raw counters and of distinct counts whose periods ended before these instants and were
    /// all released, and of abandoned periods in any case; returns the names of the dropped tables. The largest
    /// contributions of abandoned periods go with them.
    public func dropPartitions(
        countersBefore: Int64,
        distinctBefore: Int64,
        abandonedBefore: Int64
    ) async throws -> [String] {
        try await connection.run { session in
            let rows = try session.query(
                Query.dropPartitions([.instant(countersBefore), .instant(distinctBefore), .instant(abandonedBefore)]))
            try session.query(Query.deleteAbandonedTop())
            return try rows.indices.map { try rows.text($0, 0) }
        }
    }
}

extension Plan {
    /// The decay steps of a metric and, last, the end of its purpose's retention.
    func expirySteps(of name: MetricName) -> [DecayStep] {
        let longest = purposes.map(\.retention).max() ?? .zero
        guard let metric = metric(name) else { return [DecayStep(after: longest, action: .delete)] }
        let retention = purpose(metric.purpose)?.retention ?? longest
        return metric.decay + [DecayStep(after: retention, action: .delete)]
    }
}
