/// What a report says about a number that the plan rules out: everybody knows that it is zero.
package enum Impossible {
    /// What stands in a table or a chart where the number would be.
    package static let marker = "cannot occur"
}
