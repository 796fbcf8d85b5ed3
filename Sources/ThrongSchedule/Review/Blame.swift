internal import ThrongPlan
internal import ThrongRelease

/// Finds out for which small cells, and for which buckets of theirs, numbers of a release were withheld.
struct Blame {
    private let release: ReviewedRelease
    /// The small cells of each shown grouping, ascending.
    private let small: [Margin: [CellIndex]]
    /// Those of a grouping under each cell of a coarser one, as far as anybody asked.
    private var under: [[Margin]: [CellIndex: [Place]]] = [:]

    /// A cell of a shown grouping.
    struct Place: Hashable {
        let margin: Margin
        let cell: CellIndex
    }

    /// The most small cells that one number is said to protect: of a rest of thousands, none is to blame more than the others.
    private static let mostProtected = 32

    init(_ release: ReviewedRelease) {
        self.release = release
        small = (release.reasons ?? [:]).mapValues { cells in
            cells.filter { $0.value.isOwn }.map(\.key).sorted()
        }
    }

    private var layout: MetricLayout { release.layout }

    /// The small cells for whose sake a number is withheld; none where it is withheld for its own, or nobody can say.
    mutating func protected(by place: Place) -> [Place] {
        var seen: Set<Place> = []
        return Array(protected(by: place, seen: &seen).prefix(Self.mostProtected))
    }

    private mutating func protected(by place: Place, seen: inout Set<Place>) -> [Place] {
        guard seen.insert(place).inserted, let reason = release.reason(place.cell, in: place.margin), !reason.isOwn
        else { return [] }
        let period = release.release.header.period
        switch reason {
        case .reveals(let other), .bounds(let other?):
            let target = Place(margin: other.margin, cell: other.cell)
            // What it gives away may be withheld for another's sake itself.
            if other.period == period, let next = release.reason(target.cell, in: target.margin), !next.isOwn {
                return protected(by: target, seen: &seen)
            }
            return [target]
        case .leavesSmallRest(let parent) where parent.period == period:
            let whole = Place(margin: parent.margin, cell: parent.cell)
            return whole == place ? parts(of: place) : small(in: place.margin, under: whole)
        case .revealsTied, .leftOut:
            // What it would give away may be another metric's; what is left out gives nothing away.
            return []
        default:
            return siblings(of: place)
        }
    }

    /// Small cells of a grouping under a cell of a coarser one.
    private mutating func small(in margin: Margin, under whole: Place) -> [Place] {
        guard layout.refines(margin, whole.margin) else { return [] }
        let key = [margin, whole.margin]
        if under[key] == nil {
            let project = layout.projection(from: margin, to: whole.margin)
            under[key] = Dictionary(grouping: (small[margin] ?? []).map { Place(margin: margin, cell: $0) }) {
                project($0.cell)
            }
        }
        return under[key]?[whole.cell] ?? []
    }

    /// Small cells under a cell, of the coarsest finer grouping that has any.
    private mutating func parts(of place: Place) -> [Place] {
        let finer = release.release.header.groupings.filter { $0 != place.margin && layout.refines($0, place.margin) }
        for margin in finer.sorted(by: { ($0.bits.nonzeroBitCount, $0) < ($1.bits.nonzeroBitCount, $1) }) {
            let found = small(in: margin, under: place)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Small cells that differ from one in one dimension.
    private mutating func siblings(of place: Place) -> [Place] {
        let kept = layout.dimensions.indices.filter(place.margin.keeps)
        var found: [Place] = []
        for dropped in kept {
            let whole = Margin(keeping: kept.filter { $0 != dropped })
            found += small(
                in: place.margin,
                under: Place(margin: whole, cell: layout.project(place.cell, from: place.margin, to: whole)))
        }
        return found
    }

    /// The bucket that makes a small cell small beside a number that protects it: of those that the two don't share one that
    /// is small by itself, else the rarest.
    func bucket(of small: Place, beside place: Place) -> BucketPlace? {
        let (its, mine) = (buckets(of: small), buckets(of: place))
        let differing = its.filter { !mine.contains($0) }
        return (differing.isEmpty ? its : differing).min { rank($0) < rank($1) }
    }

    private func buckets(of place: Place) -> [BucketPlace] {
        let kept = layout.dimensions.indices.filter(place.margin.keeps)
        return zip(kept, layout.buckets(of: place.cell, in: place.margin)).map {
            BucketPlace(dimension: $0, bucket: $1)
        }
    }

    private func rank(_ place: BucketPlace) -> (Int, Int64, Int) {
        (isSmall(place) ? 0 : 1, release.events(of: place) ?? 0, place.dimension)
    }

    /// Whether a bucket is small by itself: its own number is, or where the release shows none, its events are fewer than k.
    func isSmall(_ place: BucketPlace) -> Bool {
        let (margin, cell) = (Margin(keeping: [place.dimension]), CellIndex(UInt32(place.bucket)))
        if release.release.shows(margin) { return release.reason(cell, in: margin)?.isOwn ?? false }
        return release.events(of: place).map { $0 > 0 && $0 < release.release.header.threshold.devices } ?? false
    }

    /// What a release's withheld numbers were withheld for.
    struct Costs {
        /// What each bucket cost that is small by itself.
        var buckets: [BucketPlace: SmallBucket] = [:]
        /// By grouping: numbers that stay for the sake of such a bucket, and their events. Unit: events.
        var blamed: [Margin: (numbers: Int, events: Int64)] = [:]
        /// By grouping: events of numbers that stay for small cells of buckets that are not small. Unit: events.
        var scattered: [Margin: Int64] = [:]
        /// By grouping: events of numbers that stay for what other metrics of the same events published. Unit: events.
        var tied: [Margin: Int64] = [:]
    }

    /// What numbers were withheld for; nothing where nobody knows any more.
    ///
    /// - Parameter rich: the groupings for which buckets can be to blame.
    mutating func costs(ofBucketsIn rich: Set<Margin>) -> Costs {
        var costs = Costs()
        var neighbours: [BucketPlace: [Int: Int64]] = [:]
        for margin in release.release.header.groupings {
            for (cell, reason) in release.reasons?[margin] ?? [:] where !reason.isOwn {
                let place = Place(margin: margin, cell: cell)
                let events = release.events(of: cell, in: margin) ?? 0
                guard reason != .revealsTied else {
                    costs.tied[margin, default: 0] += events
                    continue
                }
                let blamed = Set(protected(by: place).compactMap { bucket(of: $0, beside: place) }).filter(isSmall)
                if blamed.isEmpty { costs.scattered[margin, default: 0] += events }
                guard rich.contains(margin), !blamed.isEmpty else { continue }
                let sum = costs.blamed[margin] ?? (0, 0)
                costs.blamed[margin] = (sum.numbers + 1, sum.events.addedClamped(events))
                let own = buckets(of: place)
                for blamed in blamed {
                    let dimension = layout.dimensions[blamed.dimension]
                    costs.buckets[
                        blamed, default: .init(dimension: dimension.name, bucket: dimension.labels[blamed.bucket])
                    ].add(events)
                    guard let mine = own.first(where: { $0.dimension == blamed.dimension }), mine != blamed else {
                        continue
                    }
                    neighbours[blamed, default: [:]][mine.bucket, default: 0] += max(events, 1)
                }
            }
        }
        for (blamed, found) in neighbours {
            let labels = layout.dimensions[blamed.dimension].labels
            costs.buckets[blamed]?.neighbours = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { labels[$0.key] }
        }
        return costs
    }
}

extension SmallBucket {
    fileprivate mutating func add(_ more: Int64) {
        numbers += 1
        events = events.addedClamped(more)
    }
}
