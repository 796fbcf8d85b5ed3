internal import Foundation
internal import ThrongPlan
internal import ThrongPostgres
internal import ThrongRelease

extension ReleaseStore {
    /// What metrics that count some of the same events published about a period, with everything that was counted
    /// behind it; nothing where they published nothing yet.
    ///
    /// Where something that holds the whole period was published, it is about all that it holds, and so is the answer:
    /// then also of the metric's own other periods.
    static func tied(
        by ties: EventTies, _ layout: MetricLayout, _ period: Period, _ metric: Int64, _ session: Session
    ) throws -> [TiedMetric] {
        func isOwn(_ other: Int64, _ part: Period) -> Bool {
            other == metric && part.start >= period.start && part.end <= period.end
        }
        var published = try released(of: layout.app, from: period.start, to: period.end, session)
        let names = tiedNames(ties, layout, published.map(\.header))
        func isTied(_ entry: Overlapping) -> Bool {
            let other = entry.header.layout
            return entry.header.noise == nil && (names.contains(other.metric) || other.metric == layout.metric)
                && !isOwn(entry.metric, entry.header.period)
        }
        published.removeAll { !isTied($0) }
        guard !published.isEmpty else { return [] }
        var (start, end) = (period.start, period.end)
        for other in published.map(\.header.period) where other.start <= period.start && other.end >= period.end {
            start = min(start, other.start)
            end = max(end, other.end)
        }
        if (start, end) != (period.start, period.end) {
            published = try released(of: layout.app, from: start, to: end, session).filter(isTied)
        }
        let layouts = try session.query(Query.selectAllLayouts([.text(layout.app.text)]))
        var found: [TiedMetric] = []
        for row in layouts.indices {
            let name = MetricName(try layouts.text(row, 1))
            guard names.contains(name) || name == layout.metric else { continue }
            let id = try layouts.integer(row, 0)
            let other = try Self.layout(LayoutID(try layouts.bytes(row, 2)), json: try layouts.bytes(row, 3))
            guard other.noise == nil else { continue }
            let stored = try session.query(Query.selectStored([.integer(id), .instant(start), .instant(end)]))
            let periods = try stored.indices.map {
                Period(kind: other.period, start: try stored.integer($0, 0), end: try stored.integer($0, 1))
            }.filter { !isOwn(id, $0) }
            guard !periods.isEmpty else { continue }
            let about = published.filter {
                $0.metric == id && $0.header.period.start >= start && $0.header.period.end <= end
            }
            let parts = try periods.map { try cube(other, $0, id, session) }
            let releases = try about.filter { !$0.isDecayed }.map { try $0.release(session) }
            // Counters that are gone, or published numbers that age took, can't be reckoned with.
            let gone = Set(parts.filter { $0.counters.isEmpty }.map(\.period))
            let isWhole =
                about.allSatisfy { !$0.isDecayed }
                && releases.allSatisfy { $0.cells.isEmpty || !gone.contains($0.header.period) }
            found.append(
                TiedMetric(
                    counted: ties.counted(
                        by: name, purpose: other.purpose, published: about.last?.header.events),
                    layout: other, parts: parts, releases: releases, isWhole: isWhole))
        }
        return found
    }

    /// The metrics that the plan in force ties to a layout's.
    static func tiedNames(
        _ ties: EventTies, _ layout: MetricLayout, _ published: [ReleaseHeader] = []
    ) -> Set<MetricName> {
        var others: [MetricName: CountedEvents] = [:]
        for header in published where header.noise == nil {
            let other = header.layout
            others[other.metric] = ties.counted(by: other.metric, purpose: other.purpose, published: header.events)
        }
        let own = others[layout.metric] ?? ties.counted(by: layout.metric, purpose: layout.purpose, published: nil)
        return ties.metrics(tiedTo: layout.metric, counting: own, others: others)
    }

    /// Keeps what was counted in released periods until nothing tied is open over the same time; forgets it at once where
    /// nothing is.
    static func keep(
        _ periods: [Period], of layout: MetricLayout, _ metric: Int64, for names: Set<MetricName>, _ session: Session
    ) throws {
        let names = names.map(\.text).sorted().joined(separator: ",")
        for period in periods {
            try session.query(
                Query.keepPeriod([
                    .integer(metric), period.kind.parameter, period.start.parameter, period.end.parameter,
                    .text(names),
                ]))
        }
    }

    /// Forgets what nothing waits for any more.
    static func forgetKept(app: AppName, _ session: Session) throws {
        try session.query(Query.forgetKept([.text(app.text)]))
    }

    /// A release that shares time with a period.
    private struct Overlapping {
        let id: Int64
        let metric: Int64
        let header: ReleaseHeader
        let digest: [UInt8]
        let isDecayed: Bool

        func release(_ session: Session) throws -> Release {
            try ReleaseStore.restored(id, header, digest: digest, session)
        }
    }

    private static func released(
        of app: AppName, from start: Int64, to end: Int64, _ session: Session
    ) throws -> [Overlapping] {
        let rows = try session.query(Query.selectOverlapping([.text(app.text), .instant(start), .instant(end)]))
        return try rows.indices.map { row in
            Overlapping(
                id: try rows.integer(row, 0), metric: try rows.integer(row, 1),
                header: try ReleaseHeader(json: Data(try rows.bytes(row, 2))), digest: try rows.bytes(row, 3),
                isDecayed: try rows.flag(row, 4))
        }
    }
}
