/// Some devices that all do the same.
package struct TrialPeople: Sendable {
    package let devices: Int64
    /// By field.
    let values: [String: String]
    /// How many events each device sends, by slot, then by place in ``TrialPlan/events``.
    var sends: [[Int64]]
    let agree: Bool
    /// Whether they refuse by a signal of their browser.
    let signals: Bool
    /// Whether what they do comes so late that the finest periods count it in their next.
    let isLate: Bool
    /// Whether they have a credential.
    var isProved = true
    /// Whether they prove, too, in which cells they were in a period.
    var tells = true

    /// Draws some: most are few, some are a crowd, and now and then one device sends very much.
    init(_ time: TrialTime, using random: inout some RandomNumberGenerator) {
        func one<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        let isHeavy = flip(8)
        devices = isHeavy ? one([1, 1, 2]) : one([1, 2, 3, 4, 7, 12, 19, 20, 24, 40, 90, 300])
        values = Dictionary(
            uniqueKeysWithValues: TrialDimension.values.map { field, all in
                // The first few are what most have.
                (field, flip(60) ? one(Array(all.prefix(2))) : one(all))
            })
        let active = time.slots.map { _ in flip(60) }
        let each = TrialPlan.events.map { _ in flip(55) ? one([1, 1, 1, 2, 3]) : Int64(0) }
        sends = active.map { isActive in
            each.map { isActive ? (isHeavy && $0 > 0 ? 60 * $0 : $0) : 0 }
        }
        agree = flip(85)
        signals = flip(10)
        isLate = flip(6)
    }
}

extension TrialPeople: CustomStringConvertible {
    /// On one line.
    package var description: String {
        let fields = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let sent = sends.enumerated().map { slot, each in
            "\(slot): " + zip(TrialPlan.events, each).filter { $1 > 0 }.map { "\($1)×\($0)" }.joined(separator: " ")
        }
        let words = [
            agree ? nil : "don't agree", signals ? "refuse by a signal" : nil, isLate ? "are late" : nil,
            isProved ? nil : "prove nothing", isProved && !tells ? "don't tell where they were" : nil,
        ]
        return "\(devices) devices \(fields); a device sends by slot \(sent.joined(separator: ", "))"
            + words.compactMap { $0 }.map { "; \($0)" }.joined()
    }
}
