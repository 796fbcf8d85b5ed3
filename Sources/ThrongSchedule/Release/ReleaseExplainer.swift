package import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
package import ThrongStore

/// Says to an operator why a number was published or withheld.
///
/// It reads only what the reporter role may read: releases, and the reasons written down beside them. The reasons are
/// deleted with the raw counters of the period.
package struct ReleaseExplainer: Sendable {
    let store: ReleaseStore

    package init(store: ReleaseStore) { self.store = store }

    /// Explains one cell of a metric's release. The dimensions without a bucket are summed out.
    package func explain(
        _ metric: MetricName, _ period: Period, _ buckets: [DimensionName: BucketLabel], of plan: Plan
    ) async throws -> Explanation {
        let names = plan.metrics.map(\.name.text)
        guard plan.metric(metric) != nil else { throw ExplanationError.unknownMetric(metric, known: names) }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let former = calendar.period(period.kind, containing: period.start - 1)
        let releases = try await store.releases(
            app: plan.app.name, metric: metric, periodKind: period.kind, from: former.start, to: period.start + 1)
        guard let release = releases.last, release.header.period.start == period.start else {
            throw ExplanationError.notReleased(metric, period: calendar.label(of: period))
        }
        let layout = release.header.layout
        let (margin, cell) = try Self.place(buckets, in: layout)
        let isAsBefore = releases.contains {
            $0.header.period.start == former.start && $0.header.layout == layout && $0.cell(cell, in: margin) != nil
        }
        let (state, sentence) = try await explain(cell, in: margin, of: release, isAsBefore: isAsBefore)
        return Explanation(
            metric: metric.text, period: calendar.label(of: period), cell: layout.name(cell, in: margin), state: state,
            sentence: sentence)
    }

    private func explain(
        _ cell: CellIndex, in margin: Margin, of release: Release, isAsBefore: Bool
    ) async throws -> (Explanation.State, String) {
        let (layout, period) = (release.header.layout, release.header.period)
        guard release.shows(margin) else {
            let known = release.header.groupings.map { grouping in
                layout.dimensions.indices.filter(grouping.keeps).map { layout.dimensions[$0].name.text }
            }
            return (
                .notAsked,
                """
                Neither an insight nor a margin of the plan asks for numbers that are split so. The release shows: \
                \(known.map { $0.isEmpty ? "total" : $0.joined(separator: " by ") }.joined(separator: "; ")).
                """
            )
        }
        if let published = release.cell(cell, in: margin) {
            let off = release.header.margin(of: margin).map {
                " 19 of 20 such numbers lie within \($0) of what was counted."
            }
            let count = Wording.english.count(published.count, "event")
            return (.published, "It is published\(isAsBefore ? ", as before" : ""): \(count).\(off ?? "")")
        }
        if layout.isImpossible(cell, in: margin) {
            return (.impossible, "The plan says that this combination cannot occur.")
        }
        if let reason = try await store.reason(layout.counted, period, margin: margin, cell: cell) {
            return Self.words(for: reason, k: release.header.threshold.devices, isTotal: margin == Margin(keeping: []))
        }
        if try await store.knowsReasons(layout.counted, period) {
            return (.empty, "Nothing was counted in it. Readers can't tell: empty and small cells are withheld alike.")
        }
        return (.forgotten, "It was withheld. Why was written down, and went with the period's raw counters.")
    }

    private static func words(
        for reason: WithholdingReason, k: Int64, isTotal: Bool
    ) -> (Explanation.State, String) {
        switch reason {
        case .small(let floor):
            let devices = Wording.english.count(floor.devices, "device")
            return (
                .small,
                """
                Fewer than k: \(devices) \(floor.devices == 1 ? "is" : "are") proved behind it, and k is \(k). \
                \(isTotal ? "A longer period shows" : "Fewer dimensions or a longer period show") more.
                """
            )
        case .nearThreshold:
            return (
                .nearThreshold,
                """
                Near k: \(k) devices or more are proved behind it, and the number that was drawn for them is under k and its \
                margin. Another period may show it.
                """
            )
        }
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

extension MetricLayout {
    /// `os = iOS, channel = Email`, or `total`.
    func name(_ cell: CellIndex, in margin: Margin) -> String {
        let places = dimensions.indices.filter(margin.keeps)
        if places.isEmpty { return "total" }
        return zip(places, buckets(of: cell, in: margin)).map { place, bucket in
            "\(dimensions[place].name) = \(dimensions[place].labels[bucket])"
        }.joined(separator: ", ")
    }
}
