import ThrongPlan
import ThrongRelease

@testable import ThrongReport

extension ReleaseHeader {
    /// The same with margins of a test's own, alike for every grouping.
    ///
    /// - Parameters:
    ///   - counts: of events, or identifiers. Unit: theirs.
    ///   - sums: of each sum. Unit: 10^-decimals of the sum's unit.
    ///   - devices: of devices, where there are identifiers. Unit: devices.
    func drawn(within counts: Int64, sums: Int64 = 0, devices: Int64 = 15) -> ReleaseHeader {
        let stated = ReleaseMargins.Grouping(
            count: counts, sums: layout.sums.map { _ in sums }, devices: layout.hasIdentifiers ? devices : nil)
        return ReleaseHeader(
            layout: layout, period: period, plan: plan, threshold: threshold, sampling: sampling, reach: reach,
            groupings: groupings, margins: ReleaseMargins(cost: "0.98", groupings: groupings.map { _ in stated }),
            events: events)
    }
}

extension Figure {
    /// The published number without its noise, or part and whole; nil where nothing is published, and of quantiles.
    var terms: [Int64]? {
        switch quantity {
        case .drawn(let number, of: _, within: _)?: [number]
        case .share(let part, let whole, _)?, .settled(let part, let whole)?: [part, whole]
        case .mean(let sum, _, let events, _)?: [sum, events]
        case .estimate(let estimate)?: [estimate.counted]
        case .quantile?, nil: nil
        }
    }
}

extension QuotientNoise {
    /// Of quotients whose noise is not what a test is about.
    static let none = QuotientNoise(part: 0, whole: 0)
}
