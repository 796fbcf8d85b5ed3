internal import ThrongCounting
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
    private let needsKey: Bool
    /// The largest k of the plan's metrics.
    let largestThreshold: Threshold

    init(plan: Plan, space: CellSpace, rules: UserAgentRules) throws {
        name = plan.app.name
        calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        var names = ByteTable()
        var purposes: [PurposeTables] = []
        for (place, purpose) in plan.purposes.enumerated() {
            names.insert(purpose.name.text, place)
            purposes.append(
                try PurposeTables(purpose: purpose, plan: plan, calendar: calendar, space: space, rules: rules))
        }
        self.purposes = purposes
        purposeNames = names
        var firsts: [FirstTables] = []
        var firstNames = ByteTable()
        for metric in plan.metrics {
            guard let published = try plan.provedFirsts(of: metric),
                let place = plan.purposes.firstIndex(where: { $0.name == metric.purpose })
            else {
                continue
            }
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

    /// Returns the credentials that senders for a purpose need.
    func senderTerms(of tables: PurposeTables) -> SenderTerms {
        SenderTerms(app: name, needsKey: needsKey, backendsOnly: tables.purpose.senders == .backends)
    }
}

/// The tables of one purpose.
final class PurposeTables: Sendable {
    let purpose: Purpose
    /// The app's calendar.
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
    /// The dimensions that read user agents, with the numbers of their fields.
    let userAgents: [(field: Int, dimension: Int)]
    /// The labels that devices may send in place of a user agent: those of any of these dimensions, with ``botLabel``
    /// if the dimension takes the label for a bot's.
    let userAgentLabels: ByteTable
    static let botLabel = 1
    /// True if a metric counts identifiers, so that windows keep each identifier's progress.
    var countsIdentifiers: Bool { events.contains { $0.windows != nil } }

    init(
        purpose: Purpose, plan: Plan, calendar: PeriodCalendar, space: CellSpace, rules: UserAgentRules
    ) throws {
        (self.purpose, self.calendar) = (purpose, calendar)
        var fieldNames = ByteTable()
        var fieldList: [String] = []
        func field(_ name: FieldName) -> FieldSource {
            if name == .time { return .time }
            if name == .event { return .event }
            if let known = fieldNames.insert(name.text, fieldList.count) { return .field(known) }
            fieldList.append(name.text)
            return .field(fieldList.count - 1)
        }

        var dimensions: [DimensionTables] = []
        var revealed: [RevealedDimension] = []
        var userAgents: [(field: Int, dimension: Int)] = []
        var places: [Dimension: Int] = [:]
        func place(of dimension: Dimension) throws -> Int {
            if let known = places[dimension] { return known }
            places[dimension] = dimensions.count
            var source = field(dimension.field)
            if case .revealed(let most) = dimension.rule, case .field(let field) = source {
                source = .revealed(revealed.count)
                revealed.append(
                    RevealedDimension(
                        name: dimension.name, most: most, field: field, evaluator: plan.app.evaluator?.key))
            }
            if dimension.rule.readsUserAgents, case .field(let field) = source {
                userAgents.append((field, dimensions.count))
            }
            dimensions.append(
                DimensionTables(source: source, bucketing: try dimension.rule.compiled(rules: rules)))
            return dimensions.count - 1
        }

        var eventNames = ByteTable()
        var eventList: [String] = []
        var events: [EventTables] = []
        func event(_ name: EventName) -> Int {
            if let known = eventNames.insert(name.text, events.count) { return known }
            eventList.append(name.text)
            events.append(EventTables())
            return events.count - 1
        }
        for metric in plan.metrics where metric.purpose == purpose.name {
            let layout = try plan.layout(of: metric, rules: rules)
            guard let ordinal = space.ordinal(of: layout.id) else {
                preconditionFailure("the cell space is made of the plans' layouts")
            }
            var stride = UInt32(layout.size(of: layout.leaf))
            func axis(_ dimension: Dimension) throws -> MetricTables.Axis {
                let place = try place(of: dimension)
                stride /= UInt32(dimensions[place].bucketing.labels.count)
                return MetricTables.Axis(dimension: place, stride: stride)
            }
            if metric.within != nil {
                let axes = try metric.dimensions.compactMap { plan.dimension($0) }.map(axis)
                let steps = try metric.steps.map { step in
                    try step.filters.compactMap { filter -> WindowTables.Filter? in
                        guard let dimension = plan.dimension(filter.dimension) else { return nil }
                        let number = try place(of: dimension)
                        return dimensions[number].bucketing.labels.firstIndex(of: filter.bucket).map {
                            WindowTables.Filter(dimension: number, bucket: $0)
                        }
                    }
                }
                for name in metric.events {
                    let taken = metric.steps.indices.filter { metric.steps[$0].event == name }.map {
                        WindowTables.Step(bit: 1 << UInt16($0), filters: steps[$0])
                    }
                    events[event(name)].add(
                        WindowTables(
                            ordinal: Int32(ordinal), dimensions: axes, steps: steps.isEmpty ? nil : taken,
                            period: metric.period, expires: calendar.midnight(of: metric.expires)))
                }
                continue
            }
            let table = MetricTables(
                ordinal: Int32(ordinal),
                dimensions: try plan.cubeDimensions(of: metric).map(axis),
                impossible: layout.impossibleLeaves,
                sums: metric.sums.map { MetricTables.Sum(source: field($0.field), measure: $0) },
                period: metric.period,
                expires: calendar.midnight(of: metric.expires))
            for name in metric.events {
                let place = event(name)
                events[place].add(firstsOf: layout)
                events[place].metrics.append(table)
            }
        }
        for place in events.indices {
            events[place].allows = Array(repeating: false, count: fieldNames.count)
            let counted = events[place].metrics.map { metric in
                metric.dimensions.map { dimensions[$0.dimension].source } + metric.sums.map(\.source)
            }
            let looked = (events[place].windows?.metrics ?? []).map { metric in
                (metric.dimensions.map(\.dimension) + (metric.steps ?? []).flatMap(\.filters).map(\.dimension))
                    .map { dimensions[$0].source }
            }
            for sources in counted + looked {
                for case .time in sources { events[place].dependsOnTime = true }
                for case .field(let field) in sources { events[place].allows[field] = true }
                for case .revealed(let dimension) in sources {
                    events[place].allows[revealed[dimension].field] = true
                    if !events[place].revealed.contains(dimension) { events[place].revealed.append(dimension) }
                }
            }
        }
        self.eventNames = eventNames
        self.events = events
        self.eventList = eventList
        self.fieldNames = fieldNames
        self.fieldList = fieldList
        fieldCount = fieldNames.count
        self.dimensions = dimensions
        self.revealed = revealed
        self.userAgents = userAgents
        var labels = ByteTable()
        for bucketing in userAgents.map({ dimensions[$0.dimension].bucketing }) {
            for label in bucketing.labels {
                let isBot = label.text.withFieldValue { bucketing.sighting(of: $0, atOnce: true) }?.isBot == true
                labels.insert(label.text, isBot ? Self.botLabel : 0)
            }
        }
        userAgentLabels = labels
    }
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

/// One dimension, ready to bucket.
struct DimensionTables: Sendable {
    let source: FieldSource
    let bucketing: any Bucketing
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

    /// The metrics that count identifiers; nil if there are none.
    private(set) var windows: EventWindows?

    /// Adds a metric that counts identifiers.
    fileprivate mutating func add(_ metric: WindowTables) {
        windows = EventWindows(metrics: (windows?.metrics ?? []) + [metric])
    }

    /// Adds the firsts of the metric that is appended next.
    fileprivate mutating func add(firstsOf layout: MetricLayout) {
        guard let counted = layout.firsts else { return }
        firsts = (firsts ?? EventFirsts())
            .adding(.init(place: metrics.count, layout: counted, dimensions: layout.dimensions), of: layout.metric)
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

        init(place: Int, layout: FirstsLayout, dimensions: [MetricLayout.DimensionLayout]) {
            self.place = place
            self.layout = layout
            var names = ByteTable()
            for (place, dimension) in dimensions.enumerated() { names.insert(dimension.name.text, place) }
            self.dimensions = names
        }
    }

    init(names: ByteTable = ByteTable(), metrics: [Asked] = []) {
        self.names = names
        self.metrics = metrics
    }

    fileprivate func adding(_ asked: Asked, of metric: MetricName) -> EventFirsts {
        var names = names
        names.insert(metric.text, metrics.count)
        return EventFirsts(names: names, metrics: metrics + [asked])
    }
}

/// One metric, ready to count.
struct MetricTables: Sendable {
    let ordinal: Int32
    let dimensions: [Axis]
    /// The leaf cells that can't occur.
    let impossible: CellSet?
    let sums: [Sum]
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
        let measure: SumMeasure
    }
}
