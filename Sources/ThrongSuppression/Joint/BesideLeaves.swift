/// Unknowns beside the leaves, such as devices, and what everybody knows of both. None is negative.
package struct BesideLeaves: Sendable {
    /// By unknown, what it is in truth.
    package private(set) var values: [Double] = []
    /// What is known.
    package private(set) var rows: [Row] = []

    /// So many times some leaves of the first measure and some unknowns lie between two bounds.
    package struct Row: Sendable {
        /// One place of a leaf at most.
        package let leaves: [(leaf: UInt32, factor: Double)]
        /// One place of an unknown at most.
        package let unknowns: [(unknown: Int, factor: Double)]
        /// The least that they add up to.
        package let lower: Double
        /// The most.
        package let upper: Double
        /// A published number by which it is known; nil where everybody knows it anyway.
        package let teller: ColumnIndex?
    }

    /// Knows nothing yet.
    package init() {}

    /// How many unknowns there are.
    var count: Int { values.count }

    /// One more unknown.
    ///
    /// - Parameter value: what it is in truth.
    package mutating func addUnknown(_ value: Int64) -> Int {
        values.append(Double(value))
        return values.count - 1
    }

    /// One more row; the least or the most may be infinite.
    package mutating func add(
        leaves: [(leaf: UInt32, factor: Double)] = [], unknowns: [(unknown: Int, factor: Double)], lower: Double,
        upper: Double, teller: ColumnIndex? = nil
    ) {
        rows.append(Row(leaves: leaves, unknowns: unknowns, lower: lower, upper: upper, teller: teller))
    }
}
