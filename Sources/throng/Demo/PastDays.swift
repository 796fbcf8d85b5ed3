import Foundation
import ThrongCrowd
import ThrongIngest
import ThrongPlan
import ThrongStore
import ThrongWire

/// Days before yesterday, so that a report has something to compare with, and visits of yesterday: counted by the daemon's
/// own code, but in this process, because no daemon takes events that are older than two days or ends a window early.
struct PastDays {
    private let plan: Plan
    private let layouts: [MetricLayout]
    private let terms: [MetricLayout: ReleaseTerms]
    private let space: CellSpace
    private let intake: Intake

    /// Compiles the plan.
    init(_ plan: Plan) throws {
        self.plan = plan
        layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        terms = Dictionary(uniqueKeysWithValues: zip(layouts, plan.metrics.map(plan.releaseTerms)))
        space = CellSpace(layouts: layouts)
        intake = try Intake(plans: [plan], space: space, rules: .system)
    }

    /// Brings one day's batches into the counters, all at once.
    ///
    /// - Parameter now: shortly after the day.
    /// - Returns: how many events were refused, by reason.
    func count(_ parcels: [BatchSender.Parcel], at now: UnixSeconds, into store: CounterStore) async throws -> [String:
        Int]
    {
        try await store.registerLayouts(layouts, terms: terms)
        let start = try await store.attach(daemon: DaemonID(UUID()))
        var counting = Counting(
            space: space, position: start, watermark: start, bounds: Counting.Bounds(windowBytes: .max))
        var keys: [WindowID: WindowKey] = [:]
        var refused: [String: Int] = [:]
        let calendars = Dictionary(
            layouts.map { ($0.timeZone, PeriodCalendar(timeZone: $0.timeZone) ?? .utc) }
        ) { first, _ in first }
        for parcel in parcels {
            var body = parcel.body
            let outcome = try body.withUTF8 { try intake.read($0, signals: [], now: now, isSealed: true) }
            let incoming: IncomingBatch
            switch outcome {
            case .batch(let batch): incoming = batch
            case .optedOut(let answer, _, _), .consentOutdated(let answer, _):
                for each in answer.refused { refused[each.reason.rawValue, default: 0] += 1 }
                continue
            }
            let window = incoming.bucketed.window
            let key = keys[window] ?? .random()
            keys[window] = key
            let counted = counting.count(
                incoming.bucketed, identifier: incoming.identifier.keyed(with: key), now: now
            ) { layout in
                (calendars[layout.timeZone] ?? .utc).period(layout.period, containing: now).start
            }
            switch counted {
            case .counted(let batch):
                for each in batch.answer.refused { refused[each.reason.rawValue, default: 0] += 1 }
            // Each parcel has an identifier of its own for its batch.
            case .repeated: refused["repeated", default: 0] += parcel.events
            case .full: refused["no_room", default: 0] += parcel.events
            case .withdrawn: refused[RefusalReason.optedOut.rawValue, default: 0] += parcel.events
            case .windowOver: refused["window_out_of_range", default: 0] += parcel.events
            }
        }
        // The day is over, and so are its windows.
        _ = counting.takeClosings(now: .max) { _ in now }
        while let flush = counting.freeze() {
            _ = try await store.flush(flush, now: now)
            counting.applied(flush, closed: [])
        }
        try await store.settle(.left)
        return refused
    }
}
