/// Whom the noise of a release hides: what two neighbouring tables differ in.
package enum NoiseUnit: String, Sendable, Hashable, Codable, CaseIterable {
    /// All that one identifier sent in one window.
    case window
    /// All that one device sent in the whole period, in every window that belongs to it. An identifier then counts at most
    /// once in a cell, the budget goes to the groupings by weight, and what is drawn is made consistent before anybody sees
    /// it.
    case device
    /// One event, of a purpose without identifiers: what it counts, in one cell of each grouping. The budget goes to the
    /// groupings by weight, and numbers are made consistent, as where the unit is a device.
    case event

    /// Whether groupings have noise of their own by weight, and what is drawn is made consistent before anybody sees it.
    package var isConsistent: Bool { self != .window }
}

/// How many times the least part of a release's budget each grouping gets, where the unit is a device or an event.
///
/// Of discrete Laplace noise a grouping's variance is proportional to 1/part², of Gaussian noise to 1/part. The parts that
/// minimise a weighted sum of variances are then proportional to the cube root, or the square root, of the weights (Li,
/// Miklau, Hay, McGregor and Rastogi 2015, "The matrix mechanism", for strategies that are weighted margins; setting the
/// derivative to 0 gives it at once). 4 : 2 : 1 is the optimum where the variance of a total weighs 8 times that of a
/// grouping that reports show, and that 8 times any other's; of Gaussian noise 4 times each.
package enum BudgetPart {
    /// The grand total.
    package static let total: Int64 = 4
    /// A grouping that reports show.
    package static let shown: Int64 = 2
    /// Any other.
    package static let other: Int64 = 1
}
