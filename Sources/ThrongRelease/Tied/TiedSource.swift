internal import ThrongPlan

/// What one side of an identity counts: a metric, or the events of some names in one that is split by their names.
struct TiedSource {
    /// Which metric, by place.
    let metric: Int
    /// What it counts.
    let counted: CountedEvents
    /// The events that it is limited to; nil is the whole metric.
    let names: Set<EventName>?

    /// Whole metrics by their places, then those parts of metrics by which a metric or a part of one is held or covered.
    ///
    /// - Parameter tables: a part is one only where all of its metric's layouts have it.
    static func all(_ counted: [CountedEvents], tables: [TiedTable]) -> [TiedSource] {
        struct Part: Hashable, Comparable {
            let metric: Int
            let names: Set<EventName>
            var key: (Int, String) { (metric, names.sorted().map(\.text).joined(separator: ",")) }
            static func < (left: Self, right: Self) -> Bool { left.key < right.key }
        }
        var parts: Set<Part> = []
        for (metric, events) in counted.enumerated() {
            for names in events.kinds.union([events.everyName]) {
                for (other, its) in counted.enumerated() where other != metric && its.kinds != events.kinds {
                    let inside = its.kinds.filter { $0.isSubset(of: names) }.reduce(into: Set()) { $0.formUnion($1) }
                    let around = its.kinds.filter { !$0.isDisjoint(with: names) }
                        .reduce(into: Set()) { $0.formUnion($1) }
                    let isHeld = names.isSubset(of: around) || names.isSubset(of: its.everyName)
                    let holds = !inside.isEmpty || (!its.everyName.isEmpty && its.everyName.isSubset(of: names))
                    guard isHeld || holds else { continue }
                    parts.insert(Part(metric: metric, names: names))
                    parts.insert(Part(metric: other, names: inside))
                    if names.isSubset(of: around) { parts.insert(Part(metric: other, names: around)) }
                }
            }
        }
        let wholes = counted.enumerated().map { TiedSource(metric: $0, counted: $1, names: nil) }
        return wholes
            + parts.sorted().filter { part in
                let own = tables.filter { $0.metric == part.metric }
                return !part.names.isEmpty && part.names != counted[part.metric].everyName
                    && own.allSatisfy { $0.buckets(holding: part.names) != nil }
            }.map {
                TiedSource(metric: $0.metric, counted: counted[$0.metric].restricted(to: $0.names), names: $0.names)
            }
    }
}

/// One layout's cells among tied ones.
struct TiedTable {
    /// Which metric, by place.
    let metric: Int
    /// Its leaves and cells.
    let laid: CaseTable
    /// What its base dimensions are made from.
    let origins: DimensionOrigins
    /// What was counted in it, when it was.
    let counted: CountedEvents
    /// Whether that was kept; else it is what the metric counted at any time.
    let isKnownByLayout: Bool
    /// The periods that it was released for, or is about to be.
    let released: [Period]
    /// How many devices its small cells stay under.
    let threshold: Threshold
    /// By place of a dimension that tells events apart by their names, by bucket: those that it holds.
    let kinds: [Int: [Set<EventName>]]
    /// By period that was released, the numbers of devices that were published.
    private let devices: [Period: [CellAddress: Int64]]
    /// Whether the release that is to come publishes numbers of devices.
    private let showsDevices: Bool

    /// Looks for dimensions of events' names.
    ///
    /// - Parameters:
    ///   - releases: what was published.
    ///   - coming: the release that is about to be.
    init(
        metric: Int, laid: CaseTable, origins: DimensionOrigins, counted: CountedEvents, inLayout: CountedEvents?,
        releases: [Release], threshold: Threshold, coming: ReleaseHeader? = nil
    ) {
        self.threshold = threshold
        self.counted = inLayout ?? counted
        isKnownByLayout = inLayout != nil
        self.metric = metric
        released = (coming.map { [$0.period] } ?? []) + releases.map(\.header.period)
        showsDevices = coming?.reach ?? false
        devices = releases.reduce(into: [:]) { devices, release in
            let period = release.header.period
            var known = devices[period] ?? [:]
            for cell in release.cells {
                let address = CellAddress(period: period, margin: cell.margin, cell: cell.cell)
                if let reach = cell.reach { known[address] = reach.devices }
            }
            devices[period] = known
        }
        self.laid = laid
        self.origins = origins
        var kinds: [Int: [Set<EventName>]] = [:]
        for (place, dimension) in laid.frame.layout.dimensions.enumerated() where dimension.coarsening == nil {
            // One that was made from another field in between tells nothing apart for sure.
            guard let known = origins[dimension.name], known.count == 1,
                let found = known.first?.kinds(of: counted.everyName), found.count == dimension.labels.count
            else { continue }
            kinds[place] = found
        }
        self.kinds = kinds
    }

    /// The devices that are published of a cell, or will be unless they are held back; nil where none are.
    func devices(_ number: Int, place: Int, in period: Period) -> Int64? {
        let slab = laid.slabs[number]
        if let known = devices[period] {
            return known[CellAddress(period: period, margin: slab.margin, cell: slab.cells[place])]
        }
        return showsDevices ? laid.numbers[number]?[place] : nil
    }

    /// The dimension and its buckets that hold just these events; nil where none does.
    func buckets(holding names: Set<EventName>) -> (place: Int, buckets: Set<Int>)? {
        for (place, events) in kinds.sorted(by: { $0.key < $1.key }) {
            let inside = events.indices.filter { !events[$0].isEmpty && events[$0].isSubset(of: names) }
            if inside.reduce(into: Set<EventName>(), { $0.formUnion(events[$1]) }) == names {
                return (place, Set(inside))
            }
        }
        return nil
    }
}
