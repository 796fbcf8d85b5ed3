internal import ThrongPlan
internal import ThrongRelease
internal import ThrongStore

/// One release, taken apart: what each grouping shows, and why the rest stayed.
struct ReviewedRelease {
    let release: Release
    let layout: MetricLayout
    /// Why cells stayed; nil where nobody knows any more.
    let reasons: [Margin: [CellIndex: WithholdingReason]]?
    /// Events of the cells of each shown grouping; nil where counters have gone.
    private let events: [Margin: [CellIndex: Int64]]?
    /// By dimension: the events of each of its buckets.
    private let rarity: [[Int64]]?

    /// - Complexity: O(leaves × groupings).
    init(_ record: ReleaseRecord) {
        release = record.release
        let layout = record.release.header.layout
        self.layout = layout
        reasons = record.withheld.map { cells in
            Dictionary(grouping: cells, by: \.margin).mapValues { cells in
                Dictionary(cells.map { ($0.cell, $0.reason) }) { first, _ in first }
            }
        }
        func sums(of margin: Margin) -> [CellIndex: Int64]? {
            record.counts.map { counts in
                let project = layout.projection(from: layout.leaf, to: margin)
                return counts.reduce(into: [:]) { sums, leaf in
                    let cell = project(leaf.key)
                    sums[cell] = (sums[cell] ?? 0).addedClamped(leaf.value)
                }
            }
        }
        let groupings = record.release.header.groupings
        events = record.counts.map { _ in
            Dictionary(uniqueKeysWithValues: Set(groupings).map { ($0, sums(of: $0) ?? [:]) })
        }
        rarity = record.counts.map { _ in
            layout.dimensions.indices.map { place in
                let found = sums(of: Margin(keeping: [place])) ?? [:]
                return layout.dimensions[place].labels.indices.map { found[CellIndex(UInt32($0))] ?? 0 }
            }
        }
    }

    /// The events of a cell; nil where counters have gone.
    func events(of cell: CellIndex, in margin: Margin) -> Int64? { events.map { $0[margin]?[cell] ?? 0 } }

    /// Why a cell stayed; nil where it left, is empty, or nobody knows any more.
    func reason(_ cell: CellIndex, in margin: Margin) -> WithholdingReason? { reasons?[margin]?[cell] }

    /// The events of a bucket; nil where counters have gone.
    func events(of place: BucketPlace) -> Int64? { rarity.map { $0[place.dimension][place.bucket] } }

    /// What each grouping shows, as the header has them.
    var yields: [GroupingYield] {
        let total = release.cell(CellIndex(0), in: .total)?.count ?? events?[.total]?.values.reduce(0, +)
        let published = Dictionary(grouping: release.cells, by: \.margin)
        return release.header.groupings.map { margin in
            let cells = published[margin] ?? []
            let hidden = reasons.map { ($0[margin] ?? [:]).filter { !$0.value.isOwn }.map(\.key) }
            return GroupingYield(
                dimensions: layout.dimensions.indices.filter(margin.keeps).map { layout.dimensions[$0].name },
                published: cells.count,
                publishedEvents: cells.reduce(0) { $0.addedClamped($1.count) }, events: total,
                hidden: hidden?.count,
                hiddenEvents: hidden.flatMap { hidden in
                    events.map { events in hidden.reduce(0) { $0.addedClamped(events[margin]?[$1] ?? 0) } }
                })
        }
    }
}
