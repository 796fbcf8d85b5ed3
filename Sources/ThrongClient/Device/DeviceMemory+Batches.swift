internal import Crypto
internal import Foundation
internal import ThrongWire

extension DeviceMemory {
    struct BatchRules {
        let ageLimit: Int64
        let batchLimit: Int
        let queueLimit: Int
        /// The version of the purpose that the person agreed to; nil if the plan has the first.
        let consentVersion: Int?
        /// The app key; nil if there is none.
        var key: String?
        var isTest = false
        /// The window's attested identifier with its proof; nil for an identifier of the device's own.
        var attested: (place: RotationWindow, identifier: AttestedIdentifier)?
    }

    /// Drops what waited too long.
    mutating func forgetOld(now: UnixSeconds, ageLimit: Int64) {
        firsts.forget(before: now)
        for (purpose, queue) in queues {
            let old = queue.filter { $0.age(now: now) > ageLimit }
            guard !old.isEmpty else { continue }
            queues[purpose] = queue.filter { $0.age(now: now) <= ageLimit }
            for event in old { drop(.tooOld, event.count, event: event.event) }
        }
    }

    /// Says whether something of a purpose could be sent in the open window.
    func hasBatch(_ purpose: DevicePlan.Purpose, now: UnixSeconds) -> Bool {
        let window = purpose.rotation.window(at: now).value
        guard !takingBack.holdsBack(purpose.name, window: window, rotation: purpose.rotation) else { return false }
        var spending = sent[purpose.name] ?? Spending()
        spending.open(window)
        return (queues[purpose.name] ?? []).contains { spending.room(for: $0, of: purpose) > 0 }
    }

    /// Makes a batch of what may be sent in the open window and takes it out of the queue; nil if nothing may.
    ///
    /// Bounds are kept as the daemon keeps them, in the window of sending: an event for which one of its metrics has no
    /// room waits for the next window, so that nothing is refused and no first contribution is lost. Without
    /// identifiers the daemon keeps no bounds, and the device has kept them when it recorded.
    mutating func makeBatch(
        _ purpose: DevicePlan.Purpose, plan: DevicePlan, now: UnixSeconds, rules: BatchRules,
        revealed: inout RevealedValues, random: inout RandomSource
    ) -> Outstanding? {
        let window = purpose.rotation.window(at: now).value
        guard !takingBack.holdsBack(purpose.name, window: window, rotation: purpose.rotation) else { return nil }
        let attested = rules.attested.flatMap {
            $0.place.window == window && $0.place.rotation == purpose.rotation ? $0 : nil
        }
        var draft = BatchDraft(in: window, after: sent[purpose.name] ?? Spending(), attested: attested)
        if purpose.hasIdentifiers { makeSecret(&random) }
        for event in queues[purpose.name] ?? [] {
            guard let (part, known) = take(event, of: purpose, limit: rules.batchLimit, into: &draft) else { continue }
            let instant = part.instant(now: now)
            let firsts = newFirsts(of: part, known, at: instant, in: plan.calendar, marked: &draft.marked)
            draft.marks.append(firsts.marks)
            if attested != nil {
                let metrics = known.metrics.filter { part.metrics.contains($0.name) }
                let proved = pendingFirsts(
                    of: part, in: metrics, for: purpose, window: window, calendar: plan.calendar, at: instant,
                    marked: &draft.marked, random: &random)
                draft.proved.append(proved)
            }
            let fields = revealed.hashed(part.fields, of: known, purpose: purpose.name, window: window, in: plan)
            draft.wire.append(
                Batch.Event(
                    event: part.event, at: Instant.text(instant), fields: fields.isEmpty ? nil : fields,
                    count: part.count == 1 ? nil : part.count, firsts: firsts.claims.isEmpty ? nil : firsts.claims))
        }
        queues[purpose.name] = draft.rest
        guard !draft.taken.isEmpty else { return nil }
        if purpose.hasIdentifiers { sent[purpose.name] = draft.spending }
        return finish(draft, of: purpose, app: plan.published.app.text, now: now, rules: rules, random: &random)
    }

    /// Takes as many of an event as the window has room for; the rest waits on.
    ///
    /// - Returns: the part that goes, and its event in the plan; nil if nothing goes.
    private mutating func take(
        _ event: QueuedEvent, of purpose: DevicePlan.Purpose, limit: Int, into draft: inout BatchDraft
    ) -> (part: QueuedEvent, known: DevicePlan.Event)? {
        guard let known = purpose.events[event.event] else {
            // The plan has changed since.
            drop(.unknownEvent, event.count, event: event.event)
            return nil
        }
        var part = event
        do throws(DropReason) { part.fields = try known.coarsened { event.fields[$0]?.eventValue } } catch {
            drop(error, event.count, event: event.event)
            return nil
        }
        let count = min(event.count, draft.spending.room(for: part, of: purpose))
        guard count > 0, draft.taken.count < min(max(limit, 1), 1000) else {
            draft.rest.append(part)
            return nil
        }
        if count < event.count {
            part.count = event.count - count
            draft.rest.append(part)
        }
        part.count = count
        draft.taken.append(part)
        if purpose.hasIdentifiers { for metric in known.metrics { draft.spending.add(count, to: metric) } }
        return (part, known)
    }

    /// Returns the contributions that an event makes for the first time, as the device keeps them and as the batch
    /// claims them.
    ///
    /// - Parameter marked: the marks of firsts of the batch so far; those of this event are added.
    private func newFirsts(
        of event: QueuedEvent, _ known: DevicePlan.Event, at instant: UnixSeconds, in calendar: PeriodCalendar,
        marked: inout Set<UInt64>
    ) -> (marks: [FirstsMemory.Contribution], claims: [String: [String: [[String]]]]) {
        let secret = key
        var marks: [FirstsMemory.Contribution] = []
        var claims: [String: [String: [[String]]]] = [:]
        for metric in known.metrics where event.metrics.contains(metric.name) && !metric.groupings.isEmpty {
            let buckets = metric.buckets(event: event.event, fields: event.fields, at: instant)
            for kind in metric.firstPeriods {
                let period = calendar.period(kind, containing: instant)
                for grouping in metric.groupings {
                    let mark = FirstsMemory.contribution(
                        of: buckets, to: grouping, of: metric, in: period, secret: secret)
                    guard !firsts.holds(mark), marked.insert(mark.key).inserted else { continue }
                    marks.append(mark)
                    claims[metric.name, default: [:]][kind.rawValue, default: []].append(grouping.map(\.name))
                }
            }
        }
        return (marks, claims)
    }

    /// Writes a batch and keeps it until there is an answer.
    private mutating func finish(
        _ draft: BatchDraft, of purpose: DevicePlan.Purpose, app: String, now: UnixSeconds, rules: BatchRules,
        random: inout RandomSource
    ) -> Outstanding? {
        let name = BatchID(high: random.next(), low: random.next())
        let attested = draft.attested
        let proof = attested.flatMap { self.proved[purpose.name] == $0.place ? nil : $0.identifier.proof }
        let shared = Self.shared(draft.wire, allowed: purpose.contextFields)
        let own =
            attested == nil && purpose.hasIdentifiers
            ? identifier(purpose: purpose.name, window: draft.window, isPassing: purpose.countsChildren) : nil
        let batch = Batch(
            app: app, batch: name, purpose: purpose.name, window: draft.window, id: attested?.identifier.id ?? own,
            context: shared, events: Self.without(shared, draft.wire), consentVersion: rules.consentVersion,
            key: rules.key, proof: proof, isTest: rules.isTest)
        let body: String
        do { body = try batch.stableJSON } catch {
            // Labels and finite numbers can always be written; what can't be is not kept for ever.
            drop(.invalidValue, draft.taken.reduce(0) { $0 + $1.count })
            return nil
        }
        var made = Outstanding(
            batch: name.description, window: draft.window, body: body, events: draft.taken, firsts: draft.marks,
            log: log.upperBound, firstSent: now, spentBefore: draft.spentBefore)
        made.isSealed = purpose.isOblivious
        made.attested = attested?.identifier.id
        made.slot = own.flatMap { Array(SHA256.hash(data: Data($0.utf8))).first }
        made.proves = proof != nil
        made.proved = draft.proved
        log = log.lowerBound..<log.upperBound + 1
        outstanding[purpose.name] = made
        use(made, of: purpose)
        return made
    }

    /// Takes in what the daemon said of a batch that it counted.
    mutating func settle(_ batch: Outstanding, of purpose: String, answer: BatchAnswer) {
        outstanding[purpose] = nil
        let refused = Set(answer.refused.map(\.index)).filter(batch.events.indices.contains)
        // A batch that a daemon with an earlier plan counted may come again to one that refuses its consent.
        let isUnsure = batch.mayHaveArrived && answer.refused.contains { $0.reason == .consentOutdated }
        // Nothing of a test was counted, so nothing of it was a first.
        if answer.test == nil {
            for (index, marks) in batch.firsts.enumerated() where isUnsure || !refused.contains(index) {
                firsts.add(marks)
            }
            for (index, firsts) in batch.proved.enumerated() where !refused.contains(index) { pend(firsts) }
        }
        for index in refused.sorted() { drop(.refused, batch.events[index].count, event: batch.events[index].event) }
    }

    /// Gives up a batch that the daemon refused as a whole.
    mutating func giveUp(_ batch: Outstanding, of purpose: String, reason: DropReason) {
        outstanding[purpose] = nil
        // The firsts may have been counted, too, if an earlier attempt was.
        if batch.mayHaveArrived { firsts.add(batch.firsts.flatMap(\.self)) }
        drop(reason, batch.count)
    }

    /// Undoes a batch that surely never arrived: its events go back to the front of the queue.
    mutating func dissolve(_ batch: Outstanding, of purpose: String, queueLimit: Int) {
        if log.upperBound == batch.log + 1, log.contains(batch.log) { log = log.lowerBound..<batch.log }
        putBack(batch.events, of: batch, of: purpose, queueLimit: queueLimit)
    }

    /// Moves events of a batch of which none was counted back to the front of the queue.
    mutating func putBack(_ events: [QueuedEvent], of batch: Outstanding, of purpose: String, queueLimit: Int) {
        outstanding[purpose] = nil
        if sent[purpose]?.window == batch.window { sent[purpose] = batch.spentBefore }
        let behind = queues.removeValue(forKey: purpose) ?? []
        for event in events + behind { put(event, into: purpose, limit: queueLimit) }
    }

    /// Moves waiting events to when they really happened, once the clock is known to be wrong; never beyond now.
    mutating func move(by seconds: Int64, in calendar: PeriodCalendar, now: UnixSeconds) {
        queues = queues.mapValues { $0.map { $0.moved(by: seconds, in: calendar, now: now) } }
        // They are times of the wrong clock.
        patience = [:]
    }

    /// Goes on under a newer plan: waiting events take its names, and unsent batches are made anew.
    mutating func follow(_ plan: DevicePlan, after old: DevicePlan, queueLimit: Int) {
        for (purpose, batch) in outstanding where !batch.mayHaveArrived {
            dissolve(batch, of: purpose, queueLimit: queueLimit)
        }
        for (purpose, queue) in queues {
            guard let before = old.purpose(purpose), let after = plan.purpose(purpose) else { continue }
            queues[purpose] = queue.map { event in
                guard let known = before.events[event.event], let next = after.events[event.event] else { return event }
                var event = event
                event.fields = next.renamed(event.fields, from: known)
                return event
            }
        }
    }

    /// The fields that all events have alike, which are written once.
    private static func shared(_ events: [Batch.Event], allowed: Set<String>) -> [String: Batch.Scalar] {
        guard events.count > 1, let first = events.first?.fields else { return [:] }
        return first.filter { name, value in allowed.contains(name) && events.allSatisfy { $0.fields?[name] == value } }
    }

    private static func without(_ shared: [String: Batch.Scalar], _ events: [Batch.Event]) -> [Batch.Event] {
        guard !shared.isEmpty else { return events }
        return events.map { event in
            var event = event
            let own = event.fields?.filter { shared[$0.key] == nil } ?? [:]
            event.fields = own.isEmpty ? nil : own
            return event
        }
    }
}

extension Spending {
    /// Returns how many of an event may be sent: as many as the fullest of its metrics has room for.
    func room(for event: QueuedEvent, of purpose: DevicePlan.Purpose) -> Int {
        guard purpose.hasIdentifiers else { return event.count }
        let metrics = purpose.events[event.event]?.metrics.filter { event.metrics.contains($0.name) } ?? []
        // An event that the plan counts no more has to get out of the queue.
        return metrics.map(room(for:)).min() ?? event.count
    }
}

/// A batch while events are put into it.
struct BatchDraft {
    /// Its window: floor(unix time / rotation).
    let window: Int64
    /// The amounts spent in the window before this batch.
    let spentBefore: Spending
    /// The amounts spent in the window with this batch.
    var spending: Spending
    /// The identifier that nobody can invent under which it goes; nil for one of the device's own.
    let attested: (place: RotationWindow, identifier: AttestedIdentifier)?
    /// The events that wait on.
    var rest: [QueuedEvent] = []
    /// The events that go.
    var taken: [QueuedEvent] = []
    /// The same events, as they are sent.
    var wire: [Batch.Event] = []
    /// The contributions that each event makes for the first time.
    var marks: [[FirstsMemory.Contribution]] = []
    /// The firsts of each event that are proved once it is counted.
    var proved: [[PendingFirst]] = []
    /// The keys of all contributions that the batch makes for the first time.
    var marked: Set<UInt64> = []

    init(in window: Int64, after spent: Spending, attested: (place: RotationWindow, identifier: AttestedIdentifier)?) {
        var spending = spent
        spending.open(window)
        (self.window, self.attested, self.spending) = (window, attested, spending)
        spentBefore = spending
    }
}
