internal import Foundation
package import ThrongNoise

/// The cost of everything that is drawn for one release: the ρ of zero-concentrated differential privacy of one device
/// and day, or of one event if nobody has an identifier.
///
/// It is the largest cost that one device can cause: the device reaches its bound, and meets all occasions it can.
package struct MarginCost: Sendable, Hashable {
    let rho: Double

    /// Adds up the questions of a layout.
    ///
    /// - Parameters:
    ///   - factors: see ``Plan/marginFactors(of:)``.
    ///   - drawsEvents: false for a sum over periods, whose numbers were drawn for these.
    ///   - kindsOfDevices: draws of devices: one of identifiers, and one where devices are known in a whole period.
    ///   - periods: of the layout in which one identifier may be.
    /// - Throws: ``NoiseError/overflow``.
    package init(
        _ shape: MarginShape, _ layout: MetricLayout, _ threshold: Threshold, factors: MarginFactors = .none,
        drawsEvents: Bool = true, kindsOfDevices: Int = 1, periods: Int = 1
    ) throws(NoiseError) {
        var rho = 0.0
        for measure in 0...layout.sums.count where drawsEvents {
            let change = Rational(layout.bound(of: measure) ?? 1)
            let least = try layout.width(of: measure, threshold, factor: factors.events).least
            let cost = try shape.events.cost(change: change, least: least).approximate
            rho += layout.rungs == nil ? cost : cost * min(Double(periods), Metric.boundShares)
        }
        let least = try NoiseWidth(threshold: threshold.devices, factor: factors.devices).least
        for (occasions, lattice) in shape.devices.sorted(by: { $0.key < $1.key }) {
            let met = min(layout.size(of: occasions) * periods, layout.rungs?.last ?? layout.contributionBound)
            rho += Double(met * kindsOfDevices) * (try lattice.cost(change: Rational(1), least: least).approximate)
        }
        // The choice of the busiest window, where a period has several.
        if layout.hasIdentifiers, layout.rotation < .longest || layout.period > .day {
            rho += Double(periods) / (2 * least.approximate)
        }
        self.rho = rho
    }

    /// ρ with two decimals, rounded up.
    package var text: String { Self.text(rho) }

    package static func text(_ rho: Double) -> String { String(format: "%.2f", (rho * 100).rounded(.up) / 100) }

    /// The share of right guesses whether a device is there, at most, of somebody who knows all others and sees everything that
    /// costs ρ; half of such devices are. Unit: percent, rounded up; 50 is a coin.
    ///
    /// A guess is right in (1 + TV)/2 of cases at best. The total variation TV is at most √(ρ/2), as the divergence is at most
    /// ρ (Pinsker), and at most √(1 − e^−ρ) (Bretagnolle and Huber).
    static func bestGuess(_ rho: Double) -> Int {
        let variation = min((rho / 2).squareRoot(), (1 - exp(-rho)).squareRoot())
        return Int((50 * (1 + variation)).rounded(.up))
    }
}

extension MetricLayout {
    /// The most of its periods in which one window may lie: in each of them an identifier is drawn again. Local midnights and hours lie at
    /// quarters of an hour.
    var periodsOfWindow: Int {
        let length = min(period.shortestSeconds, 86_400)
        let isAligned =
            timeZone == "UTC"
            ? length % rotation.seconds == 0 || rotation.seconds % length == 0 : 900 % rotation.seconds == 0
        let whole = (rotation.seconds + length - 1) / length
        return Int(isAligned ? whole : whole + 1)
    }

    /// Returns the most that one device adds to a measure in a window, at least 1; nil if the measure counts devices.
    ///
    /// - Parameter measure: 0 is the count; then the sums. Unit: the measure's.
    package func bound(of measure: Int) -> Int64? {
        guard measure > 0 || within == nil else { return nil }
        let (bound, overflow) = most(of: measure).multipliedReportingOverflow(by: Int64(contributionBound))
        return overflow ? .max : bound
    }

    /// Returns the most that one event adds to a measure, at least 1. Unit: the measure's.
    private func most(of measure: Int) -> Int64 {
        guard measure > 0 else { return 1 }
        let sum = sums[measure - 1]
        let ends = (sum.quantum(of: sum.lowest).magnitude, sum.quantum(of: sum.highest).magnitude)
        return max(1, Int64(clamping: max(ends.0, ends.1)))
    }

    /// Returns the width of a measure's noise. For events and sums it goes by what one device adds at most; for
    /// identifiers that are counted in the place of events it is that of devices.
    ///
    /// - Parameter factor: see ``Plan/marginFactors(of:)``.
    /// - Throws: ``NoiseError/overflow``.
    package func width(of measure: Int, _ threshold: Threshold, factor: Int64) throws(NoiseError) -> NoiseWidth {
        try NoiseWidth(
            threshold: threshold.devices, bound: bound(of: measure), event: most(of: measure), factor: factor)
    }
}
