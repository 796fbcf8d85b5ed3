internal import ThrongPlan

/// The metrics that count identifiers for an event of one name. A class, because nearly all events have none.
final class EventWindows: Sendable {
    let metrics: [WindowTables]

    init(metrics: [WindowTables]) { self.metrics = metrics }
}

/// One metric that counts identifiers, ready to mark an event's progress.
struct WindowTables: Sendable {
    let ordinal: Int32
    let dimensions: [MetricTables.Axis]
    /// The steps that the event may be; nil if every event counts.
    let steps: [Step]?
    let period: PeriodKind
    /// The time from which on it no longer counts.
    let expires: UnixSeconds

    struct Step: Sendable {
        let bit: UInt16
        let filters: [Filter]
    }

    struct Filter: Sendable {
        /// The place among the purpose's dimensions.
        let dimension: Int
        let bucket: Int
    }
}

extension BatchReader {
    /// Adds an event's marks for metrics that count identifiers; true if any of them has not expired.
    mutating func mark(
        _ event: WireEvent, at index: Int, for windows: EventWindows, of document: JSONDocument,
        tables: PurposeTables, now: UnixSeconds
    ) -> Bool {
        var isCounting = false
        for metric in windows.metrics where event.at < metric.expires && now < metric.expires {
            isCounting = true
            var steps: UInt16 = 0
            if let taken = metric.steps {
                for step in taken
                where step.filters.allSatisfy({
                    bucket($0.dimension, of: event, tables: tables, document: document) == $0.bucket
                }) {
                    steps |= step.bit
                }
                if steps == 0 { continue }
            }
            var cell: UInt32 = 0
            for axis in metric.dimensions {
                cell += UInt32(bucket(axis.dimension, of: event, tables: tables, document: document)) * axis.stride
            }
            marks.append(
                .init(
                    event: Int32(index), metric: metric.ordinal, cell: CellIndex(cell),
                    periodStart: period(metric.period, at: event.at, of: tables).start, steps: steps,
                    count: event.count))
        }
        return isCounting
    }

    /// Repeats the marks of an earlier event for one that is like it.
    mutating func repeatMarks(_ places: Range<Int>, at index: Int) {
        for place in places {
            var mark = marks[place]
            mark.event = Int32(index)
            marks.append(mark)
        }
    }
}
