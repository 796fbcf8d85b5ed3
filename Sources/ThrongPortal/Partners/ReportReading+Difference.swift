internal import ThrongInsight
internal import ThrongReport

extension ReportReading {
    /// Why none of two reports' numbers can be compared; nil where some may be.
    func difference(from earlier: ReportReading) -> String? {
        guard period.kind != earlier.period.kind else { return nil }
        return "The numbers can't be compared: the report was about a \(earlier.period.kind) then, and is about a "
            + "\(period.kind) now."
    }
}

extension ReportReading.Insight {
    /// Why its numbers can't be compared with those that an earlier report has under the same name, in the report's own
    /// words where it has some; nil where both are the same thing counted in the same way, as far as files tell.
    ///
    /// It agrees with what a report compares with earlier releases. What files do not say, such as a bound on what one
    /// device adds, is not compared.
    ///
    /// - Parameter learned: the dimensions that get their buckets while counting goes on; further ones are no difference.
    func difference(from earlier: Self, learned: Set<String>) -> String? {
        if metric != earlier.metric || kind != earlier.kind || filters != earlier.filters || part != earlier.part {
            return Self.otherInsight
        }
        // Without an answer there are no numbers.
        guard let basis, let before = earlier.basis else { return nil }
        if basis.sampling != before.sampling { return Absence.changed(.sampling).wording }
        if basis.windowSeconds != before.windowSeconds { return Absence.changed(.identifiers).wording }
        if basis.noise != before.noise { return Absence.changed(.noise).wording }
        if basis.counts != before.counts || basis.devices != before.devices {
            return Absence.changed(.devices).wording
        }
        if unit != earlier.unit || dimensions.map(\.name) != earlier.dimensions.map(\.name) { return Self.otherInsight }
        let isSplitAlike = zip(splitting, earlier.splitting).allSatisfy { axis, before in
            learned.contains(axis.name) || axis.buckets == before.buckets
        }
        return isSplitAlike ? nil : Absence.changed(.buckets).wording
    }

    private static let otherInsight =
        "The numbers can't be compared: the insight of this name asked for something else then."

    /// The dimensions that split what is counted: the last one of quantiles only says which of them are asked for.
    private var splitting: [ReportReading.Axis] { kind == "quantiles" ? dimensions.dropLast() : dimensions }
}
