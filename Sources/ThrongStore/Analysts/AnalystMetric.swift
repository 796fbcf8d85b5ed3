package import ThrongPlan

/// One layout of a metric that has releases, as `analyst.metrics` has it.
package struct AnalystMetric: Sendable, Hashable {
    package let app: AppName
    package let metric: MetricName
    /// The number of the layout, from 1.
    package let version: Int64
    /// True if new releases have this layout.
    package let isCurrent: Bool
    package let view: String
    /// The time zone of its days: a name from the IANA time zone database.
    package let timeZone: String
    /// Its dimensions in column order.
    package let dimensions: [DimensionName]
    /// The names of its sums in column order.
    package let sums: [String]
    /// The dimension of a funnel's furthest steps; nil where it is no funnel.
    package let steps: DimensionName?
    /// The number of each dimension's buckets, which the noise of sums depends on; 0 where it is made of another one.
    package let sizes: [Int]
    /// The releases, one entry a kind of period, the shortest first.
    package internal(set) var spans: [Span]

    /// The kinds of period that it can be asked for: those that are released, and sums of days where there is a whole one.
    package var kinds: [PeriodKind] {
        let released = spans.map(\.kind)
        guard let days = spans.first(where: { $0.kind == .day }), let calendar = PeriodCalendar(timeZone: timeZone)
        else { return released }
        return released
            + [PeriodKind.week, .month].filter { kind in
                // The last second of a period has the next one behind it.
                let first = calendar.period(kind, containing: days.start - 1)
                return !released.contains(kind) && calendar.period(kind, containing: first.end).end <= days.end
            }
    }

    package struct Span: Sendable, Hashable {
        package let kind: PeriodKind
        package let periods: Int64
        /// First second of the first one.
        package let start: UnixSeconds
        /// First second after the last one.
        package let end: UnixSeconds
    }
}

/// The questions that a view can answer for one kind of period.
package struct AnalystShape: Sendable, Hashable {
    /// The columns of its dimensions, one a dimension of the metric, in the same order.
    package let dimensions: [AnalystColumn]
    /// The columns that hold numbers: what is counted, those that came at least as far, sums, devices, devices as clients
    /// say.
    package let measures: [AnalystColumn]
    /// The groupings of its rows, those of few dimensions first.
    package let margins: [AnalystMargin]
    /// The releases, the latest period last.
    package let releases: [AnalystRelease]
    /// The longer periods whose days are added up; nil where releases are shown as they are.
    package internal(set) var each: PeriodKind?

    /// The same of sums of days over weeks or months: of those that are released whole, with one sampling, and of what may
    /// be added.
    package func summed(by kind: PeriodKind, _ calendar: PeriodCalendar) -> AnalystShape {
        let days = Dictionary(grouping: releases) { calendar.period(kind, containing: $0.period.start) }
        let whole = days.sorted { $0.key.start < $1.key.start }.compactMap { period, days -> AnalystRelease? in
            let seconds = days.reduce(0) { $0 + ($1.period.end - $1.period.start) }
            guard let first = days.first, seconds == period.end - period.start, Set(days.map(\.sampling)).count == 1
            else { return nil }
            return AnalystRelease(
                period: period, threshold: days.map(\.threshold).max() ?? 0, sampling: first.sampling,
                digest: "of \(days.count) days", hasDevices: false, countedFrom: first.countedFrom,
                countedUntil: days.last?.countedUntil)
        }
        return AnalystShape(
            dimensions: dimensions, measures: measures.filter(\.adds), margins: margins, releases: whole, each: kind)
    }

    /// The column of the count; every view has one.
    package var count: AnalystColumn? { measures.first { $0.kind == .count } }

    /// Finds the column of a dimension by its name; nil where there is none.
    package func dimension(_ name: String) -> AnalystColumn? { dimensions.first { $0.name == name } }

    /// Returns the measures that rows of a grouping have: steps are reached where it is split by steps, and devices are
    /// told where a release has any.
    package func measures(of margin: AnalystMargin) -> [AnalystColumn] {
        let saysDevices = measures.contains { $0.kind == .clientDevices }
        return measures.filter { measure in
            switch measure.kind {
            case .reached(let steps): margin.columns.compactMap(dimension).contains { $0.kind == .dimension(steps) }
            case .devices: !saysDevices && releases.contains { $0.hasDevices }
            case .count, .sum, .clientDevices, .dimension: true
            }
        }
    }
}

package struct AnalystColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case dimension(DimensionName)
        /// The count: events, or identifiers, each once a window. The comment's unit says which.
        case count
        /// The number that came at least as far as the row's step, of this dimension.
        case reached(by: DimensionName)
        /// A sum of clipped values.
        case sum(String)
        /// The proved minimum of devices.
        case devices
        /// The number of devices as clients report it.
        case clientDevices
    }

    package let name: String
    package let kind: Kind
    /// The column's comment in the database, with its unit.
    package let comment: String
    /// The buckets of a dimension, in the plan's order, or by name if ``isLearned``; empty for other columns.
    package internal(set) var buckets: [String] = []
    /// True for a dimension whose buckets are learned and have no order.
    package internal(set) var isLearned = false
    /// The column that says how far off its numbers are, and the one that says why a number is missing; nil for dimensions.
    package internal(set) var beside: Beside?

    package struct Beside: Sendable, Hashable {
        package let margin: String
        package let reason: String
    }

    /// True if numbers of rows without overlap may be added: a device may be in two rows, and who came as far is in the
    /// rows of each step before.
    package var adds: Bool {
        switch kind {
        case .count, .sum: true
        case .reached, .devices, .clientDevices, .dimension: false
        }
    }
}

/// A grouping that a view's rows have.
package struct AnalystMargin: Sendable, Hashable {
    /// The value of the column `margin`: the dimensions' columns, separated by commas.
    package let name: String
    /// The columns that its rows are split by, in column order.
    package let columns: [String]
    /// The view that has its rows, and no others.
    package let view: String
    /// True if the last period has any number of it.
    package let isTold: Bool
}

/// One release, without its numbers.
package struct AnalystRelease: Sendable, Hashable {
    package let period: Period
    /// k.
    package let threshold: Int64
    /// Share of events that clients sent, as PostgreSQL writes it.
    package let sampling: String
    /// The same as a number: more than 0, at most 1.
    package var rate: Double { Double(sampling) ?? 1 }
    package let digest: String
    /// True if the metric publishes devices.
    package let hasDevices: Bool
    /// The time at which counting began, where that was within the period.
    package internal(set) var countedFrom: UnixSeconds?
    /// The time at which counting ended, where that was within the period.
    package internal(set) var countedUntil: UnixSeconds?
}

extension Query {
    static func selectAnalystMetrics() -> RowQuery<AnalystMetric> {
        RowQuery(analyst_metric_select_sql) {
            (app, metric, version, isCurrent, view, timeZone, dimensions, sums, steps, sizes: [String], span) in
            AnalystMetric(
                app: app, metric: metric, version: version, isCurrent: isCurrent, view: view, timeZone: timeZone,
                dimensions: dimensions, sums: sums, steps: steps, sizes: sizes.compactMap { Int($0) }, spans: [span])
        }
    }

    static func selectAnalystColumns(view: String) -> RowQuery<(name: String, comment: String)> {
        RowQuery(analyst_column_select_sql, view) { ($0, $1) }
    }

    static func selectAnalystBuckets(view: String) -> RowQuery<(dimension: String, bucket: String, isLearned: Bool)> {
        RowQuery(analyst_bucket_select_sql, view) { ($0, $1, $2) }
    }

    static func selectAnalystMargins(view: String, kind: PeriodKind) -> RowQuery<AnalystMargin> {
        RowQuery(analyst_margin_select_sql, view, kind.rawValue, row: AnalystMargin.init)
    }

    static func selectAnalystReleases(view: String, kind: PeriodKind) -> RowQuery<AnalystRelease> {
        RowQuery(analyst_release_select_sql, view, kind.rawValue) {
            AnalystRelease(
                period: Period(kind: kind, start: $0, end: $1), threshold: $2, sampling: $3, digest: $4, hasDevices: $5,
                countedFrom: $6, countedUntil: $7)
        }
    }
}

/// A kind by its word, and what it has.
extension AnalystMetric.Span: ColumnValue {
    init(reading row: inout RowReader) throws {
        guard let kind = PeriodKind(rawValue: try row.text()) else { throw row.unexpected }
        self.init(kind: kind, periods: try row.next(), start: try row.next(), end: try row.next())
    }
}
