extension Point {
    /// The first 15 multiples of a point after the identity: what a window of four bits may ask for.
    private struct Multiples {
        private let points: [Point]

        init(of point: Point) {
            var points = [Point.identity, point]
            points.reserveCapacity(16)
            for multiple in 2..<16 {
                points.append(multiple % 2 == 0 ? points[multiple / 2].doubled : points[multiple - 1] + point)
            }
            self.points = points
        }

        /// Reads all of them, whichever is wanted.
        @inline(__always)
        subscript(digit: UInt64) -> Point {
            var found = points[0]
            for place in 1..<16 { found = Point.pick(points[place], found, by: Choice.isZero(digit ^ UInt64(place))) }
            return found
        }
    }

    /// k₁ · P₁ + … + kₘ · Pₘ, from the top four bits at a time; the doublings are shared.
    ///
    /// - Complexity: 256 doublings, and 78 additions a term, whatever the scalars are.
    static func sum(_ terms: [(scalar: Scalar, point: Point)]) -> Point {
        let digits = terms.map(\.scalar.number)
        let tables = terms.map { Multiples(of: $0.point) }
        var sum = Point.identity
        for place in stride(from: 63, through: 0, by: -1) {
            for _ in 0..<4 { sum = sum.doubled }
            for term in 0..<terms.count { sum = sum + tables[term][digits[term].nibble(place)] }
        }
        return sum
    }

    static func * (scalar: Scalar, point: Point) -> Point { sum([(scalar, point)]) }
}
