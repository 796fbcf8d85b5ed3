internal import ThrongPlan

/// A plan as tables: every name is looked up once, by its bytes, and is a small number from then on. A class, because
/// every batch refers to it.
final class AppTables: Sendable {
    let name: AppName
    let calendar: PeriodCalendar
    let purposes: [PurposeTables]
    let purposeNames: ByteTable
    /// The metrics for which devices prove firsts.
    let firsts: [FirstTables]
    /// The places of these metrics in ``firsts``, by name.
    let firstNames: ByteTable
    /// True if clients need a key.
    let needsKey: Bool
    /// The largest k of the plan's metrics.
    let largestThreshold: Threshold

    init(plan: Plan, space: CellSpace, rules: UserAgentRules) throws {
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let purposes = try plan.purposes.map {
            try PurposeTables(purpose: $0, plan: plan, calendar: calendar, space: space, rules: rules)
        }
        name = plan.app.name
        (self.calendar, self.purposes) = (calendar, purposes)
        purposeNames = ByteTable(plan.purposes.map(\.name.text))
        var firsts: [FirstTables] = []
        var firstNames = ByteTable()
        for metric in plan.metrics {
            guard let published = try plan.provedFirsts(of: metric),
                let place = plan.purposes.firstIndex(where: { $0.name == metric.purpose })
            else { continue }
            firstNames.insert(metric.name.text, firsts.count)
            firsts.append(
                FirstTables(
                    try plan.layout(of: metric, rules: rules), published, purpose: purposes[place],
                    expires: calendar.midnight(of: metric.expires), grace: plan.app.grace.components.seconds))
        }
        (self.firsts, self.firstNames) = (firsts, firstNames)
        needsKey = plan.app.keys == .required
        largestThreshold = plan.metrics.map(\.threshold).max() ?? plan.app.threshold
    }
}

final class PurposeTables: Sendable {
    let purpose: Purpose
    let calendar: PeriodCalendar
    let eventNames: ByteTable
    let events: [EventTables]
    /// The events' names, in the same order.
    let eventList: [String]
    let fieldNames: ByteTable
    /// The fields' names, by field number.
    let fieldList: [String]
    let fieldCount: Int
    /// The dimensions that any metric of the purpose uses.
    let dimensions: [DimensionTables]
    /// The dimensions whose buckets are learned.
    let revealed: [RevealedDimension]
    /// The fields that hold user agents.
    let userAgents: [UserAgentField]
    /// The labels that devices may send in place of a user agent: those of any of these dimensions, with ``botLabel``
    /// if the dimension takes the label for a bot's.
    let userAgentLabels: ByteTable
    static let botLabel = 1
    /// True if a metric counts identifiers, so that windows keep each identifier's progress.
    var countsIdentifiers: Bool { events.contains { $0.windows != nil } }

    init(purpose: Purpose, plan: Plan, calendar: PeriodCalendar, space: CellSpace, rules: UserAgentRules) throws {
        var draft = PurposeDraft(plan: plan, calendar: calendar, space: space, rules: rules)
        for metric in plan.metrics where metric.purpose == purpose.name { try draft.add(metric) }
        draft.noteFields()
        (self.purpose, self.calendar) = (purpose, calendar)
        (eventNames, events, eventList) = (draft.eventNames, draft.events, draft.eventList)
        (fieldNames, fieldList, fieldCount) = (draft.fieldNames, draft.fieldList, draft.fieldNames.count)
        (dimensions, revealed) = (draft.dimensions, draft.revealed)
        (userAgents, userAgentLabels) = (draft.userAgents, draft.userAgentLabels)
    }
}

/// A field that holds user agents, by its number, and the dimensions that read it, by their places.
struct UserAgentField: Sendable {
    let field: Int
    var dimensions: [Int] = []
    var bucketings: [UserAgentBucketing] = []
}

/// The source of a dimension's or a sum's value.
enum FieldSource: Sendable {
    /// The event's `at`.
    case time
    /// The event's own name.
    case event
    /// A field, by its number within the purpose.
    case field(Int)
    /// A field that holds hashes, by its dimension's place among the revealed ones.
    case revealed(Int)
}

/// One dimension, ready to bucket. A class, so that no bucketing is copied for a value.
final class DimensionTables: Sendable {
    let source: FieldSource
    let bucketing: any Bucketing
    /// True if its value is the event's own name.
    var isEvent: Bool { if case .event = source { true } else { false } }

    init(source: FieldSource, bucketing: any Bucketing) { (self.source, self.bucketing) = (source, bucketing) }
}

/// The effects of an event of one name.
struct EventTables: Sendable {
    var metrics: [MetricTables] = []
    /// The firsts that the event may claim to be; nil if no metric asks for any.
    private(set) var firsts: EventFirsts?
    /// The fields that an event may carry, by field number.
    var allows: [Bool] = []
    /// True if a dimension depends on the event's time, besides its period.
    var dependsOnTime = false
    /// The revealed dimensions of its metrics, by their places among the purpose's.
    var revealed: [Int] = []
    /// True if metrics that read none of an event's fields get the same from it as from one without them.
    var hasParts: Bool { windows == nil && revealed.isEmpty && !dependsOnTime }

    /// The metrics that count identifiers; nil if there are none.
    private(set) var windows: EventWindows?

    /// Adds a metric that counts identifiers.
    mutating func add(_ metric: WindowTables) { windows = EventWindows(metrics: (windows?.metrics ?? []) + [metric]) }

    /// Adds the firsts of the metric that is appended next.
    mutating func add(firstsOf layout: MetricLayout) {
        guard let counted = layout.firsts else { return }
        firsts = (firsts ?? EventFirsts())
            .adding(
                .init(
                    place: metrics.count, layout: counted,
                    dimensions: ByteTable(layout.dimensions.map(\.name.text))), of: layout.metric)
    }
}

/// The firsts that an event of one name may claim to be. A class, because nearly no event claims any.
final class EventFirsts: Sendable {
    /// The places in ``metrics``, by name of a metric with firsts.
    let names: ByteTable
    let metrics: [Asked]

    /// The firsts of one metric.
    struct Asked: Sendable {
        /// The place among the event's metrics.
        let place: Int
        let layout: FirstsLayout
        /// The places in a margin, by name of the dimension.
        let dimensions: ByteTable
    }

    init(names: ByteTable = ByteTable(), metrics: [Asked] = []) { (self.names, self.metrics) = (names, metrics) }

    fileprivate func adding(_ asked: Asked, of metric: MetricName) -> EventFirsts {
        var names = names
        names.insert(metric.text, metrics.count)
        return EventFirsts(names: names, metrics: metrics + [asked])
    }
}

/// One metric, ready to count an event of one name. A class, so that its lists are not retained for each event.
final class MetricTables: Sendable {
    let ordinal: Int32
    /// The cell of the event's name, with the first bucket of every other dimension.
    let base: UInt32
    /// The dimensions whose buckets the event's name does not decide.
    let dimensions: [Axis]
    /// The leaf cells that can't occur.
    let impossible: CellSet?
    let sums: [Sum]
    /// The fields that it reads, a bit each; those from the 64th on share the last.
    let fields: UInt64
    let period: PeriodKind
    /// The time from which on it no longer counts.
    let expires: UnixSeconds

    struct Axis: Sendable {
        /// The place among the purpose's dimensions.
        let dimension: Int
        /// The number of leaf cells from one bucket to the next.
        let stride: UInt32
    }

    struct Sum: Sendable {
        let source: FieldSource
        private let range: ClosedRange<Double>
        private let scale: Double

        init(source: FieldSource, measure: SumMeasure) {
            (self.source, range, scale) = (source, measure.lowest...measure.highest, measure.scale)
        }

        /// The whole units that ``SumMeasure/quantum(of:)`` makes of a value, with a scale that is computed once.
        func quantum(of value: Double) -> Int64 {
            Int64((min(max(value, range.lowerBound), range.upperBound) * scale).rounded(.toNearestOrEven))
        }
    }

    /// The bit of a field, by its number.
    static func bit(of field: Int) -> UInt64 { 1 << UInt64(min(field, 63)) }

    init(
        ordinal: Int32, base: UInt32, dimensions: [Axis], impossible: CellSet?, sums: [Sum], fields: UInt64,
        period: PeriodKind, expires: UnixSeconds
    ) {
        (self.ordinal, self.base, self.dimensions, self.impossible) = (ordinal, base, dimensions, impossible)
        (self.sums, self.fields, self.period, self.expires) = (sums, fields, period, expires)
    }
}

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
                }) { steps |= step.bit }
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
