/// Why something about noise was refused; each case is a fact with its numbers.
package enum NoiseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An exact fraction no longer fits into 128 bits.
    case overflow
    /// A fraction with nothing to divide by.
    case zeroDenominator
    /// A text that is no exact number.
    case notANumber
    /// A scale, a variance, a privacy loss or a limit that has to be more than zero.
    case notPositive(Quantity)
    /// A scale or a variance whose reduced numerator or denominator has too many bits for the exact sampler.
    case tooFine(Quantity, bits: Int, limit: Int)
    /// A share that is not above 0 and below 1, or whose denominator exceeds 2^30.
    case notAShare(Rational)
    /// Fewer than one measure, grouping or cell.
    case emptyUniverse
    /// Values that are not one for every cell of the declared universe.
    case notTheUniverse(measures: Int, cells: Int, declaredMeasures: Int, declaredCells: Int)
    /// A Gaussian cost and a budget in epsilon: zero-concentrated privacy implies no finite epsilon at delta 0.
    case unlikeCurrencies(cost: PrivacyLoss, budget: PrivacyLoss)
    /// A field of devices that tells none apart.
    case tooFewBuckets(Int)
    /// More fields of devices than one lattice has.
    case tooManyFields(found: Int, limit: Int)
    /// A table of one grouping with too many cells.
    case tooManyCells(found: Int, limit: Int)
    /// A grouping by a field that the lattice does not have, a table of another interaction, or one that is missing.
    case notOfTheLattice
    /// Variances of kept noise that are none, or do not rise.
    case notRising

    /// What has to be positive or small.
    package enum Quantity: String, Sendable, Hashable {
        /// Of discrete Laplace noise.
        case scale
        /// Of discrete Gaussian noise.
        case variance
        /// Epsilon or rho.
        case privacyLoss = "privacy loss"
        /// Of one identifier in one window.
        case contribution = "contribution limit"
        /// Active windows of a device.
        case windows
        /// k.
        case threshold
    }

    /// What was found, what is allowed and what to do.
    package var description: String {
        switch self {
        case .overflow:
            "an exact fraction needs more than 128 bits; use privacy losses with smaller denominators"
        case .zeroDenominator:
            "a fraction has the denominator 0; write a number such as 1/2"
        case .notANumber:
            "not an exact number; write one such as 1/2, 0.5 or 3, without an exponent"
        case .notPositive(let quantity):
            "the \(quantity.rawValue) is not positive; give a number above 0"
        case .tooFine(let quantity, let bits, let limit):
            """
            the \(quantity.rawValue) needs \(bits) bits above or below its fraction bar, \(limit) are allowed; lower \
            the contribution bound, keep fewer decimals or give a rounder privacy loss
            """
        case .notAShare(let share):
            "\(share) is not between 0 and 1 with a denominator of at most 2^30; give a share such as 1/20"
        case .emptyUniverse:
            "a noisy release needs at least one measure, one grouping and one cell"
        case .notTheUniverse(let measures, let cells, let declaredMeasures, let declaredCells):
            """
            \(measures) measures of \(cells) cells were given, \(declaredMeasures) of \(declaredCells) are declared; \
            every declared cell gets noise, the empty ones too
            """
        case .unlikeCurrencies(let cost, let budget):
            "a cost of \(cost) cannot be charged to a budget of \(budget); give the purpose a budget in rho"
        case .tooFewBuckets(let count):
            "a field of devices has \(count) buckets; give it 2 or more, or leave it out"
        case .tooManyFields(let found, let limit):
            "a metric tells devices apart by \(found) fields, \(limit) are allowed; leave some out"
        case .tooManyCells(let found, let limit):
            "a table of \(found) cells was asked for, \(limit) are allowed; use fewer or coarser fields"
        case .notOfTheLattice:
            "a table or grouping is not one of this metric's; draw every interaction of its groupings"
        case .notRising:
            "the stored variances of kept noise do not rise; restore the table of questions from a backup"
        }
    }
}
