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
        let calendar = plan.calendar
        let former = calendar.period(period.kind, containing: period.start - 1)
        let releases = try await store.releases(
            app: plan.app.name, metric: metric, periodKind: period.kind, from: former.start, to: period.start + 1)
        guard let release = releases.last, release.header.period.start == period.start else {
            throw ExplanationError.notReleased(metric, period: calendar.label(of: period))
        }
        let layout = release.header.layout
        let (margin, cell) = try Self.place(buckets, in: layout)
        let isAsBefore = releases.contains {
            $0.header.period.start == former.start && $0.cell(cell, in: margin) != nil
                && $0.header.layout.bounded(by: layout.contributionBound) == layout
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

    private static func words(for reason: WithholdingReason, k: Int64, isTotal: Bool) -> (Explanation.State, String) {
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
                "Near k: \(k) devices or more are proved behind it, and the number that was drawn for them is under k "
                    + "and its margin. Another period may show it."
            )
        }
    }

    private static func place(
        _ buckets: [DimensionName: BucketLabel], in layout: MetricLayout
    ) throws(ExplanationError) -> (Margin, CellIndex) {
        let known = layout.dimensions.map(\.name)
        for name in buckets.keys where !known.contains(name) { throw .unknownDimension(name, known: known.map(\.text)) }
        var (places, indices): ([Int], [Int]) = ([], [])
        for (place, dimension) in layout.dimensions.enumerated() {
            guard let label = buckets[dimension.name] else { continue }
            guard let bucket = dimension.labels.firstIndex(of: label) else {
                throw .unknownBucket(label, of: dimension.name, known: dimension.shownLabels.map(\.text))
            }
            places.append(place)
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

/// The reason why one number was published or withheld, in words.
package struct Explanation: Sendable, Hashable, Encodable {
    package let metric: String
    /// The period's label, such as 2026-11-20.
    package let period: String
    /// The cell, such as `os = iOS, channel = Email`.
    package let cell: String
    package let state: State
    package let sentence: String

    package enum State: String, Sendable, Hashable, Encodable {
        case published
        /// Fewer than k devices are behind it.
        case small
        /// It has k devices or more, and the number that was drawn for them is under k and its margin.
        case nearThreshold = "near k"
        case empty
        case impossible
        /// Neither an insight nor the plan asks for numbers that are split so.
        case notAsked = "not asked"
        case forgotten
    }
}

/// The reason why a cell can't be explained.
package enum ExplanationError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownMetric(MetricName, known: [String])
    case notReleased(MetricName, period: String)
    case unknownDimension(DimensionName, known: [String])
    case unknownBucket(BucketLabel, of: DimensionName, known: [String])

    package var description: String {
        switch self {
        case .unknownMetric(let name, let known):
            "The plan has no metric '\(name)'. It has: \(known.joined(separator: ", "))."
        case .notReleased(let metric, let period):
            "There is no release of \(metric) for \(period): nothing was counted in it, or its release waits. `throng "
                + "release --period \(period)` says for what."
        case .unknownDimension(let name, let known):
            known.isEmpty
                ? "The metric has no dimension '\(name)', nor any other. Write: total."
                : "The metric has no dimension '\(name)'. It has: \(known.joined(separator: ", "))."
        case .unknownBucket(let label, let dimension, let known):
            "The dimension \(dimension) has no bucket '\(label)'. It has: \(known.joined(separator: ", "))."
        }
    }
}
