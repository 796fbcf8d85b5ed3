internal import ThrongWire

extension Throng {
    /// Takes in what was recorded, under the plan, context and consent of this moment.
    func drain() {
        guard !storage.isShared || isInTurn else { return }
        let (records, overflow) = inbox.takeAll()
        let permissions = permissions
        take(records.map { HeldRecord(record: $0, permissions: permissions, context: context) })
        memory.drop(.queueFull, overflow)
        var isAnswered = false
        if let plan {
            let circumstances = circumstances(plan, [permissions], context)
            isAnswered = memory.answer(at: now, in: circumstances, random: &random)
        }
        if !records.isEmpty || overflow > 0 || isAnswered { isSaved = false }
        announce()
    }

    /// Queues events, or holds those that only a newer plan may know until the daemon was asked for it.
    private func take(_ records: [HeldRecord], asks: Bool = true) {
        guard !records.isEmpty else { return }
        guard let plan else { return records.forEach(hold) }
        hideValues(of: records.map(\.record))
        for each in records {
            revealed.remember(each.context, in: plan)
            if asks, asksForEvents || nextAsking <= now, !plan.knows(each.record) {
                if !asksForEvents { nextRefresh = min(nextRefresh, now) }
                asksForEvents = true
                hold(each)
                continue
            }
            memory.record(
                corrected(hidden(each.record, in: plan)),
                in: circumstances(plan, [each.permissions, permissions], each.context), random: &random)
        }
    }

    private func hold(_ record: HeldRecord) {
        if held.count < Self.mostHeld {
            held.append(record)
        } else {
            memory.drop(.queueFull, event: record.record.event)
        }
    }

    /// Queues or drops the events that were held, as the plan says now.
    func takeHeld() {
        guard plan != nil else { return }
        if asksForEvents { nextAsking = max(nextAsking, now + Self.askingPause) }
        asksForEvents = false
        let records = held
        held = []
        take(records, asks: false)
        if !records.isEmpty { isSaved = false }
    }

    /// Tells what was dropped.
    func announce() {
        guard !memory.news.isEmpty else { return }
        if let notice = options.notice { for each in memory.news { notice(each) } }
        memory.news = []
    }

    /// The most events that are held, as many as may be recorded at once.
    static let mostHeld = 10_000
    /// The least time between two requests for a plan because of events that it does not have. Unit: seconds.
    private static let askingPause: Int64 = 3600

    private func corrected(_ record: Inbox.Record) -> Inbox.Record {
        Inbox.Record(
            event: record.event, fields: record.fields,
            unixSeconds: min(max(record.unixSeconds + memory.correction.seconds, .epoch), ClockCorrection.latest))
    }

    private func circumstances(
        _ plan: DevicePlan, _ permissions: [Permissions], _ context: [String: EventValue]
    ) -> DeviceMemory.Circumstances {
        DeviceMemory.Circumstances(
            plan: plan, context: revealed.hidden(context, in: plan), permissions: permissions,
            queueLimit: options.queueLimit)
    }
}
