package import ThrongNoise
package import ThrongPlan
internal import ThrongPostgres
package import ThrongRelease

/// What a noisy release is made from, all of it fixed before anybody looks at a counter.
package struct NoiseRequest: Sendable {
    /// What it says about itself; carries layout, period, groupings and margins of error.
    package let header: ReleaseHeader
    /// The noise.
    package let terms: NoiseTerms
    /// Who pays.
    package let purpose: PurposeName
    /// What may be spent.
    package let budget: PrivacyBudget

    /// Puts a request together; nil where the layout has no noise.
    ///
    /// - Parameters:
    ///   - groupings: the margins that the release shows, ascending.
    ///   - shown: those of them that reports show; they get more of the budget where noise hides devices or events.
    ///   - sampling: share of events that clients sent.
    /// - Throws: ``NoiseError``.
    package init?(
        layout: MetricLayout,
        period: Period,
        plan: PlanVersion,
        groupings: [Margin],
        shown: Set<Margin> = [],
        sampling: Double,
        budget: PrivacyBudget
    ) throws(NoiseError) {
        let weights = groupings.map { NoiseTerms.weight(of: $0, shown: shown) }
        let windows = layout.windowsHidden(in: period)
        guard let terms = try layout.noiseTerms(groupings: groupings, weights: weights, windows: windows) else {
            return nil
        }
        header = ReleaseHeader(
            layout: layout, period: period, plan: plan, threshold: .none, sampling: sampling, reach: false,
            groupings: groupings, protection: nil, noise: try ReleaseNoise(terms, weights: weights, windows: windows))
        self.terms = terms
        purpose = layout.purpose
        self.budget = budget
    }

    /// The same whenever it is made, so that a second try meets the first: `shop/orders/day/1790000000`.
    var id: NoiseReleaseID { Self.id(header.layout.app, header.layout.metric, header.period) }

    static func id(_ app: AppName, _ metric: MetricName, _ period: Period) -> NoiseReleaseID {
        NoiseReleaseID("\(app)/\(metric)/\(period.kind.rawValue)/\(period.start)")
    }
}

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
