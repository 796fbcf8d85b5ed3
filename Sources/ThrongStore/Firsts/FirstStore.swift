internal import Crypto
internal import Synchronization
package import ThrongPlan
internal import ThrongRelease

/// A device's pseudonym in one cell and period: half of the SHA-256 of a credential's tag there, 16 bytes.
package struct FirstTag: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(hashing tag: [UInt8]) { bytes = Array(SHA256.hash(data: tag).prefix(16)) }
}

/// A record that a device is in a cell in a period.
package struct ProvedFirstRow: Sendable, Hashable {
    /// The layout, which gives the cell its meaning.
    package let layout: LayoutID
    /// True if the length of time is that of the layout's counters, and not of a rollup.
    package let isOwn: Bool
    package let kind: PeriodKind
    package let start: UnixSeconds
    package let margin: Margin
    package let cell: CellIndex
    package let tag: FirstTag

    package init(
        layout: MetricLayout, kind: PeriodKind, start: UnixSeconds, margin: Margin, cell: CellIndex, tag: FirstTag
    ) {
        (self.layout, self.kind, self.start) = (layout.id, kind, start)
        isOwn = kind == layout.period
        (self.margin, self.cell, self.tag) = (margin, cell, tag)
    }
}

/// Keeps firsts that devices proved, in PostgreSQL: many that wait at once are one statement and one commit.
///
/// Works as `throng_ingest`, over a connection of its own. A tag is its own key, so a repeated one counts once.
package final class FirstStore: Sendable {
    private enum Turn {
        case kept
        case failed(any Error)
        /// The caller keeps its own first and those that wait.
        case lead
    }

    private struct State {
        var isBusy = false
        var waiting: [(row: ProvedFirstRow, turn: CheckedContinuation<Turn, Never>)] = []
    }

    private let connection: Connection
    private let state = Mutex(State())

    /// The time limit of a statement: clients wait for it. Unit: seconds.
    private static let seconds = 5
    private static let most = 1000

    package init(_ settings: ConnectionSettings) {
        connection = Connection(settings.acting(as: .ingest).brisk(seconds: Self.seconds))
    }

    /// Keeps a first, once; returns when it is on disk. A first of a period that was released meanwhile is left out.
    ///
    /// - Throws: ``PostgresError``; ``StoreError/layoutUnknown(_:)`` while nothing of the layout was flushed.
    package func keep(_ row: ProvedFirstRow) async throws {
        let turn = await withCheckedContinuation { continuation in
            let leads = state.withLock { state in
                guard state.isBusy else {
                    state.isBusy = true
                    return true
                }
                state.waiting.append((row, continuation))
                return false
            }
            if leads { continuation.resume(returning: .lead) }
        }
        switch turn {
        case .kept: return
        case .failed(let error): throw error
        case .lead: try await lead(row)
        }
    }

    /// Keeps a first and those that wait, and hands on to the next one that came meanwhile.
    private func lead(_ row: ProvedFirstRow) async throws {
        let others = state.withLock { state in
            let others = Array(state.waiting.prefix(Self.most - 1))
            state.waiting.removeFirst(others.count)
            return others
        }
        let result: Result<Void, any Error>
        do { result = .success(try await insert([row] + others.map(\.row))) } catch { result = .failure(error) }
        let next = state.withLock { state -> CheckedContinuation<Turn, Never>? in
            guard !state.waiting.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.waiting.removeFirst().turn
        }
        next?.resume(returning: .lead)
        for other in others {
            switch result {
            case .success: other.turn.resume(returning: .kept)
            case .failure(let error): other.turn.resume(returning: .failed(error))
            }
        }
        try result.get()
    }

    private func insert(_ rows: [ProvedFirstRow]) async throws {
        try await connection.run { session in
            var known: [LayoutID: Int64] = [:]
            for layout in Set(rows.map(\.layout)) {
                guard let metric = try session.first(Query.findLayout(layout: layout)) else {
                    throw StoreError.layoutUnknown(layout)
                }
                known[layout] = metric
            }
            let numbered = rows.compactMap { row in known[row.layout].map { (metric: $0, first: row) } }
            try session.transaction {
                // A release that counts tags has its metric alone.
                try session.run(Query.lockMetricsShared(metrics: Set(numbered.map(\.metric)).sorted()))
                try session.run(Query.insertProvedFirsts(rows: numbered))
            }
        }
    }

    package func close(within length: Duration? = nil) { connection.close(within: length) }
}

extension Query {
    static func insertProvedFirsts(rows: [(metric: Int64, first: ProvedFirstRow)]) -> Statement {
        Statement(
            proved_first_insert_sql, rows.map(\.metric), rows.map(\.first.kind.code), rows.map(\.first.start),
            rows.map { Int32(bitPattern: $0.first.margin.bits) }, rows.map { Int32(bitPattern: $0.first.cell.value) },
            rows.map { $0.first.tag.bytes.lowerHex }.joined(separator: ","), rows.map { $0.first.isOwn ? 1 : 0 })
    }

    static func countProvedFirsts(metric: Int64, period: Period) -> RowQuery<ProvedDevices.Row> {
        RowQuery(proved_first_count_sql, metric, period.kind, period.start, row: ProvedDevices.Row.init)
    }

    static func deleteProvedFirsts(metric: Int64, period: Period) -> Statement {
        Statement(proved_first_delete_sql, metric, period.kind, period.start)
    }

    static func expireProvedFirsts(before: UnixSeconds) -> Statement { Statement(proved_first_expire_sql, before) }
}
