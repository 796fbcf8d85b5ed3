internal import ThrongPlan

/// What published numbers are about, as products of sets of atoms: read off layouts and plans anew, for the verification.
///
/// The first axis is what happened and when: a kind of event of a kind of client in a stretch of time. Then each field that any
/// layout splits has one, whose values are the choices of a bucket of each dimension of that field that can occur together.
struct AtomMap {
    private(set) var weights = AtomWeights()
    private let tables: [PublishedTable]
    /// By table, by base dimension: its axis, and by bucket the axis's values that are in it.
    private var buckets: [[Int: (axis: Int, values: [[Int]])]]
    /// By axis, all of it.
    private var whole: [[Int]] = []
    /// By axis, whether a device is at one value of it only in a window.
    private(set) var tellsDevicesApart: [Bool] = []
    private let clock: Clock
    /// Where the sides of boxes are that were asked for; nil for one that is about nothing.
    private var known: [Side: Int32?] = [:]

    /// Values of a field that are told apart; of more, its dimensions are taken to have nothing to do with each other.
    private static let mostValues = 4_096
    /// An edit of a plan so near to a period's boundary is taken to be at it. Unit: seconds.
    private static let nearness: Int64 = 600

    /// Time between two cuts, and who sends what.
    private struct Clock {
        var cuts: [UnixSeconds]
        let boundaries: [UnixSeconds]
        /// By cut, whether anything was counted from it to the next.
        var isCounted: [Bool]
        var kinds: [String: Int]
    }

    /// - Parameter periods: that numbers are about.
    init(_ tables: [PublishedTable], periods: Set<Period>) {
        self.tables = tables
        buckets = tables.map { _ in [:] }
        clock = Self.clock(tables, periods)
        _ = weights.addAxis(values: max(1, clock.cuts.count * clock.kinds.count))
        whole.append([])
        tellsDevicesApart.append(false)
        for field in fieldsOfAll { add(field) }
    }

    /// To be called once all numbers are there.
    mutating func weigh() { weights.weigh() }

    // MARK: Time

    private static func clock(_ tables: [PublishedTable], _ periods: Set<Period>) -> Clock {
        var boundaries: Set<UnixSeconds> = []
        for period in periods { boundaries.formUnion([period.start, period.end]) }
        let sorted = boundaries.sorted()
        var cuts = boundaries
        for table in tables {
            for start in table.counted.starts { cuts.insert(near(start, sorted)) }
        }
        var kinds: [String: Int] = [:]
        for name in Set(tables.flatMap { ($0.counted.happenings ?? []).map(name) }).sorted() {
            kinds[name] = kinds.count
        }
        var clock = Clock(
            cuts: cuts.sorted(), boundaries: sorted, isCounted: cuts.map { _ in false }, kinds: kinds)
        // What a short period counted says when more exactly than a long one that holds it, as long as it was counted by a plan.
        let stored = tables.indices.flatMap { table in tables[table].parts.map { (table: table, period: $0.period) } }
        for part in stored.sorted(by: { ($0.period.kind, $0.period.start) < ($1.period.kind, $1.period.start) }) {
            let period = part.period
            let inside = clock.cuts.indices.filter { clock.cuts[$0] >= period.start && clock.cuts[$0] < period.end }
            let counted = tables[part.table].counted
            let edits = counted.starts.map { near($0, sorted) }.dropFirst()
            // How many edits came before a cut is the number of its stretch.
            let byStretch = Dictionary(grouping: inside) { cut in edits.count { $0 <= clock.cuts[cut] } }
                .filter { stretch, _ in counted.happenings.map { $0.contains { $0.stretch == stretch } } ?? true }
            for cuts in byStretch.isEmpty ? [inside] : Array(byStretch.values)
            where !cuts.contains(where: { clock.isCounted[$0] }) {
                for cut in cuts { clock.isCounted[cut] = true }
            }
        }
        return clock
    }

    private static func near(_ time: UnixSeconds, _ boundaries: [UnixSeconds]) -> UnixSeconds {
        boundaries.first { abs($0.value - time.value) <= nearness } ?? time
    }

    private static func name(_ happening: CountedEvents.Happening) -> String {
        switch happening.client {
        case .answers(let bits): "\(happening.event.text) \(bits)"
        case .former(let purpose): "\(happening.event.text) of \(purpose)"
        }
    }

    /// What a table counted in a period, of events of some names: values of the first axis.
    private func moments(of table: PublishedTable, in period: Period, named names: Set<EventName>?) -> [Int]? {
        guard let happenings = table.counted.happenings else { return nil }
        let starts = table.counted.starts.map { Self.near($0, clock.boundaries) }
        var found: [Int] = []
        for happening in happenings where names?.contains(happening.event) ?? true {
            guard let kind = clock.kinds[Self.name(happening)] else { continue }
            // The first stretch reaches back, and the last goes on.
            var (from, to) = (period.start, period.end)
            if happening.stretch > 0, happening.stretch < starts.count { from = max(from, starts[happening.stretch]) }
            if happening.stretch + 1 < starts.count { to = min(to, starts[happening.stretch + 1]) }
            for cut in clock.cuts.indices where clock.isCounted[cut] && clock.cuts[cut] >= from && clock.cuts[cut] < to
            {
                found.append(kind * clock.cuts.count + cut)
            }
        }
        return found
    }

    // MARK: Fields

    private struct Dimension: Hashable {
        let table: Int
        let place: Int
    }

    private func overlap(_ one: Dimension, _ other: Dimension) -> BucketOverlap? {
        let (mine, its) = (tables[one.table], tables[other.table])
        return mine.layout.overlap(of: one.place, mine.origins, with: other.place, of: its.layout, its.origins)
    }

    private func size(_ dimension: Dimension) -> Int {
        tables[dimension.table].layout.dimensions[dimension.place].labels.count
    }

    /// Dimensions of the same field, as far as anybody knows, directly or through others.
    private var fieldsOfAll: [[Dimension]] {
        var open = tables.indices.flatMap { table in
            tables[table].layout.dimensions.indices.filter {
                tables[table].layout.leaf.keeps($0) && tables[table].kinds[$0] == nil
            }.map { Dimension(table: table, place: $0) }
        }
        var found: [[Dimension]] = []
        while let first = open.first {
            var field = [first]
            open.removeFirst()
            var next = 0
            while next < field.count {
                let near = open.filter { overlap(field[next], $0) != nil || overlap($0, field[next]) != nil }
                field += near
                open.removeAll(where: near.contains)
                next += 1
            }
            found.append(field.sorted { ($0.table, $0.place) < ($1.table, $1.place) })
        }
        return found
    }

    private mutating func add(_ field: [Dimension]) {
        var choices: [[Int]] = [[]]
        for (number, dimension) in field.enumerated() {
            let known = (0..<number).map { overlap(field[$0], dimension)?.partners.map { Set($0) } }
            var longer: [[Int]] = []
            for choice in choices {
                for bucket in 0..<size(dimension)
                where known.enumerated().allSatisfy({ $1?[choice[$0]].contains(bucket) ?? true }) {
                    longer.append(choice + [bucket])
                }
            }
            if field.count > 1, longer.count > Self.mostValues {
                for alone in field { add([alone]) }
                return
            }
            choices = longer
        }
        let axis = weights.addAxis(values: choices.count)
        whole.append(Array(choices.indices))
        tellsDevicesApart.append(
            field.allSatisfy { tables[$0.table].layout.dimensions[$0.place].partitionsDevices })
        for (number, dimension) in field.enumerated() {
            var values = Array(repeating: [Int](), count: size(dimension))
            for (value, choice) in choices.enumerated() { values[choice[number]].append(value) }
            buckets[dimension.table][dimension.place] = (axis: axis, values: values)
        }
    }

    // MARK: Numbers

    /// A side of a number's box: what it is about along one axis.
    private enum Side: Hashable {
        case moments(table: Int, Period, Set<EventName>?)
        case buckets(table: Int, places: [Int], cells: [Int])
        case all(axis: Int)
    }

    /// What a cell is about; nil where nobody knows what its metric counted, or where that is nothing.
    mutating func box(of table: Int, _ address: PublishedTable.Address, in period: Period) -> AtomWeights.Box? {
        let layout = tables[table].layout
        var places: [Int: [Int]] = [:]
        var cells: [Int: [Int]] = [:]
        var names: Set<EventName>?
        let kept = layout.dimensions.indices.filter(address.margin.keeps)
        for (dimension, bucket) in zip(kept, layout.buckets(of: address.cell, in: address.margin)) {
            let base = layout.dimensions[dimension].coarsening?.place ?? dimension
            if let kinds = tables[table].kinds[base] {
                var inside: Set<EventName> = []
                for bucket in held(bucket, of: dimension, in: layout) { inside.formUnion(kinds[bucket]) }
                names = names.map { $0.intersection(inside) } ?? inside
            } else if let split = buckets[table][base] {
                places[split.axis, default: []].append(dimension)
                cells[split.axis, default: []].append(bucket)
            }
        }
        var box: AtomWeights.Box = []
        for axis in whole.indices {
            let side: Side =
                axis == 0
                ? .moments(table: table, period, names)
                : places[axis].map { .buckets(table: table, places: $0, cells: cells[axis] ?? []) } ?? .all(axis: axis)
            if known[side] == nil { known[side] = .some(weights.place(of: values(side), on: axis)) }
            guard let place = known[side] ?? nil else { return nil }
            box.append(place)
        }
        return box
    }

    /// The buckets of a base dimension that a bucket of it, or of one made of it, stands for.
    private func held(_ bucket: Int, of dimension: Int, in layout: MetricLayout) -> [Int] {
        guard let coarsening = layout.dimensions[dimension].coarsening else { return [bucket] }
        return coarsening.buckets.indices.filter { coarsening.buckets[$0] == bucket }
    }

    private func values(_ side: Side) -> [Int] {
        switch side {
        case .moments(let table, let period, let names):
            return moments(of: tables[table], in: period, named: names) ?? []
        case .all(let axis): return whole[axis]
        case .buckets(let table, let places, let cells):
            let layout = tables[table].layout
            let sets = zip(places, cells).map { place, cell in
                let split = buckets[table][layout.dimensions[place].coarsening?.place ?? place]
                return Set(held(cell, of: place, in: layout).flatMap { split?.values[$0] ?? [] })
            }
            return Array(sets.dropFirst().reduce(sets.first ?? []) { $0.intersection($1) })
        }
    }
}
