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
        } catch {
            return drop(error, event: record.event)
        }
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
}

extension DevicePlan.Purpose {
    /// Says whether an event of the purpose may carry a field.
    func takes(_ field: String, with event: String) -> Bool { events[event]?.fields[field] != nil }
}
