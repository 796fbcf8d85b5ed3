package import ThrongPlan

/// The reason why a release could not be made or read.
package enum ReleaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A stored release no longer has the digest that it was released with.
    case altered(metric: MetricName, period: Period)
    /// Age has taken cells of an earlier release against which this one would have to be decided.
    case decayed(metric: MetricName, period: Period)
    /// The counters of a period that was released are gone, so that nothing can be added up over it.
    case countersGone(metric: MetricName, period: Period)

    /// A message: what was found and what to do.
    package var description: String {
        switch self {
        case .altered(let metric, let period):
            """
            the release of \(Self.name(metric, period)) is not what was released: its digest differs. Restore the \
            table from a backup; nothing is reported from it.
            """
        case .decayed(let metric, let period):
            """
            age has taken numbers of \(Self.name(metric, period)) that a coarser period would have to be decided \
            against, so that one can't be released. Let numbers decay later than their coarsest rollup is over.
            """
        case .countersGone(let metric, let period):
            """
            the counters of \(Self.name(metric, period)), which was released, are gone, so that nothing can be added up over \
            it: the coarser period is given up, and the next one is released. Let nothing but throng delete from its tables.
            """
        }
    }

    /// True if no later attempt can succeed.
    package var isForGood: Bool {
        switch self {
        case .decayed, .countersGone: true
        case .altered: false
        }
    }

    private static func name(_ metric: MetricName, _ period: Period) -> String {
        "\(metric) for the \(period.kind.rawValue) that starts at Unix second \(period.start)"
    }
}
