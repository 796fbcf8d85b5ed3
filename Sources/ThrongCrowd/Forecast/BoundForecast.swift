internal import ThrongWire

/// The events that a metric's `contribution_bound` cuts, and the smallest one that cuts little.
///
/// Margins of events and sums are in proportion to the bound, from 3 on, so a bound that is never reached is expensive.
package struct BoundForecast: Sendable, Hashable, Encodable {
    /// The plan's. Unit: events of an identifier in its window.
    package let bound: Int
    /// The share of events that it cuts: 0 to 1.
    package let cut: Double
    /// The smallest that cuts no more than ``mostCut``.
    package let suggested: Int
    package let suggestedCut: Double

    /// The largest share of events that a suggested bound cuts.
    package static let mostCut = 0.03

    /// Looks at how many identifiers sent how many events; nil where none did.
    init?(_ bound: Int, _ sent: [Int64: Int]) {
        let all = sent.reduce(Int64(0)) { $0 + $1.key * Int64($1.value) }
        guard all > 0 else { return nil }
        func cut(by bound: Int) -> Double {
            let over = sent.reduce(Int64(0)) { $0 + max(0, $1.key - Int64(bound)) * Int64($1.value) }
            return Double(over) / Double(all)
        }
        // More than what anybody sends cuts nothing; by halves to the smallest that cuts little.
        let suggested = (1..<Swift.max(1, Int(sent.keys.max() ?? 1))).partitioningIndex { cut(by: $0) <= Self.mostCut }
        (self.bound, self.cut, self.suggested, suggestedCut) = (bound, cut(by: bound), suggested, cut(by: suggested))
    }
}
