internal import Synchronization
package import ThrongPlan

/// Answers analysts' questions as the role `throng_analyst`: it sees what an analyst's login sees, and nothing else.
///
/// It has connections of its own, so that no question holds up counting; each transaction is read only, and each
/// statement ends after ``seconds``.
package final class AnalystStore: Sendable {
    private let connections: [Connection]
    private let load: Mutex<[Int]>

    /// The time limit of one statement. Unit: seconds.
    package static let seconds = 5
    /// The number of connections, each of which answers one question at a time, and the most questions on one.
    private static let (atOnce, deep) = (3, 4)

    package init(_ settings: ConnectionSettings) {
        let own = ConnectionSettings(
            connectionString: settings.connectionString, role: .analyst, applicationName: "throng explorer",
            statementTimeoutSeconds: Self.seconds, connectTimeoutSeconds: settings.connectTimeoutSeconds)
        connections = (0..<Self.atOnce).map { _ in Connection(own) }
        load = Mutex(Array(repeating: 0, count: Self.atOnce))
    }

    package func close() { connections.forEach { $0.close() } }

    package func close(within length: Duration) { connections.forEach { $0.close(within: length) } }

    /// Returns the metrics that have releases, by app and metric, the current layout first.
    package func metrics() async throws -> [AnalystMetric] {
        try await read { session in
            var found: [AnalystMetric] = []
            for metric in try session.run(Query.selectAnalystMetrics()) {
                if found.last?.view == metric.view {
                    found[found.count - 1].spans += metric.spans
                } else {
                    found.append(metric)
                }
            }
            return found
        }
    }

    /// Returns the questions that a metric can answer for one kind of period.
    package func shape(of metric: AnalystMetric, kind: PeriodKind) async throws -> AnalystShape {
        try await read { session in
            let columns = try Self.columns(of: metric, session)
            let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.name, $0) })
            let margins = try session.run(Query.selectAnalystMargins(view: metric.view, kind: kind))
            return AnalystShape(
                dimensions: Array(columns.prefix(metric.dimensions.count)),
                measures: Array(columns.dropFirst(metric.dimensions.count)),
                margins: margins.sorted { first, second in
                    let order = [first, second].map { $0.columns.compactMap { places[$0] } }
                    return order[0].count == order[1].count
                        ? order[0].lexicographicallyPrecedes(order[1]) : order[0].count < order[1].count
                },
                releases: try session.run(Query.selectAnalystReleases(view: metric.view, kind: kind)))
        }
    }

    /// Returns the rows that answer a question; at most ``AnalystQuestion/mostRows``.
    package func rows(of question: AnalystQuestion) async throws -> [AnalystRow] {
        try await read { session in
            try session.query(question.statement).read { columns in
                AnalystRow(
                    start: try columns.instant(),
                    buckets: try question.columns.map { _ in try columns.text() },
                    numbers: try question.measures.map { measure in
                        if case .sum = measure.kind { return try columns.numeric() }
                        return try columns.next(Int64?.self).map { AnalystRow.Number(units: Int128($0), places: 0) }
                    },
                    withheld: try columns.next())
            }
        }
    }

    /// Returns the number of rows of a question, in all of its parts. Unit: rows.
    package func count(of question: AnalystQuestion) async throws -> Int {
        try await read { session in
            // A count is one row.
            try session.query(question.count).read { try $0.next(Int.self) }.reduce(0, +)
        }
    }

    /// Returns the columns of dimensions, then those of numbers.
    ///
    /// Every view has these columns, in this order: period_start, period_end, period_kind, margin, its dimensions,
    /// events or identifiers, its sums, devices, each of these with its margin behind it, perhaps client_devices, and
    /// withheld. Names may differ where they would collide.
    private static func columns(of metric: AnalystMetric, _ session: Session) throws -> [AnalystColumn] {
        let rows = try session.run(Query.selectAnalystColumns(view: metric.view))
        var kinds: [AnalystColumn.Kind] = metric.dimensions.map { .dimension($0) }
        let measures: [AnalystColumn.Kind] = [.count] + metric.sums.map { .sum($0) } + [.devices]
        let spare = rows.count - 5 - kinds.count - 2 * measures.count
        guard (0...1).contains(spare) else { throw PostgresError.unexpectedAnswer(query: "analyst_column.select") }
        var places = kinds.indices.map { 4 + $0 } + measures.indices.map { 4 + kinds.count + 2 * $0 }
        kinds += measures
        if spare == 1 {
            kinds.append(.clientDevices)
            places.append(rows.count - 2)
        }
        var buckets: [String: (labels: [String], isLearned: Bool)] = [:]
        for row in try session.run(Query.selectAnalystBuckets(view: metric.view)) {
            buckets[row.dimension, default: ([], false)].labels.append(row.bucket)
            if row.isLearned { buckets[row.dimension]?.isLearned = true }
        }
        return zip(kinds, places).map { kind, place in
            var found: (labels: [String], isLearned: Bool)?
            if case .dimension(let name) = kind { found = buckets[name.text] }
            return AnalystColumn(
                name: rows[place].name, kind: kind, comment: rows[place].comment,
                buckets: found?.labels ?? [], isLearned: found?.isLearned ?? false)
        }
    }

    /// Reads in one transaction, on the connection with the fewest questions; throws if every one has the most.
    private func read<Value: Sendable>(_ work: @escaping @Sendable (Session) throws -> Value) async throws -> Value {
        let place = load.withLock { load -> Int? in
            guard let least = load.indices.min(by: { load[$0] < load[$1] }), load[least] < Self.deep else { return nil }
            load[least] += 1
            return least
        }
        guard let place else { throw StoreError.busy(questions: Self.atOnce * Self.deep) }
        defer { load.withLock { $0[place] -= 1 } }
        return try await connections[place].snapshot(work)
    }
}
