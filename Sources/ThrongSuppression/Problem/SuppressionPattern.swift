/// Which cells may be published together, and why that is safe.
package struct SuppressionPattern: Sendable {
    /// By column of the problem.
    package let isPublished: [Bool]
    /// Other tables that agree with everything published.
    package let witnesses: [Witness]
    /// Sensitive cells without a complete proof of L3.
    package let unproved: [ColumnIndex]
    /// Sensitive cells that the forced ones give away; nothing decided now could protect them.
    package let pinned: [ColumnIndex]
    /// Relations that reveal a union under k which forced cells reveal already. By place in the problem's list.
    package let openRelations: [Int]
    /// By column: why it is hidden; nil where it is published.
    package let reasons: [Reason?]
    /// The sum of the costs of hidden cells that are offered and not sensitive.
    package let extraCost: Int64
    /// What the search took.
    package let statistics: Statistics

    /// Another table: the true one with these leaves changed.
    package struct Witness: Sendable, Hashable {
        /// Which measure it is a table of.
        package let measure: Int
        /// The leaves that differ, ascending, and by how much. Unit: the measure's.
        package let changes: Changes
        /// Places of the grid that are empty in the true table and not in this one.
        package let arrivals: [Arrival]
        /// The sensitive cells that it proves something about.
        package private(set) var proves: [ColumnIndex]

        /// The same table, for these cells.
        func proving(_ cells: [ColumnIndex]) -> Witness {
            var witness = self
            witness.proves = cells
            return witness
        }

        /// Puts a witness together.
        package init(measure: Int, changes: [Change], arrivals: [Arrival] = [], proves: [ColumnIndex]) {
            self.measure = measure
            self.changes = Changes(changes)
            self.arrivals = arrivals
            self.proves = proves
        }

        /// What an empty place holds.
        package struct Arrival: Sendable, Hashable {
            /// Where.
            package let place: LeafGrid.Place
            /// More than zero.
            package let amount: Int64

            /// Puts an arrival together.
            package init(place: LeafGrid.Place, amount: Int64) {
                self.place = place
                self.amount = amount
            }
        }

        /// One leaf's difference.
        package struct Change: Sendable, Hashable {
            /// The leaf.
            package let leaf: LeafIndex
            /// Never zero.
            package let amount: Int64

            /// Puts a change together.
            package init(leaf: LeafIndex, amount: Int64) {
                self.leaf = leaf
                self.amount = amount
            }
        }
    }

    /// Why a cell is hidden.
    package enum Reason: Sendable, Hashable {
        /// It is sensitive itself.
        case sensitive
        /// With more useful cells it would let this sensitive cell be computed.
        case wouldReveal(ColumnIndex)
        /// With more useful cells it would bound a sensitive cell below k.
        case wouldBound
        /// It would relate cells of single devices, each of which knows its own part, or let one compute a sensitive
        /// cell.
        case singletonsOnly
        /// The hidden children of this parent would have a union under k.
        case closesUnion(parent: ColumnIndex)
        /// It is part of what bounds this sensitive cell.
        case bounds(ColumnIndex)
        /// Nobody asked for it.
        case notOffered
    }

    /// What a search took and found.
    package struct Statistics: Sendable, Hashable {
        /// Rounds of repair in the attempt that was kept.
        package var rounds = 0
        /// Proofs that L3 asks for.
        package var proofsNeeded = 0
        /// Of these, found among circuits in the first round.
        package var proofsByCircuits = 0
        /// Of these, not found at all.
        package var proofsMissing = 0
        /// Linear or integer programs solved.
        package var programs = 0
        /// Cells that were hidden on the way and could be published after all.
        package var regained = 0
    }
}

extension SuppressionPattern {
    /// The pattern with more cells hidden.
    ///
    /// It stays safe: whoever sees less can prove less, every witness agrees with fewer published cells, and a union
    /// of more unknown cells has no smaller floor.
    package func hiding(_ columns: Set<ColumnIndex>) -> SuppressionPattern {
        guard !columns.isEmpty else { return self }
        var isPublished = isPublished
        for column in columns { isPublished[Int(column.value)] = false }
        return SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses, unproved: unproved, pinned: pinned,
            openRelations: openRelations, reasons: reasons, extraCost: extraCost, statistics: statistics)
    }

    /// The same pattern with other excuses or witnesses: what a test of the verification forges.
    package func claiming(
        pinned: [ColumnIndex]? = nil, openRelations: [Int]? = nil, witnesses: [Witness]? = nil
    ) -> SuppressionPattern {
        SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses ?? self.witnesses, unproved: unproved,
            pinned: pinned ?? self.pinned,
            openRelations: openRelations ?? self.openRelations, reasons: reasons, extraCost: extraCost,
            statistics: statistics)
    }

    /// The same claims with one more cell published: what a test of the verification tampers with.
    package func publishing(_ place: Int) -> SuppressionPattern {
        var isPublished = isPublished
        isPublished[place] = true
        return publishing(only: isPublished)
    }

    /// The same claims with exactly these cells published.
    package func publishing(only isPublished: [Bool]) -> SuppressionPattern {
        SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses, unproved: unproved, pinned: pinned,
            openRelations: openRelations, reasons: reasons, extraCost: extraCost, statistics: statistics)
    }
}
