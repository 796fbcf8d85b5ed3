/// An exact fraction in lowest terms; every operation gives nil where 127 bits do not hold the result.
struct Rational: Hashable, Sendable, CustomStringConvertible {
    let numerator: Int128
    /// More than 0.
    let denominator: Int128

    static let zero = Rational(0)
    static let one = Rational(1)

    init(_ whole: Int64) {
        numerator = Int128(whole)
        denominator = 1
    }

    init?(_ numerator: Int128, over denominator: Int128) {
        guard denominator != 0, numerator != .min, denominator != .min else { return nil }
        var (left, right) = (numerator.magnitude, denominator.magnitude)
        while right != 0 { (left, right) = (right, left % right) }
        let divisor = Int128(left == 0 ? 1 : left)
        let sign: Int128 = denominator < 0 ? -1 : 1
        self.numerator = sign * numerator / divisor
        self.denominator = sign * denominator / divisor
    }

    /// The fraction of smallest denominator, up to `limit`, within 10^-7 of a floating-point number.
    init?(near value: Double, limit: Int64) {
        guard value.isFinite, abs(value) < 1e12 else { return nil }
        var (previous, current) = ((Int128(0), Int128(1)), (Int128(1), Int128(0)))
        var rest = value
        for _ in 0..<40 {
            let whole = rest.rounded(.down)
            guard abs(whole) < 1e15 else { break }
            let next = (
                Int128(whole) * current.0 + previous.0, Int128(whole) * current.1 + previous.1
            )
            guard next.1 <= Int128(limit) else { break }
            (previous, current) = (current, next)
            if abs(Double(current.0) / Double(current.1) - value) < 1e-7 {
                self.init(current.0, over: current.1)
                return
            }
            rest = 1 / (rest - whole)
            guard rest.isFinite else { break }
        }
        return nil
    }

    func plus(_ other: Rational) -> Rational? {
        let (left, leftFails) = numerator.multipliedReportingOverflow(by: other.denominator)
        let (right, rightFails) = other.numerator.multipliedReportingOverflow(by: denominator)
        let (sum, sumFails) = left.addingReportingOverflow(right)
        let (below, belowFails) = denominator.multipliedReportingOverflow(by: other.denominator)
        guard !leftFails, !rightFails, !sumFails, !belowFails else { return nil }
        return Rational(sum, over: below)
    }

    func times(_ other: Rational) -> Rational? {
        let (above, aboveFails) = numerator.multipliedReportingOverflow(by: other.numerator)
        let (below, belowFails) = denominator.multipliedReportingOverflow(by: other.denominator)
        guard !aboveFails, !belowFails else { return nil }
        return Rational(above, over: below)
    }

    func divided(by other: Rational) -> Rational? {
        guard other.numerator != 0 else { return nil }
        guard let inverse = Rational(other.denominator, over: other.numerator) else { return nil }
        return times(inverse)
    }

    var negated: Rational { Rational(-numerator, over: denominator) ?? .zero }
    var isZero: Bool { numerator == 0 }
    var isNegative: Bool { numerator < 0 }

    /// The largest whole number that is not above.
    var floor: Int64? {
        let quotient = numerator / denominator
        return Int64(exactly: numerator < 0 && quotient * denominator != numerator ? quotient - 1 : quotient)
    }

    /// The smallest whole number that is not below.
    var ceiling: Int64? { negated.floor.flatMap { $0 == .min ? nil : -$0 } }

    var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }
}
