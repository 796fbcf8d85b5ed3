internal import ThrongInsight
package import ThrongPlan
internal import ThrongRelease
package import ThrongStore

/// Says to an operator why a number was published or withheld.
///
/// It reads what the reporter role may read and nothing else: releases, and the reasons that were written down beside
/// them, which go with the raw counters of the period.
package struct ReleaseExplainer: Sendable {
    let store: ReleaseStore

    /// Explains what a store holds.
    package init(store: ReleaseStore) { self.store = store }

    /// Explains one cell of a metric's release.
    ///
    /// - Parameter buckets: one a dimension that the cell is about; the others are summed out.
    /// - Throws: ``ExplanationError`` where there is no such metric, release, dimension, bucket or grouping.
    package func explain(
        _ metric: MetricName, _ period: Period, _ buckets: [DimensionName: BucketLabel], of plan: Plan
    ) async throws -> Explanation {
        let names = plan.metrics.map(\.name.text)
        guard plan.metric(metric) != nil else { throw ExplanationError.unknownMetric(metric, known: names) }
        let releases = try await store.releases(
            app: plan.app.name, metric: metric, periodKind: period.kind, from: period.start, to: period.start + 1)
        guard let release = releases.last else {
            let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
            throw ExplanationError.notReleased(metric, period: calendar.label(of: period))
        }
        let layout = release.header.layout
        let (margin, cell) = try Self.place(buckets, in: layout)
        guard release.shows(margin) else {
            throw ExplanationError.notShown(
                known: release.header.groupings.map { grouping in
                    layout.dimensions.indices.filter(grouping.keeps).map { layout.dimensions[$0].name.text }
                })
        }
        let calendar = PeriodCalendar(timeZone: layout.timeZone) ?? .utc
        let words = WithholdingSentences(release: release, calendar: calendar)
        func explanation(_ state: Explanation.State, _ sentence: String, _ equation: Explanation.Equation? = nil)
            -> Explanation
        {
            Explanation(
                metric: metric.text, period: calendar.label(of: period), cell: words.name(margin, cell), state: state,
                sentence: sentence, equation: equation)
        }
        if let published = release.cell(cell, in: margin) {
            let off = release.header.margin(of: margin).map {
                " It is off on purpose, by at most \($0) in 19 of 20 cases."
            }
            let count = Wording.english.count(published.count, "event")
            return explanation(.published, "It is published: \(count).\(off ?? "")")
        }
        if layout.isImpossible(cell, in: margin) {
            return explanation(.impossible, "The plan says that this combination cannot occur.")
        }
        if let reason = try await store.reason(layout.counted, period, margin: margin, cell: cell) {
            var explained = explanation(
                reason.isOwn ? .sensitive : .complementary, words.sentence(for: reason, margin, cell),
                words.equation(for: reason, margin, cell))
            guard let review = try await metricReview(metric, period, of: plan) else { return explained }
            explained.others =
                reason.isOwn ? review.protectors(of: cell, in: margin) : review.protected(by: cell, in: margin)
            if !reason.isOwn { explained.weights = review.weights(around: cell, in: margin) }
            explained.cures = review.cures(for: cell, in: margin)
            return explained
        }
        if try await store.knowsReasons(layout.counted, period) {
            return explanation(
                .empty, "Nothing was counted in it. Readers can't tell: empty and small cells are withheld alike.")
        }
        return explanation(
            .forgotten, "It was withheld. Why was written down, and went with the period's raw counters.")
    }

    private static func place(
        _ buckets: [DimensionName: BucketLabel], in layout: MetricLayout
    ) throws(ExplanationError) -> (Margin, CellIndex) {
        let known = layout.dimensions.map(\.name)
        for name in buckets.keys where !known.contains(name) {
            throw .unknownDimension(name, known: known.map(\.text))
        }
        var indices: [Int] = []
        let places = layout.dimensions.indices.filter { buckets[layout.dimensions[$0].name] != nil }
        for place in places {
            let dimension = layout.dimensions[place]
            guard let label = buckets[dimension.name] else { continue }
            guard let bucket = dimension.labels.firstIndex(of: label) else {
                throw .unknownBucket(label, of: dimension.name, known: dimension.shownLabels.map(\.text))
            }
            indices.append(bucket)
        }
        let margin = Margin(keeping: places)
        return (margin, layout.cell(buckets: indices, in: margin))
    }
}
