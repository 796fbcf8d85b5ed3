/// The reason why something about noise was refused; each case is a fact with its numbers.
package enum NoiseError: Error, Sendable, Hashable, CustomStringConvertible {
    case overflow
    /// Noise of more than 2^30 units.
    case tooWide
    /// A counted number of more than 2^55 units.
    case tooLarge
    case zeroDenominator
    /// A variance or a limit that has to be more than zero.
    case notPositive(Quantity)
    /// A variance whose reduced numerator or denominator has too many bits for the exact sampler.
    case tooFine(Quantity, bits: Int, limit: Int)
    case emptyUniverse
    case tooFewBuckets(Int)
    case tooManyFields(found: Int, limit: Int)
    case tooManyCells(found: Int, limit: Int)
    /// A grouping by a field that the lattice does not have, a table of another interaction, or one that is missing.
    case notOfTheLattice

    /// A quantity that has to be positive or small.
    package enum Quantity: String, Sendable, Hashable {
        /// The variance of a draw.
        case variance
        /// The contribution limit of one identifier in one window.
        case contribution = "contribution limit"
        /// k.
        case threshold
    }

    package var description: String {
        switch self {
        case .overflow: "an exact fraction needs more than 128 bits; use rounder numbers for k and bounds"
        case .zeroDenominator: "a fraction has the denominator 0; write a number such as 1/2"
        case .tooWide:
            """
            one device may add so much that the noise for it needs more than 30 bits; keep fewer decimals, or lower 'to' or \
            'contribution_bound'
            """
        case .tooLarge:
            """
            a counter has more than 2^55 units, so that nothing can be drawn for it; keep fewer decimals, or clip the sum more \
            closely
            """
        case .notPositive(let quantity): "the \(quantity.rawValue) is not positive; give a number above 0"
        case .tooFine(let quantity, let bits, let limit):
            """
            the \(quantity.rawValue) needs \(bits) bits above or below its fraction bar, \(limit) are allowed; lower \
            the contribution bound or keep fewer decimals
            """
        case .emptyUniverse: "noise needs at least one grouping, one occasion and one cell"
        case .tooFewBuckets(let count): "a field of devices has \(count) buckets; give it 2 or more, or leave it out"
        case .tooManyFields(let found, let limit):
            "a metric tells devices apart by \(found) fields, \(limit) are allowed; leave some out"
        case .tooManyCells(let found, let limit):
            "a table of \(found) cells was asked for, \(limit) are allowed; use fewer or coarser fields"
        case .notOfTheLattice:
            "a table or grouping is not one of this metric's; draw every interaction of its groupings"
        }
    }
}
