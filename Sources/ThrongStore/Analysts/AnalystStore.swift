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

    package func close(within length: Duration? = nil) { connections.forEach { $0.close(within: length) } }

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
                    period: try columns.text(), date: try columns.date(), start: try columns.instant(),
                    buckets: try question.columns.map { _ in try columns.text() },
                    numbers: try question.measures.map { try columns.number(of: $0) },
                    reasons: try question.reasons.map { _ in try columns.next() })
            }
        }
    }

    /// Returns the rows of a question from its part on, of ten parts at most.
    package func allRows(of question: AnalystQuestion) async throws -> [AnalystRow] {
        var (question, found): (AnalystQuestion, [AnalystRow]) = (question, [])
        for _ in 0..<10 {
            let rows = try await rows(of: question)
            found += rows
            guard rows.count == AnalystQuestion.mostRows else { break }
            question.part += 1
        }
        return found
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
    /// Every view has these columns, in this order: period_kind, period, local_date, period_start, period_end, margin, its
    /// dimensions, events or identifiers, of funnels those that came as far, its sums, devices, each of these with its
    /// margin behind it, perhaps client_devices; then why they are missing: withheld, devices_withheld, of funnels
    /// reached_withheld. Names may differ where they would collide.
    private static func columns(of metric: AnalystMetric, _ session: Session) throws -> [AnalystColumn] {
        let rows = try session.run(Query.selectAnalystColumns(view: metric.view))
        let first = 6 + metric.dimensions.count
        var kinds: [AnalystColumn.Kind] = [.count] + [metric.steps.map { .reached(by: $0) }].compactMap(\.self)
        kinds += metric.sums.map { .sum($0) } + [.devices]
        let reasons = rows.suffix(metric.steps == nil ? 2 : 3).map(\.name)
        let spare = rows.count - first - 2 * kinds.count - reasons.count
        guard (0...1).contains(spare) else { throw PostgresError.unexpectedAnswer(query: "analyst_column.select") }
        var places = kinds.indices.map { (own: first + 2 * $0, margin: first + 2 * $0 + 1) }
        if spare == 1 {
            kinds.append(.clientDevices)
            places.append((own: first + 2 * places.count, margin: first + 2 * places.count - 1))
        }
        let measures = zip(kinds, places).map { kind, place in
            let reason =
                switch kind {
                case .reached: reasons[2]
                case .devices, .clientDevices: reasons[1]
                case .count, .sum, .dimension: reasons[0]
                }
            return AnalystColumn(
                name: rows[place.own].name, kind: kind, comment: rows[place.own].comment,
                beside: .init(margin: rows[place.margin].name, reason: reason))
        }
        let buckets = Dictionary(
            grouping: try session.run(Query.selectAnalystBuckets(view: metric.view)), by: \.dimension)
        return metric.dimensions.enumerated().map { place, name in
            let found = buckets[name.text] ?? []
            return AnalystColumn(
                name: rows[6 + place].name, kind: .dimension(name), comment: rows[6 + place].comment,
                buckets: found.map(\.bucket), isLearned: found.contains { $0.isLearned })
        } + measures
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

/// One row of a view: its buckets and its numbers, or the reason why they are withheld.
package struct AnalystRow: Sendable, Hashable {
    /// Its period as reports write it: 2026-11-21, 2026-W47.
    package let period: String
    /// The date of its period's first second, by the app's time zone.
    package let date: CalendarDate
    /// First second of its period.
    package let start: UnixSeconds
    /// The buckets, one a column of its margin.
    package let buckets: [String]
    /// The numbers, one a measure that was asked for; nil where there is none.
    package let numbers: [Number?]
    /// The reasons why numbers are missing, one a column of the question's reasons; nil where they are there.
    package let reasons: [String?]
    /// The reason why what is counted is missing.
    package var withheld: String? { reasons.first ?? nil }

    /// A number as PostgreSQL has it.
    package struct Number: Sendable, Hashable {
        /// The number in units of 10^-places.
        package let units: Int128
        /// Digits after the point.
        package let places: Int
        /// 19 of 20 such numbers lie within this of what was counted. Unit: that of ``units``.
        package var within: Int128?
    }
}

extension RowReader {
    /// Reads a date as PostgreSQL sends it: days since 2000.
    mutating func date() throws(PostgresError) -> CalendarDate { CalendarDate(daysSince1970: try integer() + 10_957) }

    /// Reads a measure's number and its margin.
    mutating func number(of measure: AnalystColumn) throws -> AnalystRow.Number? {
        func one() throws -> AnalystRow.Number? {
            if case .sum = measure.kind { return try numeric() }
            return try next(Int64?.self).map { AnalystRow.Number(units: Int128($0), places: 0) }
        }
        var number = try one()
        guard measure.beside != nil else { return number }
        let within = try one()?.units
        number?.within = within
        return number
    }

    /// Reads an instant as PostgreSQL sends it: microseconds since 2000.
    mutating func instant() throws(PostgresError) -> UnixSeconds {
        UnixSeconds(try integer() / 1_000_000 + 946_684_800)
    }

    /// Reads a number of the type numeric; nil for null, for what is no number, and for one that 128 bits don't hold.
    ///
    /// Source: PostgreSQL's numeric_send: the number of digits, the weight of the first, the sign, decimal places, then
    /// digits of base 10,000; all of two bytes, big-endian.
    mutating func numeric() throws -> AnalystRow.Number? {
        guard let bytes = try next([UInt8]?.self) else { return nil }
        let words = stride(from: 0, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        guard words.count >= 4, words.count == 4 + words[0], words[2] == 0 || words[2] == 0x4000 else { return nil }
        let (weight, places) = (Int(Int16(truncatingIfNeeded: words[1])), words[3])
        var units: Int128 = 0
        func scaled(_ number: Int128, by factor: Int128, plus digit: Int128) -> Int128? {
            let (product, overflow) = number.multipliedReportingOverflow(by: factor)
            let (sum, overflows) = product.addingReportingOverflow(digit)
            return overflow || overflows ? nil : sum
        }
        for digit in words.dropFirst(4) {
            guard let next = scaled(units, by: 10_000, plus: Int128(digit)) else { return nil }
            units = next
        }
        // The last digit that was sent counts units of 10,000^(weight - how many + 1).
        var shift = 4 * (weight - words[0] + 1) + places
        while shift > 0 {
            guard let next = scaled(units, by: 10, plus: 0) else { return nil }
            (units, shift) = (next, shift - 1)
        }
        while shift < 0 { (units, shift) = (units / 10, shift + 1) }
        return AnalystRow.Number(units: words[2] == 0 ? units : -units, places: places)
    }
}
