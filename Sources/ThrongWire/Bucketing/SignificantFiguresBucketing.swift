/// Numbers rounded to one, two or three significant figures, clipped to a range of positive numbers.
///
/// Bucket i is i steps above the lowest: within one power of ten the steps are even, 9·10^(digits-1) of them. Zero and
/// negative numbers go to the lowest bucket. Halves round to even, as sums do.
struct SignificantFiguresBucketing: TabledBucketing {
    let buckets: LabelTable
    private let digits: Int
    private let lowestStep: Int

    init(digits: Int, lowest: Double, highest: Double) throws(BucketingProblem) {
        guard (1...3).contains(digits) else { throw .malformedDigits(digits) }
        guard lowest >= 1e-9, lowest < highest, highest <= 1e15 else {
            throw .malformedRange(lowest: lowest, highest: highest)
        }
        self.digits = digits
        let first = Self.step(lowest, digits: digits)
        let last = Self.step(highest, digits: digits)
        lowestStep = first
        buckets = try LabelTable((first...last).map { Self.text(step: $0, digits: digits) })
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        guard let number = value.numeric else { return buckets.other }
        guard number > 1e-12 else { return 0 }
        let step = Self.step(Swift.min(number, 1e18), digits: digits) - lowestStep
        return Swift.min(Swift.max(step, 0), buckets.other - 1)
    }

    /// Steps in one power of ten: 9, 90 or 900.
    private static func stepsPerDecade(_ digits: Int) -> Int { 9 * smallestMantissa(digits) }

    /// 1, 10 or 100.
    private static func smallestMantissa(_ digits: Int) -> Int { [1, 10, 100][digits - 1] }

    /// mantissa · 10^exponent, numbered over all exponents, for a number from 10^-12 to 10^18.
    private static func step(_ number: Double, digits: Int) -> Int {
        let smallest = smallestMantissa(digits)
        var exponent = -12
        // Up to 30 rounds; a logarithm would be off by one beside powers of ten.
        while exponent < 18, number >= 1.0.scaled(byPowerOfTen: exponent + 1) { exponent += 1 }
        exponent -= digits - 1
        var mantissa = Int(number.scaled(byPowerOfTen: -exponent).rounded(.toNearestOrEven))
        if mantissa >= smallest * 10 {
            mantissa = smallest
            exponent += 1
        }
        return exponent * stepsPerDecade(digits) + Swift.max(mantissa, smallest) - smallest
    }

    /// The rounded number of a step, in decimal, built from its digits.
    private static func text(step: Int, digits: Int) -> String {
        let perDecade = stepsPerDecade(digits)
        let exponent = Int(Int64(step).flooredQuotient(by: Int64(perDecade)))
        var mantissa = String(step - exponent * perDecade + smallestMantissa(digits))
        if exponent >= 0 { return mantissa + String(repeating: "0", count: exponent) }
        let missing = -exponent + 1 - mantissa.count
        if missing > 0 { mantissa = String(repeating: "0", count: missing) + mantissa }
        let whole = mantissa.dropLast(-exponent)
        var fraction = mantissa.suffix(-exponent)
        while fraction.last == "0" { fraction = fraction.dropLast() }
        return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    }
}
