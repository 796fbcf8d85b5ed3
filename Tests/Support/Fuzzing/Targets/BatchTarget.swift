import ThrongIngest
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
        if case .success(.batch(let batch)) = read { try batch.bucketed.check(in: plan.space) }
        _ = Self.reading(bytes) { body throws(IntakeError) in
            try intake.read(body, signals: [.globalPrivacyControl], now: FuzzPlan.now, use: .preview)
        }
        _ = Self.reading(bytes) { body throws(IntakeError) in
            try intake.readReveal(body, signals: [], now: FuzzPlan.now)
        }
        _ = Self.reading(bytes) { body throws(IntakeError) in try intake.readWithdrawal(body, now: FuzzPlan.now) }
    }

    private static func reading<Value>(
        _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value
    ) -> Result<Value, IntakeError> {
        bytes.withUnsafeBufferPointer { buffer in
            do throws(IntakeError) { return .success(try body(buffer)) } catch { return .failure(error) }
        }
    }
}
