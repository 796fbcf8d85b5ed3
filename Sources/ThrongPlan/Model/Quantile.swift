/// The part of events below a value: a half for the median, nine tenths for the value that nine of ten events stay below.
package struct Quantile: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1 to 999. Unit: thousandths.
    package let perMille: Int

    /// The median.
    package static let median = Quantile(perMille: 500)

    /// Wraps a part that the plan's reader has checked.
    package init(perMille: Int) { self.perMille = perMille }

    /// As plans and tables write it: "0.5", "0.95", "0.999".
    package var description: String {
        var digits = String(1000 + perMille).dropFirst()
        while digits.hasSuffix("0") { digits = digits.dropLast() }
        return "0.\(digits)"
    }

    /// Orders by the part.
    package static func < (left: Self, right: Self) -> Bool { left.perMille < right.perMille }
}
