internal import Foundation
internal import ThrongWire

extension Throng {
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
        } catch {
            return EventPreview(counted: [], refused: error)
        }
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
