package import ThrongNoise
package import ThrongRelease

/// What came of a noisy release.
package enum NoiseOutcome: Sendable {
    /// It is published.
    case released(Release)
    /// It is not, and never will be.
    case missing(NoiseGap)
    /// Another process is at it, or has published it.
    case elsewhere
}

/// Why a period has no noisy release, and never will.
package enum NoiseGap: Sendable, Hashable, CustomStringConvertible {
    /// It was paid for and interrupted before its values were stored. They may have been seen, so it is not drawn again.
    case lost
    /// The budget had too little left.
    case unpaid(LedgerError)
    /// The plan in force has no budget for its purpose any more.
    case withoutBudget

    /// What was found and what to do.
    package var description: String {
        switch self {
        case .lost:
            """
            its noise was paid for and the process stopped before the values were stored; they are never drawn again, \
            and the budget stays spent
            """
        case .unpaid(let error): "\(error)"
        case .withoutBudget: "the plan in force gives its purpose no budget; give it one for the periods to come"
        }
    }
}
