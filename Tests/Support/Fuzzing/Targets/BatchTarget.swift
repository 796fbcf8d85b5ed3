import ThrongCounting
import ThrongIntake
import ThrongPlan

/// A body of each route that takes JSON. Whoever is in a hurry must come to the same, or leave it.
struct BatchTarget: FuzzTarget {
    private let plan: FuzzPlan

    init() throws { plan = try FuzzPlan() }

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        let intake = plan.intake
        let hurried = Self.reading(bytes) { body throws(IntakeError) in
            try intake.readQuickly(body, signals: [], now: FuzzPlan.now)
        }
        let read = Self.reading(bytes) { body throws(IntakeError) -> IntakeOutcome? in
            try intake.read(body, signals: [], now: FuzzPlan.now)
        }
        switch (hurried, read) {
        case (.success(nil), .success): break
        case (.success(.some), .success(.some)): break
        case (.failure(let one), .failure(let other)):
            try FuzzFinding.check(one == other, .twoReadings(what: "\(one) and \(other)"))
        // What takes long is not looked at to its end.
        case (.success(nil), .failure): break
        default: throw .twoReadings(what: "a batch")
        }
        if case .success(.batch(let batch)) = read { try Self.check(batch.bucketed, in: plan.space) }
        _ = Self.reading(bytes) { body throws(IntakeError) in
            try intake.read(body, signals: [.globalPrivacyControl], now: FuzzPlan.now, use: .preview)
        }
        _ = Self.reading(bytes) { body throws(IntakeError) in
            try intake.readReveal(body, signals: [], now: FuzzPlan.now)
        }
        _ = Self.reading(bytes) { body throws(IntakeError) in try intake.readWithdrawal(body, now: FuzzPlan.now) }
    }

    /// What counting relies on.
    private static func check(_ batch: BucketedBatch, in space: CellSpace) throws(FuzzFinding) {
        try FuzzFinding.check(
            batch.repeats.count == batch.contributions.count, .mismatch(what: "contributions and their repeats"))
        for event in batch.events {
            let places = event.contributions
            try FuzzFinding.check(
                places.lowerBound >= 0 && Int(places.upperBound) <= batch.contributions.count
                    && (event.refusal == nil || places.isEmpty),
                .mismatch(what: "an event and its contributions"))
        }
        for contribution in batch.contributions {
            let layout = space.layouts[Int(contribution.metric)]
            try FuzzFinding.check(
                contribution.cell.value < layout.size(of: layout.leaf), .mismatch(what: "a cell and its layout"))
            try FuzzFinding.check(
                Int(contribution.firstAmount) + layout.sums.count <= batch.amounts.count,
                .mismatch(what: "a contribution and its amounts"))
        }
        for mark in batch.marks {
            let layout = space.layouts[Int(mark.metric)]
            try FuzzFinding.check(
                mark.cell.value < layout.size(of: layout.leaf) && mark.event >= 0
                    && Int(mark.event) < batch.events.count,
                .mismatch(what: "a mark and its layout"))
        }
    }

    private static func reading<Value>(
        _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value
    ) -> Result<Value, IntakeError> {
        bytes.withUnsafeBufferPointer { buffer in
            do throws(IntakeError) { return .success(try body(buffer)) } catch { return .failure(error) }
        }
    }
}
