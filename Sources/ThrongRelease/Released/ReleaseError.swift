package import ThrongPlan

/// The reason why a release could not be made or read.
package enum ReleaseError: Error, Sendable, Hashable, CustomStringConvertible {
    case altered(metric: MetricName, period: Period)
    case decayed(metric: MetricName, period: Period)
    case countersGone(metric: MetricName, period: Period)

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
