internal import ThrongWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Throng {
    /// Every batch that left the device, exactly as sent, oldest first; as many as the options say.
    public var sent: [SentBatch] {
        memory.log.compactMap { place in
            do {
                guard let data = try storage.read(Self.logName(place)) else { return nil }
                return try JSONDecoder().decode(SentBatch.self, from: data)
            } catch {
                // A damaged entry can't be shown; the others can.
                return nil
            }
        }
    }

    /// How it is doing, in numbers.
    public var status: ThrongStatus {
        drain()
        persist()
        var dropped: [DropReason: Int] = [:]
        for (name, count) in memory.dropped {
            if let reason = DropReason(rawValue: name) { dropped[reason] = count }
        }
        return ThrongStatus(
            waiting: memory.waiting, unanswered: memory.outstanding.values.reduce(0) { $0 + $1.count },
            dropped: dropped, isSaved: isSaved, planVersion: plan.published.version)
    }

    /// What an event would be counted as, for all purposes; records nothing.
    public func preview(_ event: String, _ fields: [String: EventValue] = [:]) -> EventPreview {
        let now = self.now
        let counting = plan.purposes.filter { !($0.events[event]?.metrics.isEmpty ?? true) }
        guard !counting.isEmpty else { return EventPreview(counted: [], refused: .unknownEvent) }
        guard fields.keys.allSatisfy({ name in counting.contains { $0.takes(name, with: event) } }) else {
            return EventPreview(counted: [], refused: .unknownField)
        }
        var tuples: [EventPreview.Tuple] = []
        var refused: DropReason?
        for purpose in counting {
            guard let known = purpose.events[event] else { continue }
            do throws(DropReason) {
                let coarsened = try DeviceMemory.coarsened(fields, context: context, for: known)
                for metric in known.metrics {
                    guard now < metric.expires else { throw .metricExpired }
                    let buckets = metric.buckets(event: event, fields: coarsened, unixSeconds: now)
                    guard !metric.isImpossible(buckets) else { throw .impossibleCombination }
                    tuples.append(tuple(metric, buckets, coarsened, purpose, now: now))
                }
            } catch {
                refused = error
            }
        }
        return EventPreview(counted: tuples, refused: tuples.isEmpty ? refused : nil)
    }

    private func tuple(
        _ metric: DevicePlan.Metric, _ buckets: [Int], _ fields: [String: Batch.Scalar],
        _ purpose: DevicePlan.Purpose, now: Int64
    ) -> EventPreview.Tuple {
        let labels = zip(metric.dimensions, buckets).map { ($0.name, $0.bucketing.labels[$1].text) }
        let sums = metric.sums.compactMap { sum -> (String, Double)? in
            guard let number = fields[sum.field.text]?.withFieldValue(\.numeric) else { return nil }
            return (sum.name, Double(sum.quantum(of: number)) / sum.scale)
        }
        return EventPreview.Tuple(
            metric: metric.name, question: metric.question, purpose: purpose.name,
            explanation: explanation(of: purpose), buckets: Dictionary(labels) { first, _ in first },
            sums: Dictionary(sums) { first, _ in first },
            period: plan.calendar.label(of: plan.calendar.period(metric.period, containing: now)),
            isOncePerWindow: metric.isOncePerWindow, sampling: metric.sampling,
            isAllowed: memory.allows(purpose, signals: signals))
    }

    static func logName(_ place: Int) -> String { "sent-\(place).json" }

    /// Writes down what is about to leave, or what became of it. Where the disk is full nothing is sent.
    ///
    /// - Returns: whether it is on disk.
    func log(_ batch: Outstanding, of purpose: String, _ outcome: SentBatch.Outcome) -> Bool {
        let words = plan.purpose(purpose).map(explanation(of:)) ?? ""
        let entry = SentBatch(
            id: batch.batch, purpose: purpose, explanation: words, unixSeconds: batch.firstSent, body: batch.body,
            outcome: outcome)
        return log(entry, at: batch.log)
    }

    /// The same for anything else that leaves.
    func log(_ entry: SentBatch, at place: Int) -> Bool {
        do {
            try storage.replace(Self.logName(place), with: try JSONEncoder().encode(entry))
        } catch {
            return false
        }
        while memory.log.count > max(options.logLimit, 1) {
            forgetLog(memory.log.lowerBound)
            memory.log.removeFirst()
            isSaved = false
        }
        return true
    }

    func forgetLog(_ place: Int) {
        do {
            try storage.remove(Self.logName(place))
        } catch {
            // It is beyond what is shown; the next file of that name takes its place.
            return
        }
    }
}
