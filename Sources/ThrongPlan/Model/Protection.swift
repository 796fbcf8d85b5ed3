/// How far from the truth the closest estimate of a withheld number or of one contributor's part has to stay.
///
/// The p of the p % rule, and of the interval around a withheld number (disclosure page, sections 1 and 4).
package struct Protection: Hashable, Sendable, Comparable, Codable {
    /// Unit: percent of the true number, 1 to 100.
    package let percent: Int64

    /// What a metric gets that names none.
    package static let standard = Protection(percent: 10)

    /// Wraps a percentage that the plan's reader has checked.
    package init(percent: Int64) { self.percent = percent }

    /// Orders by strength.
    package static func < (left: Self, right: Self) -> Bool { left.percent < right.percent }
}
