internal import ThrongPlan

/// A layout's counters and what was published of them, read anew for the verification: by no line of the search.
struct PublishedTable {
    let layout: MetricLayout
    let origins: DimensionOrigins
    /// What was counted in it, when it was.
    let counted: CountedEvents
    /// By place of a dimension that tells events apart by their names, by bucket: those that it holds.
    let kinds: [Int: [Set<EventName>]]
    let parts: [StoredCube]
    private let proved: [ProvedDevices]
    /// What was, or is about to be, published, and for what.
    let published: [(period: Period, cells: [Address: PublishedCell])]
    /// Of these, how many were published before: they come first.
    let earlier: Int
    private let spans: Spans
    /// By run of parts, every grouping's cells in which something was counted.
    private(set) var cells: [Range<Int>: [Address: CountedCell]] = [:]
    /// Whether all of it was read in time.
    private(set) var isRead = false
    /// Cells of which nobody outside can tell that nobody is in them.
    private var vacant: [Range<Int>: Set<Address>] = [:]

    /// A cell of a grouping.
    struct Address: Hashable {
        let margin: Margin
        let cell: CellIndex
    }

    /// What was counted in a cell.
    struct CountedCell {
        /// Unit: events.
        let events: Int64
        /// The events of all identifiers, where ``events`` are those of proved ones.
        let everybodys: Int64
        /// By window, the identifiers that it has at least, and at most. Unit: identifiers.
        let windows: [Int64: ClosedRange<Int64>]
        /// Whether they are known at most: its grouping's identifiers were counted.
        let isCounted: Bool
        /// The devices that are proved: the most that a window of a part shows, or that proved themselves in a period.
        let floor: Int64
        /// The most that proved themselves in a period.
        let proved: Int64
    }

    /// Reads a case's counters.
    ///
    /// - Parameters:
    ///   - others: groupings of others in its own dimensions.
    ///   - published: what this release is about to publish; nil where nothing is.
    ///   - deadline: when to stop. What was not read then has no cells.
    /// - Complexity: O(leaves · groupings · log).
    init(
        _ release: ReleaseCase, metric: CountedEvents, inLayout: CountedEvents?, others: Set<Margin>,
        about published: [PublishedCell]?, until deadline: ContinuousClock.Instant
    ) {
        layout = release.header.layout
        origins = release.origins
        counted = inLayout ?? metric
        parts = release.parts
        proved = release.proved
        var kinds: [Int: [Set<EventName>]] = [:]
        for (place, dimension) in layout.dimensions.enumerated() where dimension.coarsening == nil {
            guard let made = release.origins[dimension.name], made.count == 1, let origin = made.first,
                let names = origin.kinds(of: metric.everyName), names.count == dimension.labels.count
            else { continue }
            kinds[place] = names
        }
        self.kinds = kinds
        earlier = release.earlier.count
        self.published =
            release.earlier.map { (period: $0.header.period, cells: Self.values($0.cells)) }
            + (published.map { [(period: release.header.period, cells: Self.values($0))] } ?? [])
        let concealed = ConcentratedCells(in: release).siblings
        let frame = ReleaseFrame(release.parts, layout: layout, unknown: concealed)
        spans = Spans(of: release, frame: frame, others: others, isEvidence: published == nil)
        for span in spans.all where ContinuousClock().now < deadline {
            let margins = MarginUniverse.margins(
                of: layout, shown: spans.shown[span] ?? [], leaves: frame.leaves(of: span).count)
            for margin in margins where ContinuousClock().now < deadline { read(margin, in: span, concealed) }
        }
        isRead = ContinuousClock().now < deadline
    }

    private static func values(_ cells: [PublishedCell]) -> [Address: PublishedCell] {
        var values: [Address: PublishedCell] = [:]
        for cell in cells { values[Address(margin: cell.margin, cell: cell.cell)] = cell }
        return values
    }

    private mutating func read(_ margin: Margin, in span: Range<Int>, _ concealed: [Set<CellIndex>]) {
        let cellOfLeaf = layout.projection(from: layout.leaf, to: margin)
        var events: [CellIndex: Int64] = [:]
        var everybodys: [CellIndex: Int64] = [:]
        var empty: Set<CellIndex> = []
        for part in span {
            for counter in (parts[part].everybody.first ?? parts[part]).counters where counter.measure == .count {
                let cell = cellOfLeaf(counter.cell)
                everybodys[cell] = (everybodys[cell] ?? 0).addedClamped(counter.value)
            }
            for counter in parts[part].counters where counter.measure == .count && parts[part].isOccupied(counter) {
                let cell = cellOfLeaf(counter.cell)
                events[cell] = (events[cell] ?? 0).addedClamped(counter.value)
            }
            for leaf in part < concealed.count ? concealed[part] : [] { empty.insert(cellOfLeaf(leaf)) }
        }
        for cell in empty where events[cell] == nil {
            vacant[span, default: []].insert(Address(margin: margin, cell: cell))
        }
        // Identifiers of the grouping itself, or else of the leaves: of those only the most numerous in a bucket that tells
        // devices apart are sure to be different ones.
        let wanted = layout.trackedMargin(for: margin)
        let isCounted = layout.trackedMargins.contains(wanted)
        let source = isCounted ? wanted : layout.leaf
        let cellOfRow = layout.projection(from: source, to: margin)
        let bucketOfRow = layout.projection(from: source, to: layout.partition)
        struct Place: Hashable {
            let cell: CellIndex
            let part: Int
            let window: Int64
        }
        var devices: [Place: [CellIndex: Int64]] = [:]
        for part in span {
            for row in parts[part].distinct where row.margin == source {
                let place = Place(cell: cellOfRow(row.cell), part: part, window: row.window.value)
                let bucket = bucketOfRow(row.cell)
                devices[place, default: [:]][bucket] = max(devices[place]?[bucket] ?? 0, row.devices)
            }
        }
        var windows: [CellIndex: [Int64: ClosedRange<Int64>]] = [:]
        var floors: [CellIndex: Int64] = [:]
        for (place, buckets) in devices {
            let sum = buckets.values.reduce(Int64(0)) { $0.addedClamped($1) }
            floors[place.cell] = max(floors[place.cell] ?? 0, sum)
            // A device may be in both of two parts that share a window.
            let known = windows[place.cell]?[place.window]
            windows[place.cell, default: [:]][place.window] =
                max(known?.lowerBound ?? 0, sum)...(known?.upperBound ?? 0).addedClamped(sum)
        }
        var claimed: [CellIndex: Int64] = [:]
        for period in proved {
            let inside = self.span(of: period.period)
            guard !inside.isEmpty, span.lowerBound <= inside.lowerBound, inside.upperBound <= span.upperBound else {
                continue
            }
            // Nobody is taken for a device there without an event of it.
            let borne = self.borne(source, in: inside)
            var sums: [CellIndex: [CellIndex: Int64]] = [:]
            for row in period.rows where row.margin == source {
                let (cell, bucket) = (cellOfRow(row.cell), bucketOfRow(row.cell))
                sums[cell, default: [:]][bucket] = max(sums[cell]?[bucket] ?? 0, min(row.devices, borne[row.cell] ?? 0))
            }
            for (cell, buckets) in sums {
                let sum = buckets.values.reduce(Int64(0)) { $0.addedClamped($1) }
                claimed[cell] = max(claimed[cell] ?? 0, sum)
                floors[cell] = max(floors[cell] ?? 0, sum)
            }
        }
        for (cell, count) in events {
            cells[span, default: [:]][Address(margin: margin, cell: cell)] = CountedCell(
                events: count, everybodys: everybodys[cell] ?? 0, windows: windows[cell] ?? [:], isCounted: isCounted,
                floor: floors[cell] ?? 0, proved: claimed[cell] ?? 0)
        }
    }

    /// By cell of a margin, the proved events of some parts.
    private func borne(_ margin: Margin, in span: Range<Int>) -> [CellIndex: Int64] {
        let project = layout.projection(from: layout.leaf, to: margin)
        var borne: [CellIndex: Int64] = [:]
        for part in parts[span] {
            for (cell, events) in part.provedEvents {
                borne[project(cell)] = (borne[project(cell)] ?? 0).addedClamped(events)
            }
        }
        return borne
    }

    // MARK: What follows

    /// The parts that a period covers.
    func span(of period: Period) -> Range<Int> {
        let inside = parts.indices.filter {
            parts[$0].period.start >= period.start && parts[$0].period.start < period.end
        }
        return (inside.first ?? 0)..<((inside.last ?? -1) + 1)
    }

    /// The time that a run of parts was counted in.
    func period(of span: Range<Int>) -> Period {
        let (first, last) = (parts[span.lowerBound].period, parts[span.upperBound - 1].period)
        return span.count == 1 ? first : Period(kind: first.kind, start: first.start, end: last.end)
    }

    /// By run of parts, what is published or is all that a shown sum has beside published numbers.
    ///
    /// - Parameter count: how many of ``published`` are taken for published.
    func known(_ count: Int) -> [Range<Int>: Set<Address>] {
        var known: [Range<Int>: Set<Address>] = [:]
        for release in published.prefix(count) {
            known[span(of: release.period), default: []].formUnion(release.cells.keys)
        }
        let sums = sums()
        var isMore = true
        while isMore {
            isMore = false
            for sum in sums {
                var missing: (span: Range<Int>, cell: Address)?
                var count = 0
                for (span, cell) in sum where !(known[span]?.contains(cell) ?? false) {
                    missing = (span, cell)
                    count += 1
                    if count > 1 { break }
                }
                guard count == 1, let missing else { continue }
                known[missing.span, default: []].insert(missing.cell)
                isMore = true
            }
        }
        return known
    }

    /// Cells of shown groupings of which the first is the sum of the others.
    private func sums() -> [[(Range<Int>, Address)]] {
        var sums: [[(Range<Int>, Address)]] = []
        for span in spans.all {
            let shown = Set(spans.shown[span] ?? [])
            let here = Array((cells[span] ?? [:]).keys) + Array(vacant[span] ?? [])
            var byMargin = Dictionary(grouping: here, by: \.margin)
            byMargin = byMargin.filter { shown.contains($0.key) }
            for (fine, parts) in byMargin {
                for coarse in shown where coarse != fine && layout.refines(fine, coarse) {
                    let project = layout.projection(from: fine, to: coarse)
                    for (cell, members) in Dictionary(grouping: parts, by: { project($0.cell) }) where members.count > 1
                    {
                        sums.append(
                            [(span, Address(margin: coarse, cell: cell))] + members.map { (span, $0) })
                    }
                }
            }
            guard let pieces = spans.pieces(of: span), pieces.count > 1 else { continue }
            for (margin, wholes) in byMargin {
                guard pieces.allSatisfy({ spans.shown[$0]?.contains(margin) ?? false }) else { continue }
                for whole in wholes {
                    let members = pieces.filter {
                        cells[$0]?[whole] != nil || vacant[$0]?.contains(whole) ?? false
                    }
                    if members.count > 1 { sums.append([(span, whole)] + members.map { ($0, whole) }) }
                }
            }
        }
        return sums
    }
}
