internal import ThrongPlan

/// The tables of a purpose while its metrics are added, one after the other.
///
/// Fields, dimensions and events get their numbers in the order in which metrics name them.
struct PurposeDraft {
    private let plan: Plan
    private let calendar: PeriodCalendar
    private let space: CellSpace
    private let rules: UserAgentRules
    private(set) var eventNames = ByteTable()
    private(set) var eventList: [String] = []
    private(set) var events: [EventTables] = []
    private(set) var fieldNames = ByteTable()
    private(set) var fieldList: [String] = []
    private(set) var dimensions: [DimensionTables] = []
    private(set) var revealed: [RevealedDimension] = []
    private(set) var userAgents: [UserAgentField] = []
    private var places: [Dimension: Int] = [:]

    init(plan: Plan, calendar: PeriodCalendar, space: CellSpace, rules: UserAgentRules) {
        (self.plan, self.calendar, self.space, self.rules) = (plan, calendar, space, rules)
    }

    /// Adds a metric to the events that it counts.
    mutating func add(_ metric: Metric) throws {
        let layout = try plan.layout(of: metric, rules: rules)
        guard let ordinal = space.ordinal(of: layout.id) else {
            preconditionFailure("the cell space is made of the plans' layouts")
        }
        if metric.within != nil {
            try addWindows(of: metric, layout, ordinal: Int32(ordinal))
        } else {
            try addCube(of: metric, layout, ordinal: Int32(ordinal))
        }
    }

    /// Adds a metric that counts identifiers, once each when their window is over.
    private mutating func addWindows(of metric: Metric, _ layout: MetricLayout, ordinal: Int32) throws {
        let axes = try axes(of: metric.dimensions.compactMap { plan.dimension($0) }, in: layout)
        let steps = try metric.steps.map { try filters(of: $0.filters) }
        for name in metric.events {
            let taken = metric.steps.indices.filter { metric.steps[$0].event == name }.map {
                WindowTables.Step(bit: 1 << UInt16($0), filters: steps[$0])
            }
            let place = place(ofEvent: name)
            events[place].add(
                WindowTables(
                    ordinal: ordinal, dimensions: axes, steps: steps.isEmpty ? nil : taken,
                    period: metric.period, expires: calendar.midnight(of: metric.expires)))
        }
    }

    /// Adds a metric that counts events.
    private mutating func addCube(of metric: Metric, _ layout: MetricLayout, ordinal: Int32) throws {
        let axes = try axes(of: plan.cubeDimensions(of: metric), in: layout)
        let sums = metric.sums.map { MetricTables.Sum(source: source(of: $0.field), measure: $0) }
        let fields = (axes.map { dimensions[$0.dimension].source } + sums.map(\.source)).reduce(UInt64(0)) {
            if case .field(let field) = $1 { $0 | MetricTables.bit(of: field) } else { $0 }
        }
        for name in metric.events {
            let place = place(ofEvent: name)
            events[place].add(firstsOf: layout)
            let base = axes.filter { dimensions[$0.dimension].isEvent }.reduce(UInt32(0)) { cell, axis in
                let bucket = name.text.withFieldValue { dimensions[axis.dimension].bucketing.bucket($0) }
                return cell + UInt32(bucket) * axis.stride
            }
            events[place].metrics.append(
                MetricTables(
                    ordinal: ordinal, base: base, dimensions: axes.filter { !dimensions[$0.dimension].isEvent },
                    impossible: layout.impossibleLeaves, sums: sums, fields: fields, period: metric.period,
                    expires: calendar.midnight(of: metric.expires)))
        }
    }

    /// Notes, for each event, the fields that its metrics read; no other may come.
    mutating func noteFields() {
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
    }

    /// The labels that devices may send in place of a user agent, with ``PurposeTables/botLabel`` for those of bots.
    var userAgentLabels: ByteTable {
        var labels = ByteTable()
        for label in userAgents.flatMap(\.bucketings).flatMap(\.labels) {
            labels.insert(label.text, label.text == DeviceClass.bot.rawValue ? PurposeTables.botLabel : 0)
        }
        return labels
    }

    // MARK: Numbers for names

    private mutating func place(ofEvent name: EventName) -> Int {
        if let known = eventNames.insert(name.text, events.count) { return known }
        eventList.append(name.text)
        events.append(EventTables())
        return events.count - 1
    }

    private mutating func source(of name: FieldName) -> FieldSource {
        if name == .time { return .time }
        if name == .event { return .event }
        if let known = fieldNames.insert(name.text, fieldList.count) { return .field(known) }
        fieldList.append(name.text)
        return .field(fieldList.count - 1)
    }

    private mutating func place(of dimension: Dimension) throws -> Int {
        if let known = places[dimension] { return known }
        places[dimension] = dimensions.count
        var source = source(of: dimension.field)
        if case .revealed(let most) = dimension.rule, case .field(let field) = source {
            source = .revealed(revealed.count)
            revealed.append(
                RevealedDimension(name: dimension.name, most: most, field: field, evaluator: plan.app.evaluator?.key))
        }
        let bucketing = try dimension.rule.compiled(rules: rules)
        if let agents = bucketing as? UserAgentBucketing, case .field(let field) = source {
            let known = userAgents.firstIndex { $0.field == field } ?? userAgents.count
            if known == userAgents.count { userAgents.append(UserAgentField(field: field)) }
            userAgents[known].dimensions.append(dimensions.count)
            userAgents[known].bucketings.append(agents)
        }
        dimensions.append(DimensionTables(source: source, bucketing: bucketing))
        return dimensions.count - 1
    }

    /// Returns the axes of a layout's leaf cells; the last dimension runs fastest.
    private mutating func axes(of asked: [Dimension], in layout: MetricLayout) throws -> [MetricTables.Axis] {
        var stride = UInt32(layout.size(of: layout.leaf))
        var axes: [MetricTables.Axis] = []
        for dimension in asked {
            let place = try place(of: dimension)
            stride /= UInt32(dimensions[place].bucketing.labels.count)
            axes.append(MetricTables.Axis(dimension: place, stride: stride))
        }
        return axes
    }

    private mutating func filters(of asked: [Insight.Filter]) throws -> [WindowTables.Filter] {
        var filters: [WindowTables.Filter] = []
        for filter in asked {
            guard let dimension = plan.dimension(filter.dimension) else { continue }
            let place = try place(of: dimension)
            if let bucket = dimensions[place].bucketing.labels.firstIndex(of: filter.bucket) {
                filters.append(WindowTables.Filter(dimension: place, bucket: bucket))
            }
        }
        return filters
    }
}
