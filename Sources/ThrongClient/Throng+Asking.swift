internal import Foundation
internal import ThrongWire

extension Throng {
    /// The questions that the person is to be asked now, in the plan's order: those of purposes that need consent and
    /// about whose present version nobody has said anything. Empty if a signal refuses them anyway, and until there is
    /// a plan: see ``loadPlan()``.
    public var consentQuestions: [ConsentQuestion] {
        (plan?.purposes ?? []).filter { purpose in
            purpose.needsConsent && purpose.refusedBy.isDisjoint(with: permissions.signals)
                && consents.holding(for: purpose) == .notDetermined
        }.compactMap { consentQuestion(for: $0.name) }
    }

    /// The question about one purpose, whatever was said: for settings, in which people change their mind.
    ///
    /// - Returns: nil if the plan does not have the purpose, or there is none.
    public func consentQuestion(for purpose: String) -> ConsentQuestion? {
        guard let plan, let purpose = plan.purpose(purpose),
            let published = plan.published.purposes.first(where: { $0.name.text == purpose.name })
        else { return nil }
        let app = spokenTitle(of: plan)
        let agreement: Consent = purpose.needsParent(permissions.signals) ? .authorizedByParent : .authorized
        return ConsentQuestion(
            id: purpose.name, version: purpose.consentVersion, app: app,
            title: words("throng.question", "May \(app.text) count this?"),
            explanation: SpokenText(
                explanation(of: purpose), language: spokenExplanation(of: purpose, in: plan).language),
            consent: consents.holding(for: purpose),
            choices: [
                .init(
                    consent: agreement,
                    words: agreement == .authorizedByParent
                        ? words("throng.agreeAsParent", "I am a parent and agree")
                        : words("throng.agree", "Yes, count it")),
                .init(consent: .denied, words: words("throng.refuse", "No, don\u{2019}t count it")),
            ], counted: plan.published.metrics.filter { $0.purpose.text == purpose.name }.map { counted($0, in: plan) },
            identifierSeconds: purpose.hasIdentifiers ? purpose.rotation.seconds : 0,
            retentionSeconds: published.retentionSeconds, threshold: plan.published.threshold,
            recipients: plan.published.recipients.map {
                let title = plan.published.spoken("partners.\($0.name).title", $0.title, for: languages).text
                return .init(title: title, contact: $0.contact, insights: $0.insights)
            },
            contact: plan.published.contact,
            refusedBy: purpose.refusedBy.intersection(permissions.signals).sorted { $0.rawValue < $1.rawValue })
    }

    /// Takes the answer to a question, for the version of the purpose that it was about; see ``setConsent(_:for:version:)``.
    ///
    /// - Throws: ``ThrongError/storage(_:)`` if what is said would be forgotten when the app ends.
    public func answer(_ question: ConsentQuestion, with consent: Consent) throws(ThrongError) {
        try setConsent(consent, for: question.id, version: question.version)
    }

    /// A record of everything that left the device or waits, and how it is counted. Events that were sent are shown as
    /// the present plan counts them.
    public var inspection: Inspection {
        let status = status
        return Inspection(
            app: plan.map(spokenTitle(of:)) ?? SpokenText(source.app), sent: sent.reversed().map(shown),
            waiting: waitingEvents, unplanned: held.count, withdrawing: status.withdrawing,
            dropped: Dictionary(status.dropped.map { ($0.key.rawValue, $0.value) }) { first, _ in first })
    }

    private var waitingEvents: [Inspection.Event] {
        memory.queues.sorted { $0.key < $1.key }.flatMap { purpose, queue in
            queue.map { event in
                Inspection.Event(
                    event: event.event, purpose: purpose, count: event.count, fields: event.fields.mapValues(\.shown),
                    counted: counters(of: event.event, event.fields, at: event.start, for: purpose) {
                        event.metrics.contains($0)
                    },
                    refused: nil)
            }
        }
    }

    private func shown(_ batch: SentBatch) -> Inspection.Sent {
        let refused: [Int: String]
        switch batch.outcome {
        case .counted(events: _, let reasons), .tested(events: _, let reasons): refused = reasons
        case .unanswered, .rejected: refused = [:]
        }
        return Inspection.Sent(
            id: batch.id, purpose: batch.purpose, explanation: batch.explanation, unixSeconds: batch.unixSeconds,
            outcome: batch.outcome,
            events: batch.events.enumerated().map { place, event in
                Inspection.Event(
                    event: event.event, purpose: batch.purpose, count: event.count ?? 1,
                    fields: (event.fields ?? [:]).mapValues(\.shown),
                    counted: Instant.time(event.at).map {
                        counters(of: event.event, event.fields ?? [:], at: $0, for: batch.purpose) { _ in true }
                    } ?? [], refused: refused[place])
            }, body: batch.body)
    }

    private func counters(
        of event: String, _ fields: [String: Batch.Scalar], at instant: UnixSeconds, for purpose: String,
        where counts: (String) -> Bool
    ) -> [Inspection.Counted] {
        guard let plan, let metrics = plan.purpose(purpose)?.events[event]?.metrics else { return [] }
        return metrics.filter { counts($0.name) }.map { metric in
            let words = plan.published.metrics.first { $0.name.text == metric.name }?.title ?? metric.name
            return Inspection.Counted(
                metric: metric.name,
                title: plan.published.spoken("metrics.\(metric.name).title", words, for: languages),
                period: plan.calendar.label(of: plan.calendar.period(metric.period, containing: instant)),
                buckets: zip(metric.dimensions, metric.buckets(event: event, fields: fields, at: instant)).map {
                    Inspection.Bucket(title: title(of: $0.name, in: plan), label: $0.bucketing.labels[$1].text)
                })
        }
    }

    private func counted(_ metric: PublicPlan.Metric, in plan: DevicePlan) -> ConsentQuestion.Counted {
        let parts = metric.dimensions.map { name in
            let buckets = plan.published.dimensions.first { $0.name == name }?.buckets.map(\.text) ?? []
            // Words that are learned while counting goes on can't be listed.
            return ConsentQuestion.Part(
                title: title(of: name.text, in: plan), buckets: buckets == [BucketLabel.other.text] ? [] : buckets)
        }
        return ConsentQuestion.Counted(
            metric: metric.name.text,
            title: plan.published.spoken("metrics.\(metric.name).title", metric.title, for: languages),
            question: question(of: metric), events: metric.events.map(\.text), period: metric.period, parts: parts,
            sums: metric.sums.map { sum in
                let place = "metrics.\(metric.name).sums.\(sum.name).title"
                let title = plan.published.spoken(place, sum.name, for: languages).text
                return .init(name: title, lowest: sum.lowest, highest: sum.highest, unit: sum.unit)
            },
            sampling: metric.sampling)
    }

    private func title(of dimension: String, in plan: DevicePlan) -> SpokenText {
        let title = plan.published.dimensions.first { $0.name.text == dimension }?.title ?? dimension
        return plan.published.spoken("dimensions.\(dimension).title", title, for: languages)
    }

    private func spokenTitle(of plan: DevicePlan) -> SpokenText {
        plan.published.spoken("app.title", plan.published.title, for: languages)
    }

    /// Words of the library's own.
    private func words(_ key: String, _ english: String) -> SpokenText {
        let words = options.localize(key, english)
        return SpokenText(words, language: words == english ? "en" : nil)
    }

    /// Every batch that left the device, exactly as sent, oldest first; as many as the options say.
    public var sent: [SentBatch] {
        memory.log.compactMap { place in
            // A damaged entry can't be shown; the others can.
            guard let data = try? storage.read(Self.logName(place)) else { return nil }
            return try? JSONDecoder().decode(SentBatch.self, from: data)
        }
    }

    /// The library's state, in numbers.
    public var status: ThrongStatus {
        drain()
        persist()
        var dropped: [DropReason: Int] = [:]
        for (name, count) in memory.dropped { if let reason = DropReason(rawValue: name) { dropped[reason] = count } }
        return ThrongStatus(
            waiting: memory.waiting + held.count, unanswered: memory.outstanding.values.reduce(0) { $0 + $1.count },
            withdrawing: memory.takingBack.waiting.count, dropped: dropped, isSaved: isSaved,
            isConsentKept: isConsentSaved && consents.others != .denied, planVersion: plan?.published.version,
            planProblem: planProblem)
    }

    /// Returns what an event would be counted as, for all purposes; records nothing.
    public func preview(_ event: String, _ fields: [String: any EventValueConvertible] = [:]) -> EventPreview {
        guard let plan else { return EventPreview(counted: [], refused: .noPlan) }
        let now = self.now
        let values = fields.mapValues(\.eventValue)
        let counting: [DevicePlan.Purpose]
        do throws(DropReason) {
            counting = try plan.counting(event, with: fields.keys)
        } catch { return EventPreview(counted: [], refused: error) }
        var tuples: [EventPreview.Tuple] = []
        var refused: DropReason?
        for purpose in counting {
            guard let known = purpose.events[event] else { continue }
            do throws(DropReason) {
                let coarsened = try known.coarsened { values[$0] ?? context[$0] }
                let live = known.metrics.filter { now < $0.expires }
                guard !live.isEmpty else { throw .metricExpired }
                let buckets = live.map { $0.buckets(event: event, fields: coarsened, at: now) }
                for (metric, buckets) in zip(live, buckets) where metric.isImpossible(buckets) {
                    throw .impossibleCombination
                }
                for (metric, buckets) in zip(live, buckets) {
                    tuples.append(tuple(metric, buckets, coarsened, purpose, in: plan, now: now))
                }
            } catch { refused = error }
        }
        return EventPreview(counted: tuples, refused: tuples.isEmpty ? refused : nil)
    }

    private func tuple(
        _ metric: DevicePlan.Metric, _ buckets: [Int], _ fields: [String: Batch.Scalar],
        _ purpose: DevicePlan.Purpose, in plan: DevicePlan, now: UnixSeconds
    ) -> EventPreview.Tuple {
        let labels = zip(metric.dimensions, buckets).map { ($0.name, $0.bucketing.labels[$1].text) }
        let sums = metric.sums.compactMap { sum -> (String, Double)? in
            guard let number = fields[sum.field.text]?.withFieldValue(\.numeric) else { return nil }
            return (sum.name, Double(sum.quantum(of: number)) / sum.scale)
        }
        let words = plan.published.spoken("metrics.\(metric.name).question", metric.question, for: languages)
        return EventPreview.Tuple(
            metric: metric.name, question: words.text, purpose: purpose.name, explanation: explanation(of: purpose),
            buckets: Dictionary(labels) { first, _ in first }, sums: Dictionary(sums) { first, _ in first },
            period: plan.calendar.label(of: plan.calendar.period(metric.period, containing: now)),
            isOncePerWindow: metric.isOncePerWindow, sampling: metric.sampling, isAllowed: permissions.allows(purpose))
    }

    static func logName(_ place: Int) -> String { "\(AppStorage.logPrefix)\(place).json" }

    /// Writes down a batch that is about to leave, or its outcome. Nothing is sent if the disk is full.
    ///
    /// - Returns: whether it is on disk.
    func log(_ batch: Outstanding, of purpose: String, _ outcome: SentBatch.Outcome) -> Bool {
        var entry = entry(batch.batch, of: purpose, at: batch.firstSent, body: batch.body)
        entry.outcome = outcome
        return log(entry, at: batch.log)
    }

    /// Returns something that leaves, as the log shows it before there is an answer.
    func entry(_ id: String, of purpose: String, at time: UnixSeconds, body: String) -> SentBatch {
        SentBatch(
            id: id, purpose: purpose, explanation: plan?.purpose(purpose).map(explanation(of:)) ?? "",
            unixSeconds: time.value, body: body, outcome: .unanswered)
    }

    /// Writes down anything else that leaves.
    func log(_ entry: SentBatch, at place: Int) -> Bool {
        do { try storage.replace(Self.logName(place), with: try JSONEncoder().encode(entry)) } catch { return false }
        while memory.log.count > max(options.logLimit, 1) {
            forgetLog(memory.log.lowerBound)
            memory.log.removeFirst()
            isSaved = false
        }
        return true
    }

    func forgetLog(_ place: Int) {
        // One that stays is beyond what is shown; the next file of that name takes its place.
        try? storage.remove(Self.logName(place))
    }
}

extension SentBatch {
    /// The events in it, with the fields that they shared.
    fileprivate var events: [Batch.Event] {
        // A body that is no batch takes something back, or says one value: no event is in it.
        (try? JSONDecoder().decode(Batch.self, from: Data(body.utf8)))?.wholeEvents ?? []
    }
}

extension Batch.Scalar {
    /// The value as people read it.
    fileprivate var shown: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .null: ""
        }
    }
}
