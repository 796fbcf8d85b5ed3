/// A published share or mean whose parts were not printed: a rounded quotient of two sums of leaves.
package struct AuditQuotient: Sendable, Hashable {
    /// Where it was read.
    package let source: String
    /// The app.
    package let app: String
    /// What is divided: these, added up with their coefficients.
    package let numerator: [AuditStatement.Term]
    /// By what.
    package let denominator: AuditStatement.Term
    /// The quotient as printed: each digit after the point narrows it.
    package let value: String
    /// Units of the numerator in one unit of the quotient: 1 for shares, 10^6 for means of sums.
    package let scale: Int64

    /// A quotient.
    package init(
        source: String, app: String, numerator: [AuditStatement.Term], denominator: AuditStatement.Term, value: String,
        scale: Int64
    ) {
        self.source = source
        self.app = app
        self.numerator = numerator
        self.denominator = denominator
        self.value = value
        self.scale = scale
    }

    /// What it says: |numerator − value · denominator| is at most half a unit of the last digit, times the denominator.
    ///
    /// Two statements of whole coefficients: with d digits, `2·10^d·numerator − (2·v ± 1)·scale·denominator` is at most
    /// and at least 0, v being the printed digits as a whole number. None where the digits do not fit 64 bits.
    package var statements: [AuditStatement] {
        guard let printed = FixedPoint(value), printed.places <= 9 else { return [] }
        var unit: Int64 = 2
        for _ in 0..<printed.places { unit *= 10 }
        func side(_ shift: Int64) -> AuditStatement? {
            let (twice, doubles) = printed.digits.multipliedReportingOverflow(by: 2)
            let (shifted, shifts) = twice.addingReportingOverflow(shift)
            let (factor, scales) = shifted.multipliedReportingOverflow(by: scale)
            guard !doubles, !shifts, !scales else { return nil }
            // The smallest whole coefficients keep the programs in range.
            var (divisor, rest) = (unit, factor.magnitude > UInt64(Int64.max) ? 1 : Int64(factor.magnitude))
            while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
            let tops = numerator.map {
                AuditStatement.Term(
                    coefficient: $0.coefficient * (unit / divisor), metric: $0.metric, measure: $0.measure,
                    region: $0.region)
            }
            let bottom = AuditStatement.Term(
                coefficient: -(factor / divisor), metric: denominator.metric, measure: denominator.measure,
                region: denominator.region)
            return AuditStatement(
                source: source,
                text: "\(numerator.map { "\($0.metric) \($0.measure) of \($0.region)" }.joined(separator: " + ")) over "
                    + "\(denominator.measure) of \(denominator.region) = \(value)",
                app: app, terms: tops + [bottom], lower: shift < 0 ? 0 : nil, upper: shift < 0 ? nil : 0)
        }
        return [side(1), side(-1)].compactMap { $0 }
    }
}
