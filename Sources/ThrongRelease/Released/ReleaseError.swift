package import ThrongPlan

/// Why a release could not be made or read.
package enum ReleaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A stored release no longer has the digest that it was released with.
    case altered(metric: MetricName, period: Period)
    /// A counter is too large to compute with.
    case tooLarge(metric: MetricName, period: Period)
    /// Strict: so many cells could not be proved to be possibly k or more in time.
    case unproved(metric: MetricName, period: Period, cells: Int)
    /// The separate verification found faults in what was decided.
    case unverified(metric: MetricName, period: Period, faults: Int)
    /// Age has taken cells of an earlier release that this one would have to be decided against.
    case decayed(metric: MetricName, period: Period)
    /// The counters of a period that was released are gone, so that nothing can be added up over it.
    case countersGone(metric: MetricName, period: Period)
    /// A part of the period was released with exact numbers, so that a sum with others would tell how far off those are.
    case exactPart(metric: MetricName, period: Period)
    /// The solver gave up.
    case solverFailed(metric: MetricName, period: Period)

    /// What was found and what to do.
    package var description: String {
        switch self {
        case .altered(let metric, let period):
            """
            the release of \(Self.name(metric, period)) is not what was released: its digest differs. Restore the \
            table from a backup; nothing is reported from it.
            """
        case .tooLarge(let metric, let period):
            """
            the counters of \(Self.name(metric, period)) add up to 2^60 or more, so that nothing can be proved of \
            them; nothing was released. Keep fewer decimals or clip the sum more closely.
            """
        case .unproved(let metric, let period, let cells):
            """
            \(cells) cells of \(Self.name(metric, period)) could not be proved safe in time, so nothing was \
            released. Give it more time with --seconds, or leave out --strict: then more cells are withheld until \
            all are proved.
            """
        case .unverified(let metric, let period, let faults):
            """
            the verification found \(faults) faults in the release of \(Self.name(metric, period)), so nothing was \
            released. Please report this. Without --strict finer splits are left out as long as it finds any.
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
        case .exactPart(let metric, let period):
            """
            a part of \(Self.name(metric, period)) was released with exact numbers and another with margins: a sum of both would \
            tell how far off numbers are, so there is none. The next period has one.
            """
        case .solverFailed(let metric, let period):
            """
            the solver gave up on \(Self.name(metric, period)), so nothing was released; it is tried again. Please \
            report this if it stays.
            """
        }
    }

    /// Whether it will never be otherwise.
    package var isForGood: Bool {
        switch self {
        case .decayed, .countersGone, .exactPart: true
        case .altered, .tooLarge, .unproved, .unverified, .solverFailed: false
        }
    }

    private static func name(_ metric: MetricName, _ period: Period) -> String {
        "\(metric) for the \(period.kind.rawValue) that starts at Unix second \(period.start)"
    }
}
