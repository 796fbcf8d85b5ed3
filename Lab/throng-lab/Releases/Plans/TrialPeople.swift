/// Some devices that all do the same.
struct TrialPeople: Sendable {
    var devices: Int64
    /// By field.
    let values: [String: String]
    /// The number of events that each device sends, by day, then by place in ``TrialPlan/events``.
    let sends: [[Int64]]
    let agree: Bool
    /// Whether they refuse by a signal of their browser.
    let signals: Bool

    /// Describes some.
    init(devices: Int64, values: [String: String], sends: [[Int64]], agree: Bool, signals: Bool) {
        (self.devices, self.values, self.sends) = (devices, values, sends)
        (self.agree, self.signals) = (agree, signals)
    }

    /// Draws some: a crowd, or few.
    init(days: Int, isCrowd: Bool, using random: inout some RandomNumberGenerator) {
        func one<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        devices = isCrowd ? one([150, 300, 600]) : one([1, 2, 3, 7, 12, 19, 24, 40, 90])
        values = Dictionary(
            uniqueKeysWithValues: TrialDimension.values.map { field, all in
                // The first few are what most have.
                (field, flip(60) ? one(Array(all.prefix(2))) : one(all))
            })
        let each = TrialPlan.events.map { _ in flip(65) ? one([1, 1, 2, 3, 7]) : Int64(0) }
        sends = (0..<days).map { _ in isCrowd || flip(80) ? each : each.map { _ in 0 } }
        agree = flip(85)
        signals = flip(10)
    }
}
