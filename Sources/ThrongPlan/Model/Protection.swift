/// How far from the truth the closest estimate of a withheld number or of one contributor's part has to stay.
///
/// The p of the p % rule, and of the interval around a withheld number (disclosure page, sections 1 and 4).
public struct Protection: Hashable, Sendable, Comparable, Codable {
    /// Unit: percent of the true number, 1 to 100.
    public let percent: Int64

    /// What a metric gets that names none.
    public static let standard = Protection(percent: 10)

    /// Wraps a percentage that the plan's reader has checked.
    public init(percent: Int64) { self.percent = percent }

    /// Orders by strength.
    public static func < (left: Self, right: Self) -> Bool { left.percent < right.percent }
}
