internal import ThrongPlan
package import ThrongRelease

/// The identifiers of a frequency's release that had at least so many events, as far as published numbers tell.
package struct ReachedTimes: Sendable {
    /// The first number of events of each band, ascending from 1. Unit: events of an identifier in its window.
    package let edges: [Int]
    package let whole: Int64
    private let bands: [Int64?]
    private let place: Int
    private let law: MarginLaw

    /// Reads a release; nil where it is of something else, or its total is withheld.
    package init?(_ release: Release) {
        let layout = release.header.layout
        guard case .frequency(let edges)? = layout.within, let law = MarginLaw(release.header),
            let place = layout.dimensions.lastIndex(where: { $0.coarsening == nil }),
            let whole = release.cell(CellIndex(0), in: .total)?.count, whole > 0
        else { return nil }
        let margin = Margin(keeping: [place])
        (self.edges, self.whole, self.place, self.law) = (edges, whole, place, law)
        bands = edges.indices.map { release.cell(layout.cell(buckets: [$0], in: margin), in: margin)?.count }
    }

    /// A number of identifiers, its margin (19 of 20), and the noise of its part of the whole.
    package struct Number: Sendable {
        package let count: Int64
        package let margin: Int64
        package let noise: QuotientNoise
    }

    /// Returns the bounds of how many had as many events as a band begins with: the numbers of later bands, and the whole
    /// less those of earlier ones, as far as they are published. They are one where all on either side are; nil where
    /// the release has no such grouping.
    package func reached(_ band: Int) -> (least: Number, most: Number, isTold: Bool)? {
        let told = edges.indices.filter { bands[$0] != nil }
        let (earlier, later) = (told.filter { $0 < band }, told.filter { $0 >= band })
        func sum(_ places: [Int]) -> Int128 { places.reduce(0) { $0 + Int128(bands[$1] ?? 0) } }
        guard let least = number(sum(later), Set(later)),
            let most = number(max(Int128(whole) - sum(earlier), 0), Set(edges.indices).subtracting(earlier))
        else { return nil }
        if later.count == edges.count - band { return (least, least, true) }
        return earlier.count == band ? (most, most, true) : (least, most, false)
    }

    private func number(_ count: Int128, _ bands: Set<Int>) -> Number? {
        guard let part = law.number([place: bands], of: .count),
            let noise = QuotientNoise(part, over: law.number([:], of: .count))
        else { return nil }
        return Number(count: Int64(clamping: count), margin: part.margin, noise: noise)
    }
}
