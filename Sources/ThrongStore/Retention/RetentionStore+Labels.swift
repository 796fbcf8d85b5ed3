internal import ThrongPlan
internal import ThrongPostgres

extension RetentionStore {
    /// How long a label outlives its last published number at least, and how long it keeps its slot afterwards: longer
    /// than a month and the longest grace together. Unit: seconds.
    static let labelRest: Int64 = 100 * 86_400

    /// How long labels of a dimension are counted under after their last published number.
    ///
    /// - Parameters:
    ///   - plan: The plan in force; nil where the app has none any more.
    ///   - longest: How long the numbers of the app are kept that are kept the longest. Unit: seconds.
    static func seconds(keepingLabelsOf dimension: DimensionName, _ plan: Plan?, longest: Int64) -> Int64 {
        max(plan?.retention(ofLabelsOf: dimension).components.seconds ?? longest, labelRest)
    }

    /// Retires the labels of which no number was published for as long as their purposes keep numbers, and deletes those
    /// that were retired so long ago that their slots can be given to others.
    static func expireLabels(
        of app: AppName, _ plan: Plan?, longest: Int64, now: UnixSeconds, _ session: Session
    ) throws {
        let known = Set(try session.run(SelectLabels(app: app)).map(\.dimension))
        for dimension in known.sorted() {
            let kept = seconds(keepingLabelsOf: dimension, plan, longest: longest)
            try session.run(RetireLabels(app: app, dimension: dimension, before: now - kept, now: now))
        }
        if !known.isEmpty { try session.run(DeleteLabels(app: app, before: now - labelRest)) }
    }
}

extension Plan {
    /// How long the purposes that use a dimension keep numbers; where none does, the longest of all.
    func retention(ofLabelsOf dimension: DimensionName) -> Duration {
        let users = Set(metrics.filter { $0.dimensions.contains(dimension) }.map(\.purpose))
        let longest = purposes.filter { users.contains($0.name) }.map(\.retention).max()
        return longest ?? purposes.map(\.retention).max() ?? .zero
    }
}
