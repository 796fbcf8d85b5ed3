/// How hard the attacker tries, and what counts as a success.
package struct AuditOptions: Sendable, Codable, Hashable {
    /// Time for the whole audit. Unit: seconds.
    package var seconds: Double = 300
    /// An interval within p % around a hidden value is too close. Unit: percent.
    package var closeness: Int64 = 10
    /// Whether the exact value of a withheld cell of at least k is a pin, and not only a notice.
    package var derivableIsPin = false
    /// Leaves (buckets × elementary periods) of one metric that are looked at, at most.
    package var leafLimit = 16_000_000
    /// Unknowns of a component up to which linear programs see all of it; larger ones are seen by neighbourhoods.
    package var programLimit = 20_000
    /// Unknowns of a component up to which searches over whole numbers see all of it; above, "cannot be pinned by any
    /// linear combination" is what is found, and counted as such.
    package var wholeNumberLimit = 1_500
    /// Unknowns in a neighbourhood of a larger component.
    package var neighbourhood = 1_500
    /// Time for one linear or integer program. Unit: seconds.
    package var programSeconds: Double = 10
    /// Findings of each kind that are listed with a certificate; the rest are counted.
    package var listed = 200
    /// Margins that a later report could ask for, beyond what was shown: all of the plan's, not only leaves.
    package var targetsEveryMargin = false

    /// The defaults.
    package init() {}
}
