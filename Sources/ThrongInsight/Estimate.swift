package import ThrongPlan

/// All events, or all devices that answer, as estimated from those that were sent: each client keeps each one with the
/// same chance, by a draw of its own.
package struct Estimate: Sendable, Hashable {
    /// What was sent and counted.
    package let counted: Int64
    /// The chance: more than 0, less than 1.
    package let rate: Double
    /// Whether it is a number of events or of devices.
    package let counts: Counted

    /// Scales a count up.
    package init(counted: Int64, rate: Double, counts: Counted) {
        self.counted = counted
        self.rate = rate
        self.counts = counts
    }

    /// Whether the draw could as well have kept fewer than k, and the number would not be published: such numbers lean high,
    /// because those that the draw made small are not there to make up for them.
    ///
    /// - Parameter kept: how many were. Unit: events.
    package static func leansHigh(_ kept: Int64, rate: Double, threshold: Threshold) -> Bool {
        let counted = Double(kept)
        let spread = rate < 1 ? Interval.z * (counted * (1 - rate)).squareRoot() : 0
        return spread > 0 && counted - spread < Double(threshold.devices)
    }

    /// counted / rate, to a whole number.
    package var decimal: Decimals {
        let fraction = Decimals(exactly: rate)
        var scale: Int128 = 1
        for _ in 0..<fraction.places { scale *= 10 }
        return Decimals(wide: Int128(counted) * scale, over: fraction.units, places: 0)
    }
}
