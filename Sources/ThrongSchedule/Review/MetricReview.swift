package import ThrongPlan
internal import ThrongRelease
package import ThrongStore

/// What the last releases of a metric showed, what withheld the most of them, and what would help. For operators only.
package struct MetricReview {
    /// The releases, the latest last.
    private let releases: [ReviewedRelease]
    /// One a release: what its numbers were withheld for; nil where nobody knows any more.
    private let costs: [Costs?]
    let words: CureSentences
    /// hour, day, week or month.
    let kind: PeriodKind
    /// Whether it is about what would be released, and not about what was.
    let isExpected: Bool
    /// What reports show, in places of the releases' layout.
    private let preferred: Set<Margin>

    private struct Costs {
        let blame: Blame.Costs
        /// The buckets that are small by themselves.
        let small: Set<BucketPlace>
    }

    /// How many releases are looked at.
    package static let most = 14
    /// How many cures are named.
    package static let mostCures = 3

    /// Looks at releases of one layout; nil where there are none.
    ///
    /// - Parameters:
    ///   - records: by start.
    ///   - isExpected: whether they are about what would be released.
    package init?(_ records: [ReleaseRecord], of plan: Plan, isExpected: Bool = false) {
        guard let last = records.last?.release.header, let metric = plan.metric(last.layout.metric) else { return nil }
        // Those of a former layout say nothing of this one's cells.
        releases = records.filter { $0.release.header.layout.counted == last.layout.counted }.map(ReviewedRelease.init)
        costs = releases.map(Self.costs)
        words = CureSentences(plan: plan, metric: last.layout.metric)
        kind = last.period.kind
        self.isExpected = isExpected
        let names = plan.cubeDimensions(of: metric).map(\.name) + plan.derivedDimensions(of: metric).map(\.name)
        preferred = Set(
            plan.reportedGroupings(of: metric).map { margin in
                Margin(
                    keeping: names.indices.filter(margin.keeps).compactMap { place in
                        last.layout.dimensions.firstIndex { $0.name == names[place] }
                    })
            })
    }

    /// The last one.
    var latest: ReviewedRelease? { releases.last }

    /// The one before it, where it is the period before.
    var former: ReviewedRelease? {
        guard releases.count > 1, let last = latest?.release.header.period else { return nil }
        let before = releases[releases.count - 2]
        return before.release.header.period.end == last.start ? before : nil
    }

    /// Whether a report shows a grouping.
    func isPreferred(_ margin: Margin) -> Bool { preferred.contains(margin) }

    // MARK: Groupings

    /// What each grouping showed of its events, over all releases that are looked at.
    package struct Grouping: Sendable, Hashable, Encodable {
        /// The dimensions that it keeps.
        package let dimensions: [String]
        private struct Costs {
            /// Of groupings of which something is shown; one of which it shows next to nothing has a cure of its own.
            let rich: Blame.Costs
            /// Of all of them.
            let all: Blame.Costs
            /// The buckets that are small by themselves.
            let small: Set<BucketPlace>
        }

        /// How many releases are looked at.
        package let periods: Int
        /// Of how many of them nothing was published.
        package let leftOut: Int
        /// The share of all events; nil where totals are withheld and counters have gone.
        package let shown: Double?
        /// The share of publishable events: those in numbers that stand for k devices; nil where nobody knows any more.
        package let publishableShown: Double?
        /// How many releases that is about: those whose reasons are still known.
        package let known: Int

        /// Whether hardly any of its events are shown.
        package var isPoor: Bool { shown.map { $0 < GroupingYield.least } ?? (leftOut == periods) }
    }

    /// In the order of the release.
    package var groupings: [Grouping] {
        guard let last = latest else { return [] }
        let yields = releases.map(\.yields)
        return last.yields.map { yield in
            let all = yields.compactMap { $0.first { $0.dimensions == yield.dimensions } }
            let known = all.filter { $0.hiddenEvents != nil }
            let counted = all.filter { $0.events != nil }
            func share(_ part: Int64, _ whole: Int64) -> Double? { whole > 0 ? Double(part) / Double(whole) : nil }
            func sum(_ yields: [GroupingYield], _ value: (GroupingYield) -> Int64) -> Int64 {
                yields.reduce(0) { $0.addedClamped(value($1)) }
            }
            return Grouping(
                dimensions: yield.dimensions.map(\.text), periods: all.count, leftOut: all.count { $0.published == 0 },
                shown: share(sum(counted, \.publishedEvents), sum(counted) { $0.events ?? 0 }),
                publishableShown: share(
                    sum(known, \.publishedEvents),
                    sum(known) { $0.publishedEvents.addedClamped($0.hiddenEvents ?? 0) }),
                known: known.count)
        }
    }

    // MARK: Buckets

    /// What a small bucket cost, and how often.
    package struct Bucket: Sendable, Hashable, Encodable {
        /// The dimension.
        package let dimension: String
        /// The bucket.
        package let bucket: String
        /// Publishable numbers that the last release withheld for its sake.
        package let numbers: Int
        /// Events of these; an event counts once in each grouping. Unit: events.
        package let events: Int64
        /// What of the same dimension it cost, the most first.
        package let neighbours: [String]
        /// In how many of the known releases it was small.
        package let small: Int
        /// In how many of them it cost something.
        package let costly: Int
        /// How many releases' reasons are known.
        package let known: Int
    }

    /// The buckets that cost the last release the most; where it has no reasons any more, there are none.
    package var buckets: [Bucket] {
        (lastCosts?.buckets ?? [:]).map { bucket(at: $0.key, $0.value) }.sorted {
            ($1.events, $0.dimension, $0.bucket) < ($0.events, $1.dimension, $1.bucket)
        }
    }

    /// The buckets that cost the releases the most, those first that cost something most often.
    package var lasting: [Bucket] {
        var all: [BucketPlace: SmallBucket] = [:]
        for (place, cost) in costs.compactMap({ $0?.blame.buckets }).joined() {
            all[place] = all[place].map { $0.with(cost) } ?? cost
        }
        return all.map { bucket(at: $0.key, $0.value) }.sorted {
            ($1.costly, $1.events, $0.dimension, $0.bucket) < ($0.costly, $0.events, $1.dimension, $1.bucket)
        }
    }

    /// What the last release's numbers were withheld for; nil where nobody knows any more.
    var lastCosts: Blame.Costs? { (costs.last ?? nil)?.blame }

    private static func costs(_ release: ReviewedRelease) -> Costs? {
        guard release.reasons != nil else { return nil }
        // A grouping most of which is small has a cure of its own.
        let rich = zip(release.release.header.groupings, release.yields).filter { !$0.1.isHopeless }.map(\.0)
        let buckets = release.layout.dimensions.enumerated().flatMap { place, dimension in
            dimension.labels.indices.map { BucketPlace(dimension: place, bucket: $0) }
        }
        var blame = Blame(release)
        return Costs(blame: blame.costs(ofBucketsIn: Set(rich)), small: Set(buckets.filter(blame.isSmall)))
    }

    private func bucket(at place: BucketPlace, _ cost: SmallBucket) -> Bucket {
        let known = costs.compactMap(\.self)
        let (small, costly) = (
            known.count { $0.small.contains(place) }, known.count { $0.blame.buckets[place] != nil }
        )
        return Bucket(
            dimension: cost.dimension.text, bucket: cost.bucket.text, numbers: cost.numbers, events: cost.events,
            neighbours: cost.neighbours.map(\.text), small: small, costly: costly, known: known.count)
    }
}

extension SmallBucket {
    /// Both together.
    fileprivate func with(_ other: SmallBucket) -> SmallBucket {
        var sum = self
        sum.numbers += other.numbers
        sum.events = events.addedClamped(other.events)
        sum.neighbours += other.neighbours.filter { !neighbours.contains($0) }
        return sum
    }
}
