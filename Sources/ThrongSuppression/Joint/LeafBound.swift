/// What everybody knows of some leaves together: so many times each, they add up to nothing or more.
///
/// Whoever sent five events or more sent five at least, so of the events there are as many as five times those devices, or
/// more.
package struct LeafBound: Sendable {
    /// The leaves, and how many times each. One place of a leaf at most.
    package let terms: [(leaf: UInt32, factor: Int64)]

    /// Puts a bound together.
    package init(_ terms: [(leaf: UInt32, factor: Int64)]) { self.terms = terms }

    /// Whether it is true of a measure.
    package func holds(of values: [Int64]) -> Bool { sum(of: values) { _ in true } >= 0 }

    /// What some of its leaves add up to.
    func sum(of values: [Int64], where isMeant: (UInt32) -> Bool) -> Double {
        terms.reduce(0) { isMeant($1.leaf) ? $0 + Double($1.factor) * Double(values[Int($1.leaf)]) : $0 }
    }
}
