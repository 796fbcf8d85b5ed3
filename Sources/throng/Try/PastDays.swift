import Foundation
import ThrongCrowd
import ThrongIngest
import ThrongPlan
import ThrongStore

/// Days of a crowd, counted by the daemon's own code, but in this process: no daemon takes events that are older than two
/// days, or ends a window early.
struct PastDays {
    private let layouts: [MetricLayout]
    private let terms: [MetricLayout: ReleaseTerms]
    private let space: CellSpace
    private let intake: Intake

    /// Compiles the plan.
    ///
    /// - Parameter names: the metrics that are counted; nil for all.
    init(_ plan: Plan, only names: Set<MetricName>? = nil) throws {
        let counted = names.map { plan.counting($0) } ?? plan
        layouts = try counted.metrics.map { try counted.layout(of: $0, rules: .system) }
        terms = Dictionary(uniqueKeysWithValues: zip(layouts, counted.metrics.map(plan.releaseTerms)))
        space = CellSpace(layouts: layouts)
        intake = try Intake(plans: [counted], space: space, rules: .system)
    }

    /// Brings one day's batches into the counters, all at once.
    ///
    /// - Parameter parcels: with the time at which each comes.
    /// - Returns: how many events were counted, and how many were refused, by reason.
    func count(
        _ parcels: [(parcel: BatchSender.Parcel, sent: UnixSeconds)], at end: UnixSeconds, into store: CounterStore
    ) async throws -> (counted: Int, refused: [String: Int]) {
        try await store.registerLayouts(layouts, terms: terms)
        let start = try await store.attach(daemon: DaemonID(UUID()))
        var counting = Counting(
            space: space, position: start, watermark: start, bounds: Counting.Bounds(windowBytes: .max))
        var keys: [WindowID: WindowKey] = [:]
        var refused: [String: Int] = [:]
        var accepted = 0
        for (parcel, now) in parcels {
            var body = parcel.body
            let outcome = try body.withUTF8 { try intake.read($0, signals: parcel.signals, now: now, isSealed: true) }
            let incoming: IncomingBatch
            switch outcome {
            case .batch(let batch): incoming = batch
            case .optedOut(let answer, _, _), .consentOutdated(let answer, _), .keptApart(let answer):
                for each in answer.refused { refused[each.reason.rawValue, default: 0] += 1 }
                continue
            }
            let window = incoming.bucketed.window
            let key = keys[window] ?? .random()
            keys[window] = key
            let counted = counting.count(
                incoming.bucketed, identifier: incoming.identifier.keyed(with: key), hasProof: true, now: now)
            switch counted {
            case .counted(let batch):
                accepted += batch.answer.accepted
                for each in batch.answer.refused { refused[each.reason.rawValue, default: 0] += 1 }
            // Each parcel has an identifier of its own for its batch.
            case .repeated: refused["repeated", default: 0] += parcel.events
            case .full: refused["no_room", default: 0] += parcel.events
            case .withdrawn: refused[RefusalReason.optedOut.rawValue, default: 0] += parcel.events
            case .windowOver: refused["window_out_of_range", default: 0] += parcel.events
            }
        }
        // The day is over, and so are its windows.
        _ = counting.takeClosings(now: .max)
        while let flush = counting.freeze() {
            _ = try await store.flush(flush, now: min(end, UnixClock.system.now))
            counting.applied(flush, closed: [])
        }
        try await store.settle(.left)
        return (accepted, refused)
    }
}

extension Plan {
    /// The same plan with some of its metrics only.
    fileprivate func counting(_ names: Set<MetricName>) -> Plan {
        var plan = self
        plan.metrics.removeAll { !names.contains($0.name) }
        return plan
    }
}
