internal import ThrongPlan

/// The atoms of tied metrics: the finest classes of events that any of their numbers can tell apart (disclosure, section 1).
///
/// An atom is an event of a kind of client in a stretch of time, and for each field a value as all rules that anybody applied
/// to it tell values apart. A number is about a product of sets of these: a ``Box``. What dimensions and metrics are called
/// does not matter.
struct AtomSpace {
    /// What and when first, then a field each.
    private(set) var axes: [AtomAxis] = []
    private let tables: [TiedTable]
    /// By table, by place of a base dimension: its field's axis, and by bucket the values of the axis that it holds.
    private var splits: [[Int: (axis: Int, values: [[Int]])]]
    /// By field's axis, the set of all of its values.
    private var everything: [Int32] = []
    /// By axis, whether a device is at one of its values only in a window.
    private var partitions: [Bool] = [false]
    private let moments: Moments
    private var momentSets: [MomentKey: Int32] = [:]

    private struct MomentKey: Hashable {
        let table: Int
        let period: Period
        let names: Set<EventName>?
    }

    /// A product of sets, one an axis: what a number is about.
    struct Box: Hashable {
        fileprivate(set) var sets: [Int32]
    }

    /// Values of a field that are told apart; of more, its rules are taken to have nothing to do with each other.
    static let mostValues = 4_096

    /// Cuts time, events, clients and fields.
    ///
    /// - Parameter periods: that any number may cover.
    init(_ tables: [TiedTable], periods: Set<Period>) {
        self.tables = tables
        moments = Moments(
            tables.map(\.counted), periods: periods, stored: tables.map { $0.laid.frame.parts.map(\.period) })
        axes = [AtomAxis(values: moments.count)]
        splits = tables.map { _ in [:] }
        for component in Self.fields(of: tables) { add(component) }
    }

    /// What a cell is about; nil where nobody knows what its metric counted, or that it counted then.
    mutating func box(of table: Int, _ slab: CubeSlab, place: Int, period: Period) -> Box? {
        let layout = tables[table].layout
        var kept: [[Int]?] = Array(repeating: nil, count: axes.count)
        var names: Set<EventName>?
        let buckets = layout.buckets(of: slab.cells[place], in: slab.margin)
        for (dimension, bucket) in zip(layout.dimensions.indices.filter(slab.margin.keeps), buckets) {
            let coarsening = layout.dimensions[dimension].coarsening
            let base = coarsening?.place ?? dimension
            let held =
                coarsening.map { known in known.buckets.indices.filter { known.buckets[$0] == bucket } } ?? [bucket]
            if let kinds = tables[table].kinds[base] {
                let inside = held.reduce(into: Set<EventName>()) { $0.formUnion(kinds[$1]) }
                names = names?.intersection(inside) ?? inside
            } else if let split = splits[table][base] {
                let values = held.flatMap { split.values[$0] }
                kept[split.axis] = kept[split.axis].map { Array(Set($0).intersection(values)) } ?? values
            }
        }
        let counted = tables[table].counted
        guard let happenings = counted.happenings else { return nil }
        let key = MomentKey(table: table, period: period, names: names)
        if momentSets[key] == nil {
            momentSets[key] = axes[0].place(
                of: moments.numbers(of: happenings, starts: counted.starts, in: period, named: names))
        }
        var sets = [momentSets[key] ?? 0]
        for axis in axes.indices.dropFirst() {
            sets.append(kept[axis].map { axes[axis].place(of: $0) } ?? everything[axis - 1])
        }
        // What is about nothing, by the plans that are known, would be a part of everything.
        return axes.indices.contains { axes[$0].isEmpty(sets[$0]) } ? nil : Box(sets: sets)
    }

    /// To be called once all boxes are there.
    mutating func compare() { for axis in axes.indices { axes[axis].compare() } }

    // MARK: Fields

    /// The base dimensions that look at one field, as far as it is known; each but the kinds of events in one component.
    private static func fields(of tables: [TiedTable]) -> [[(table: Int, place: Int)]] {
        let all = tables.indices.flatMap { table in
            let layout = tables[table].layout
            return layout.dimensions.indices.filter { layout.leaf.keeps($0) && tables[table].kinds[$0] == nil }
                .map { (table: table, place: $0) }
        }
        var component = Array(all.indices)
        for one in all.indices {
            for other in all.indices.dropFirst(one + 1) where component[one] != component[other] {
                guard
                    tables[all[one].table].overlap(
                        of: all[one].place, with: all[other].place, of: tables[all[other].table])
                        != nil
                else { continue }
                let (from, to) = (component[other], component[one])
                for place in component.indices where component[place] == from { component[place] = to }
            }
        }
        return Dictionary(grouping: all.indices, by: { component[$0] }).sorted { $0.key < $1.key }
            .map { $0.value.map { all[$0] } }
    }

    /// Adds an axis for dimensions of one field: a value for each choice of a bucket of each rule that can occur together.
    private mutating func add(_ component: [(table: Int, place: Int)]) {
        var rules: [(table: Int, place: Int)] = []
        var ruleOf: [Int] = []
        for member in component {
            let size = tables[member.table].layout.dimensions[member.place].labels.count
            let known = rules.firstIndex { rule in
                tables[rule.table].overlap(of: rule.place, with: member.place, of: tables[member.table])
                    == BucketOverlap(same: size)
            }
            ruleOf.append(known ?? rules.count)
            if known == nil { rules.append(member) }
        }
        let sizes = rules.map { tables[$0.table].layout.dimensions[$0.place].labels.count }
        var values: [[Int]] = [[]]
        for (number, rule) in rules.enumerated() {
            let partners = (0..<number).map { earlier in
                tables[rules[earlier].table].overlap(
                    of: rules[earlier].place, with: rule.place, of: tables[rule.table])?
                    .partners
            }
            values = values.flatMap { value in
                (0..<sizes[number]).filter { bucket in
                    partners.enumerated().allSatisfy { earlier, met in met?[value[earlier]].contains(bucket) ?? true }
                }.map { value + [$0] }
            }
            if values.count > Self.mostValues {
                for member in component where component.count > 1 { add([member]) }
                return
            }
        }
        for (member, rule) in zip(component, ruleOf) {
            var held = Array(repeating: [Int](), count: sizes[rule])
            for (place, value) in values.enumerated() { held[value[rule]].append(place) }
            splits[member.table][member.place] = (axis: axes.count, values: held)
        }
        var axis = AtomAxis(values: values.count)
        everything.append(axis.place(of: values.indices))
        axes.append(axis)
        partitions.append(
            component.allSatisfy { tables[$0.table].layout.dimensions[$0.place].partitionsDevices })
    }
}

extension AtomSpace {
    /// The atoms that each of some numbers is about, numbered as far as these tell them apart; nil where there are too many.
    ///
    /// - Parameters:
    ///   - mostProducts: how many products of values there may be before those in the same numbers are made one.
    ///   - most: how many atoms are left at most.
    /// - Complexity: O(boxes · products).
    func atoms(of boxes: [Box], mostProducts: Int, most: Int) -> (count: Int, inside: [[Int32]])? {
        let classes = axes.indices.map { axis in axes[axis].classes(telling: Set(boxes.map { $0.sets[axis] })) }
        var count = 1
        for axis in classes {
            count *= max(1, axis.count)
            if count > mostProducts { return nil }
        }
        let products = boxes.map { box in
            zip(box.sets, classes).reduce(into: [0]) { products, axis in
                let own = axis.1.inside[axis.0] ?? []
                products = products.flatMap { product in own.map { product * axis.1.count + $0 } }
            }
        }
        // By product the atom, told apart by one number after the other; 0 is in none.
        var atoms = Array(repeating: 0, count: count)
        var next = 1
        for products in products {
            var inside: [Int: Int] = [:]
            for product in products {
                if inside[atoms[product]] == nil {
                    inside[atoms[product]] = next
                    next += 1
                }
                atoms[product] = inside[atoms[product]] ?? 0
            }
        }
        var numbers: [Int: Int32] = [:]
        for atom in atoms where atom > 0 && numbers[atom] == nil {
            numbers[atom] = Int32(numbers.count)
            if numbers.count > most { return nil }
        }
        return (numbers.count, products.map { products in Set(products.compactMap { numbers[atoms[$0]] }).sorted() })
    }

    /// Whether all that one number is about is also another's.
    func holds(_ whole: Box, _ part: Box) -> Bool {
        axes.indices.allSatisfy { axes[$0].holds(whole.sets[$0], part.sets[$0]) }
    }

    /// Whether nothing that one number is about is another's.
    func isApart(_ one: Box, _ other: Box) -> Bool {
        axes.indices.contains { axes[$0].isApart(one.sets[$0], other.sets[$0]) }
    }

    /// Whether a third is about all that two have in common.
    func meeting(of one: Box, _ two: Box, isIn third: Box) -> Bool {
        isApart(one, two)
            || axes.indices.allSatisfy { axes[$0].meeting(of: one.sets[$0], two.sets[$0], isIn: third.sets[$0]) }
    }

    /// The one axis along which a number goes beyond another with which it has something in common; nil where there is
    /// none, or more.
    func onlyAxis(along part: Box, beyond whole: Box) -> Int? {
        var found: Int?
        for axis in axes.indices where !axes[axis].holds(whole.sets[axis], part.sets[axis]) {
            if found != nil || axes[axis].isApart(whole.sets[axis], part.sets[axis]) { return nil }
            found = axis
        }
        return found
    }

    /// Whether numbers differ along one axis only, at one value of which a device is in a window.
    func arePartition(_ boxes: [Box], along axis: Int) -> Bool {
        partitions[axis]
            && axes.indices.allSatisfy { other in
                other == axis || boxes.allSatisfy { $0.sets[other] == boxes[0].sets[other] }
            }
    }

    /// Whether two have together all that a third has: along an axis each a part of it, along all others either all of it.
    func union(_ one: Box, _ two: Box, holds third: Box, along axis: Int) -> Bool {
        axes[axis].union(one.sets[axis], two.sets[axis], holds: third.sets[axis])
            && axes.indices.allSatisfy { other in
                other == axis
                    || axes[other].holds(one.sets[other], third.sets[other])
                        && axes[other].holds(two.sets[other], third.sets[other])
            }
    }
}

/// Events of kinds of clients, in stretches of time that no period and no edit of a plan divides: numbers for them.
///
/// An edit within ten minutes of a period's boundary is taken to be at it: what little a daemon counts in between tells
/// nobody that two metrics are not the same. Time in which nothing was counted is left out, because who guesses that takes a
/// week and the days of it that somebody counted for the same. What was counted of a period only once it was over, because its
/// plan came that late, is told apart by which plans had come by then.
private struct Moments {
    private static let nearness: Int64 = 600

    private let bounds: [UnixSeconds]
    private let boundaries: [UnixSeconds]
    /// By stretch that begins at one of the bounds: something was counted in it.
    private let isCounted: [Bool]
    private let kinds: [Kind: Int]
    /// When plans came that late.
    private let lateStarts: [UnixSeconds]

    private struct Kind: Hashable {
        let event: EventName
        let client: CountedEvents.Client
    }

    /// - Parameter stored: by table, the periods in which it counted something.
    init(_ counted: [CountedEvents], periods: Set<Period>, stored: [[Period]]) {
        let boundaries = Set(periods.flatMap { [$0.start, $0.end] }).sorted()
        self.boundaries = boundaries
        let bounds = Set(boundaries + counted.flatMap(\.starts).map { Self.snapped($0, to: boundaries) }).sorted()
        self.bounds = bounds
        var isCounted = Array(repeating: false, count: bounds.count)
        // The shortest periods say most exactly when, of the time in which there was their plan.
        let parts = zip(counted, stored).flatMap { counted, periods in periods.map { (counted: counted, period: $0) } }
        for part in parts.sorted(by: { ($0.period.kind, $0.period.start) < ($1.period.kind, $1.period.start) }) {
            let inside = bounds.indices.filter { bounds[$0] >= part.period.start && bounds[$0] < part.period.end }
            let starts = part.counted.starts.map { Self.snapped($0, to: boundaries) }
            var stretches: [[Int]] = []
            for stretch in Set((part.counted.happenings ?? []).map(\.stretch)) {
                let (from, to) = (stretch, stretch + 1)
                stretches.append(
                    inside.filter { place in
                        (from == 0 || from >= starts.count || bounds[place] >= starts[from])
                            && (to >= starts.count || bounds[place] < starts[to])
                    })
            }
            // What was counted only once the period was over says nothing of when.
            for run in stretches.allSatisfy(\.isEmpty) ? [inside] : stretches
            where !run.contains(where: { isCounted[$0] }) {
                for place in run { isCounted[place] = true }
            }
        }
        self.isCounted = isCounted
        var kinds: [Kind: Int] = [:]
        for happening in counted.flatMap({ $0.happenings ?? [] }) {
            let kind = Kind(event: happening.event, client: happening.client)
            if kinds[kind] == nil { kinds[kind] = kinds.count }
        }
        self.kinds = kinds
        let earliest = periods.map(\.end).min() ?? .epoch
        lateStarts = Set(counted.flatMap(\.starts).map { Self.snapped($0, to: boundaries) }).filter { $0 >= earliest }
            .sorted()
    }

    private static func snapped(_ time: UnixSeconds, to boundaries: [UnixSeconds]) -> UnixSeconds {
        boundaries.first { abs($0 - time) <= nearness } ?? time
    }

    var count: Int { (1 + lateStarts.count) * kinds.count * max(1, bounds.count) }

    /// Those of a metric in a period.
    func numbers(
        of happenings: Set<CountedEvents.Happening>, starts: [UnixSeconds], in period: Period,
        named names: Set<EventName>?
    ) -> [Int] {
        let starts = starts.map { Self.snapped($0, to: boundaries) }
        func start(of happening: CountedEvents.Happening) -> UnixSeconds? {
            happening.stretch > 0 && happening.stretch < starts.count ? starts[happening.stretch] : nil
        }
        func numbers(of happening: CountedEvents.Happening, late: Int, from: UnixSeconds, to: UnixSeconds) -> [Int] {
            guard let kind = kinds[Kind(event: happening.event, client: happening.client)] else { return [] }
            return bounds.indices.filter { isCounted[$0] && bounds[$0] >= from && bounds[$0] < to }
                .map { (late * kinds.count + kind) * bounds.count + $0 }
        }
        let named = happenings.filter { names?.contains($0.event) ?? true }
        guard happenings.allSatisfy({ happening in start(of: happening).map { $0 >= period.end } ?? false }) else {
            return named.flatMap { happening -> [Int] in
                let next = happening.stretch + 1
                return numbers(
                    of: happening, late: 0, from: max(period.start, start(of: happening) ?? period.start),
                    to: next < starts.count ? min(period.end, starts[next]) : period.end)
            }
        }
        return named.flatMap { happening -> [Int] in
            guard let late = start(of: happening).flatMap({ lateStarts.firstIndex(of: $0) }) else { return [] }
            return numbers(of: happening, late: late + 1, from: period.start, to: period.end)
        }
    }
}
