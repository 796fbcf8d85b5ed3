/// The cells that may be published together, and the proof that this is safe.
package struct SuppressionPattern: Sendable {
    /// True by column of the problem if it is published.
    package let isPublished: [Bool]
    /// Other tables that agree with everything published.
    package let witnesses: [Witness]
    /// Sensitive cells without a complete proof of L3.
    package let unproved: [ColumnIndex]
    /// The sum of the costs of hidden cells that are not sensitive.
    package let extraCost: Int64
    /// The search's statistics.
    package let statistics: Statistics

    /// Another table: the true one with these leaves changed.
    package struct Witness: Sendable, Hashable {
        /// The measure that it is a table of.
        package let measure: Int
        /// The leaves that differ, ascending, with the amounts. Unit: the measure's.
        package let changes: Changes
        /// The sensitive cells that it proves something about.
        package let proves: [ColumnIndex]

        package init(measure: Int, changes: [Change], proves: [ColumnIndex]) {
            self.measure = measure
            self.changes = Changes(changes)
            self.proves = proves
        }

        /// One leaf's difference.
        package struct Change: Sendable, Hashable {
            /// The leaf.
            package let leaf: LeafIndex
            /// The amount; never zero.
            package let amount: Int64

            package init(leaf: LeafIndex, amount: Int64) {
                self.leaf = leaf
                self.amount = amount
            }
        }
    }

    /// Figures of a search.
    package struct Statistics: Sendable, Hashable {
        /// Rounds of repair in the attempt that was kept.
        package var rounds = 0
        /// Proofs that L3 asks for.
        package var proofsNeeded = 0
        /// The number of these found among circuits in the first round.
        package var proofsByCircuits = 0
        /// The number of these not found at all.
        package var proofsMissing = 0
        /// Linear or integer programs solved.
        package var programs = 0
        /// Cells that were hidden on the way and could be published in the end.
        package var regained = 0
    }
}

extension SuppressionPattern {
    /// Returns the same pattern with other witnesses, as a test of the verification forges them.
    package func claiming(witnesses: [Witness]) -> SuppressionPattern {
        SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses, unproved: unproved, extraCost: extraCost,
            statistics: statistics)
    }

    /// Returns the same claims with one more cell published, as a test of the verification tampers with them.
    package func publishing(_ place: Int) -> SuppressionPattern {
        var isPublished = isPublished
        isPublished[place] = true
        return publishing(only: isPublished)
    }

    /// Returns the same claims with exactly these cells published.
    package func publishing(only isPublished: [Bool]) -> SuppressionPattern {
        SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses, unproved: unproved, extraCost: extraCost,
            statistics: statistics)
    }
}
