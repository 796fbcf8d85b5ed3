internal import ThrongPlan

extension RetentionStore {
    /// The least time that a label outlives its last published number, and that it keeps its slot afterwards: longer
    /// than a month and the longest grace together. Unit: seconds.
    static let labelRest: Int64 = 100 * 86_400

    /// Returns the time that labels of a dimension are counted under after their last published number. Unit: seconds.
    static func seconds(keepingLabelsOf dimension: DimensionName, _ plan: Plan?, longest: Int64) -> Int64 {
        max(plan?.retention(ofLabelsOf: dimension).components.seconds ?? longest, labelRest)
    }

    /// Retires the labels that no number was published of for as long as their purposes keep numbers. Deletes those
    /// that were retired so long ago that their slots can be given to others.
    static func expireLabels(
        of app: AppName, _ plan: Plan?, longest: Int64, now: UnixSeconds, _ session: Session
    ) throws {
        let known = Set(try session.run(Query.selectLabels(app: app)).map(\.dimension))
        for dimension in known.sorted() {
            let kept = seconds(keepingLabelsOf: dimension, plan, longest: longest)
            try session.run(Query.retireLabels(app: app, dimension: dimension, before: now - kept, now: now))
        }
        if !known.isEmpty { try session.run(Query.deleteLabels(app: app, before: now - labelRest)) }
    }
}

extension Plan {
    /// Returns the longest retention of the purposes that use a dimension; where none does, the longest of all.
    func retention(ofLabelsOf dimension: DimensionName) -> Duration {
        let users = Set(metrics.filter { $0.dimensions.contains(dimension) }.map(\.purpose))
        let longest = purposes.filter { users.contains($0.name) }.map(\.retention).max()
        return longest ?? purposes.map(\.retention).max() ?? .zero
    }
}
