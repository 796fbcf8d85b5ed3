internal import ThrongWire

extension DeviceMemory {
    /// The state of a device when it records.
    struct Circumstances {
        let plan: DevicePlan
        let context: [String: EventValue]
        /// The permissions when the event happened, and those of now.
        let permissions: [Permissions]
        let queueLimit: Int

        func allows(_ purpose: DevicePlan.Purpose) -> Bool { permissions.allSatisfy { $0.allows(purpose) } }
    }

    /// Takes one call of ``Throng/record(_:_:)`` in.
    mutating func record(_ record: Inbox.Record, in circumstances: Circumstances, random: inout RandomSource) {
        let plan = circumstances.plan
        let counting: [DevicePlan.Purpose]
        do throws(DropReason) {
            counting = try plan.counting(record.event, with: record.fields.keys)
        } catch { return drop(error, event: record.event) }
        let allowed = plan.purposes.filter(circumstances.allows)
        for purpose in allowed { note(record, for: purpose, in: circumstances, random: &random) }
        let places = allowed.filter { purpose in counting.contains { $0.name == purpose.name } }
        guard !places.isEmpty else { return drop(.notAllowed, event: record.event) }
        for purpose in places {
            do throws(DropReason) {
                try enqueue(
                    record.event, record.fields, at: record.unixSeconds, for: purpose, in: circumstances,
                    random: &random)
            } catch { drop(error, event: record.event) }
        }
    }

    /// Answers how often the device did what metrics ask about, for the periods that are over.
    ///
    /// - Returns: whether there was anything to answer.
    mutating func answer(at now: UnixSeconds, in circumstances: Circumstances, random: inout RandomSource) -> Bool {
        var isAnything = false
        for purpose in circumstances.plan.purposes where circumstances.allows(purpose) {
            for metric in purpose.answered where metric.answered?.frequency != nil {
                for period in activity[metric.name]?.takeOver(at: now) ?? [] {
                    isAnything = true
                    answer(
                        metric, ["events": .integer(Int64(period.count))], at: now, for: purpose, in: circumstances,
                        random: &random)
                }
            }
        }
        return isAnything
    }

    private mutating func answer(
        _ metric: DevicePlan.Metric, _ fields: [String: EventValue], at time: UnixSeconds,
        for purpose: DevicePlan.Purpose, in circumstances: Circumstances, random: inout RandomSource
    ) {
        guard let event = metric.events.min() else { return }
        do throws(DropReason) {
            try enqueue(event, fields, at: time, for: purpose, in: circumstances, random: &random)
        } catch { drop(error, event: event) }
    }

    /// Notes what is asked about. The first event of a week answers which week after the device's first one it is, so
    /// that a device that leaves later is not missing. The number of events is answered only when their period is over.
    private mutating func note(
        _ record: Inbox.Record, for purpose: DevicePlan.Purpose, in circumstances: Circumstances,
        random: inout RandomSource
    ) {
        let calendar = circumstances.plan.calendar
        for metric in purpose.answered {
            guard let answered = metric.answered, answered.asks(about: record.event) else { continue }
            let period = calendar.period(answered.period, containing: record.unixSeconds)
            guard let retention = answered.retention else {
                activity[metric.name, default: Activity()].note(period)
                continue
            }
            let weeks = activity[metric.name, default: Activity()].comeBack(
                in: period, most: retention.weeks, calendar: calendar)
            if let weeks {
                answer(
                    metric, ["week": .text(String(weeks))], at: record.unixSeconds, for: purpose, in: circumstances,
                    random: &random)
            }
        }
    }

    private mutating func enqueue(
        _ name: String, _ fields: [String: EventValue], at time: UnixSeconds, for purpose: DevicePlan.Purpose,
        in circumstances: Circumstances, random: inout RandomSource
    ) throws(DropReason) {
        guard let event = purpose.events[name] else { throw .unknownEvent }
        let coarsened = try event.coarsened { fields[$0] ?? circumstances.context[$0] }
        let live = event.metrics.filter { time < $0.expires }
        guard !live.isEmpty else { throw .metricExpired }
        for metric in live where metric.isImpossible(metric.buckets(event: name, fields: coarsened, at: time)) {
            throw .impossibleCombination
        }
        guard Double.random(in: 0..<1, using: &random) < event.sampling else { throw .notSampled }
        let calendar = circumstances.plan.calendar
        let counting = spend(on: live, of: purpose, at: time, calendar: calendar)
        guard !counting.isEmpty else { throw .contributionBound }
        let period = calendar.period(event.grain, containing: time)
        put(
            QueuedEvent(
                event: name, fields: coarsened, start: period.start, end: period.end, metrics: counting.map(\.name),
                count: 1), into: purpose.name, limit: circumstances.queueLimit)
    }

    /// Adds an event to those metrics that have room for it, and returns them: their bound in a window, or in the
    /// metric's period without identifiers, where the daemon can't keep bounds.
    private mutating func spend(
        on live: [DevicePlan.Metric], of purpose: DevicePlan.Purpose, at time: UnixSeconds, calendar: PeriodCalendar
    ) -> [DevicePlan.Metric] {
        live.filter { metric in
            // No name of the plan has a space.
            let place = purpose.hasIdentifiers ? purpose.name : "\(purpose.name) \(metric.name)"
            var spending = recorded[place] ?? Spending()
            spending.open(
                purpose.hasIdentifiers
                    ? purpose.rotation.window(at: time).value
                    : calendar.period(metric.period, containing: time).start.value)
            guard spending.room(for: metric) > 0 else { return false }
            spending.add(1, to: metric)
            recorded[place] = spending
            return true
        }
    }

    /// Adds an event to the end of a queue, or to the count of the same one; beyond the limit the oldest goes.
    mutating func put(_ event: QueuedEvent, into purpose: String, limit: Int) {
        var queue = queues.removeValue(forKey: purpose) ?? []
        defer { queues[purpose] = queue }
        if let place = queue.lastIndex(where: { $0.isSame(as: event) }) {
            queue[place].count = min(queue[place].count + event.count, 1_000_000)
        } else {
            queue.append(event)
            if queue.count > max(limit, 1) {
                let oldest = queue.removeFirst()
                drop(.queueFull, oldest.count, event: oldest.event)
            }
        }
    }
}

extension DevicePlan {
    /// The purposes that count an event of the app.
    ///
    /// - Throws: `unknownEvent` if none does, `unknownField` if none of them has a use for a field.
    func counting(_ event: String, with fields: some Sequence<String>) throws(DropReason) -> [Purpose] {
        let counting = purposes.filter { $0.events[event].map { !$0.metrics.isEmpty && !$0.isAnswer } ?? false }
        guard !counting.isEmpty else { throw .unknownEvent }
        guard fields.allSatisfy({ name in counting.contains { $0.takes(name, with: event) } }) else {
            throw .unknownField
        }
        return counting
    }

    /// Says whether the plan has the record's event and all of its fields.
    func knows(_ record: Inbox.Record) -> Bool {
        // The reason why it does not is told when the record is dropped.
        (try? counting(record.event, with: record.fields.keys)) != nil
    }
}

extension DevicePlan.Event {
    /// True if only devices themselves record the event.
    var isAnswer: Bool { metrics.contains { $0.answered != nil } }

    /// The readers of its fields, by a name that outlives the field's: the dimension's, or the metric's and the sum's.
    private var readers: [(name: String, field: String)] {
        metrics.flatMap { metric in
            (metric.dimensions + metric.stepDimensions).map { ($0.name, $0.field) }
                + metric.sums.map { ("\(metric.name) \($0.name)", $0.field.text) }
        }
    }

    /// Returns coarsened fields under the names that they have here, if a former plan had others for what reads them.
    func renamed(_ coarsened: [String: Batch.Scalar], from old: DevicePlan.Event) -> [String: Batch.Scalar] {
        let former = Dictionary(old.readers.map { ($0.name, $0.field) }) { first, _ in first }
        // A field that nothing reads is not sent; a plan after this one may read it again.
        var renamed = coarsened.filter { fields[$0.key] == nil }
        for (name, field) in readers where renamed[field] == nil { renamed[field] = coarsened[former[name] ?? field] }
        return renamed
    }

    /// Returns the fields that leave the device, of those that it has, or that a former plan coarsened; those that this one
    /// has no use for are left out.
    ///
    /// - Throws: why the event can't be counted, or not any more.
    func coarsened(_ value: (_ field: String) -> EventValue?) throws(DropReason) -> [String: Batch.Scalar] {
        var coarsened: [String: Batch.Scalar] = [:]
        for (name, coarsening) in fields {
            if let value = value(name) {
                coarsened[name] = try coarsening(value)
            } else if coarsening.isRequired {
                throw .invalidValue
            }
        }
        return coarsened
    }
}

extension DevicePlan.Purpose {
    /// Says whether an event of the purpose may carry a field.
    func takes(_ field: String, with event: String) -> Bool { events[event]?.fields[field] != nil }
}

/// The treatment of one field of an event before it leaves the device.
struct Coarsening: Sendable {
    /// The different bucketings that read the field.
    private let bucketings: [any Bucketing]
    /// The sums that add it up.
    private let sums: [SumMeasure]
    /// True if the field holds tokens of values that nobody lists: see ``RevealedValues``.
    private let isRevealed: Bool

    init(of field: FieldName, for metrics: [DevicePlan.Metric]) {
        var rules: Set<BucketingRule> = []
        bucketings = metrics.flatMap { $0.dimensions + $0.stepDimensions }.filter {
            $0.field == field.text && rules.insert($0.rule).inserted
        }.map(\.bucketing)
        sums = metrics.flatMap(\.sums).filter { $0.field == field }
        isRevealed = rules.contains { if case .revealed = $0 { true } else { false } }
    }

    /// True if an event without the field is refused.
    var isRequired: Bool { !sums.isEmpty }

    /// Returns what is sent: a label, a clipped number if the field is summed, or nil, which is `other`.
    func callAsFunction(_ value: EventValue) throws(DropReason) -> Batch.Scalar? {
        guard sums.isEmpty else { return try clipped(value) }
        guard !isRevealed else {
            guard case .text(let text) = value, RevealedHash(wire: Array(text.utf8)) != nil else { return nil }
            return .text(text)
        }
        let found = bucketings.map { bucketing in value.withFieldValue { bucketing.bucket($0) } }
        let labels = zip(bucketings, found).map { bucketing, bucket in bucketing.labels[bucket] }
        if labels.allSatisfy({ $0 == .other }) { return nil }
        // Several dimensions may read one field; the label of the finest one lands in the right bucket of each.
        for label in labels where label != .other {
            let again = bucketings.map { bucketing in label.text.withFieldValue { bucketing.bucket($0) } }
            if again == found { return .text(label.text) }
        }
        throw .ambiguousField
    }

    private func clipped(_ value: EventValue) throws(DropReason) -> Batch.Scalar {
        guard let number = value.withFieldValue(\.numeric), let lowest = sums.map(\.lowest).min(),
            let highest = sums.map(\.highest).max(), let decimals = sums.map(\.decimals).max()
        else { throw .invalidValue }
        let whole = SumMeasure(name: "", field: "", lowest: lowest, highest: highest, decimals: decimals, unit: "")
        let quantum = whole.quantum(of: number)
        return decimals == 0 ? .integer(quantum) : .number(Double(quantum) / whole.scale)
    }
}

extension DropReason: Error {}

extension Batch.Scalar {
    /// The value as an app would have given it.
    var eventValue: EventValue? {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        case .number(let number): .number(number)
        case .flag(let flag): .flag(flag)
        case .null: nil
        }
    }
}

/// The times when a device recorded what a metric asks about, as far as the answer needs them.
struct Activity: Codable, Sendable {
    /// The start of the week of the first event; for retention.
    private var first: UnixSeconds?
    /// The numbers of the weeks after that one that are answered, at most as many as the plan asks for; for retention.
    private var answered: Set<Int64> = []
    /// The periods that are not answered yet; for frequency.
    private var periods: [Active] = []

    struct Active: Codable, Sendable {
        let start: UnixSeconds
        let end: UnixSeconds
        var count: Int
    }

    /// Notes an event for retention.
    ///
    /// - Returns: how many weeks after the first one it is, 0 to `most`, if that week is not answered yet.
    mutating func comeBack(in week: Period, most: Int, calendar: PeriodCalendar) -> Int64? {
        func number(since start: UnixSeconds) -> Int64 {
            (calendar.date(at: week.start).daysSince1970 - calendar.date(at: start).daysSince1970) / 7
        }
        // A clock that was ahead when it began has begun nothing.
        if first.map({ number(since: $0) < 0 }) ?? true {
            first = week.start
            answered = []
        }
        guard let weeks = first.map(number), weeks <= Int64(most), answered.insert(weeks).inserted else { return nil }
        return weeks
    }

    /// Notes an event for frequency.
    mutating func note(_ period: Period) {
        if let place = periods.lastIndex(where: { $0.start == period.start }) {
            periods[place].count = min(periods[place].count + 1, 1_000_000_000)
        } else {
            periods.append(Active(start: period.start, end: period.end, count: 1))
        }
    }

    /// Takes out the periods that are over.
    mutating func takeOver(at now: UnixSeconds) -> [Active] {
        let over = periods.filter { $0.end <= now }
        periods.removeAll { $0.end <= now }
        return over
    }
}

extension PublicPlan.Answered {
    /// Says whether the metric asks about an event.
    func asks(about event: String) -> Bool { (retention?.of ?? frequency?.of ?? []).contains { $0.text == event } }

    /// The length of the periods that are answered one by one.
    var period: PeriodKind { frequency?.per ?? .week }
}
