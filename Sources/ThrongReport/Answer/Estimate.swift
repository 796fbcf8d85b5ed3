/// All events, or all devices that answer, as estimated from those that were sent: each client keeps each one with the
/// same chance, by a draw of its own.
public struct Estimate: Sendable, Hashable {
    /// What was sent and counted.
    public let counted: Int64
    /// The chance: more than 0, less than 1.
    public let rate: Double
    /// Whether it is a number of events or of devices.
    public let counts: Counted

    /// Scales a count up.
    public init(counted: Int64, rate: Double, counts: Counted) {
        self.counted = counted
        self.rate = rate
        self.counts = counts
    }

    /// counted / rate, to a whole number.
    public var decimal: Decimals {
        let fraction = Decimals(exactly: rate)
        var scale: Int128 = 1
        for _ in 0..<fraction.places { scale *= 10 }
        return Decimals(wide: Int128(counted) * scale, over: fraction.units, places: 0)
    }
}
