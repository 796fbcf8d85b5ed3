internal import ThrongPlan
internal import ThrongRelease

/// A published number of events as a set: what it is about by the plan, and what it counts in truth.
///
/// The plan's part is a product: which events in which slots, which values of each field, which clients.
struct TrialNumber {
    let table: Int
    let period: Period
    /// Such as `m0 country=AT os=x`.
    let name: String
    let count: Int64
    let reach: Int64?
    /// By axis, a bit for each thing that it may be about: events in slots, the values of each field, clients.
    let axes: [UInt64]
    /// By happening of the town, whether it counts it.
    let happenings: [Bool]

    /// Every published number of a town.
    static func all(_ town: TrialTown) -> [TrialNumber] {
        town.releases.flatMap { published in
            published.release.cells.map { TrialNumber($0, of: published, town) }
        }
    }

    private init(_ cell: PublishedCell, of published: TrialTown.Published, _ town: TrialTown) {
        let layout = published.release.header.layout
        let period = published.release.header.period
        let table = town.tables[published.table]
        // Mixed radix over the kept dimensions, the last one running fastest.
        var rest = Int(cell.cell.value)
        var kept: [(dimension: TrialDimension, label: String)] = []
        for (place, dimension) in layout.dimensions.enumerated().reversed() where cell.margin.bits >> place & 1 == 1 {
            let label = dimension.labels[rest % dimension.labels.count].text
            rest /= dimension.labels.count
            if let known = TrialDimension.named(dimension.name.text) { kept.insert((known, label), at: 0) }
        }
        func fits(_ field: String, _ value: String) -> Bool {
            kept.allSatisfy { $0.dimension.field != field || $0.dimension.label(value) == $0.label }
        }
        var moments: UInt64 = 0
        for slot in town.trial.time.slots.indices where town.trial.time.period(period.kind, slot) == period {
            guard let spec = table.use(at: slot, town.trial)?.spec else { continue }
            for (place, event) in TrialPlan.events.enumerated() where spec.events.contains(event) {
                if fits("event", event) { moments |= 1 << (slot * TrialPlan.events.count + place) }
            }
        }
        var clients: UInt64 = 0
        for answer in 0..<4 {
            let purpose = table.uses[0].spec.purpose
            let isCounted = !(purpose == "agreed" && answer & 1 == 0) && !(purpose == "silent" && answer & 2 == 2)
            if isCounted { clients |= 1 << answer }
        }
        let fields = TrialDimension.values.map { field, values in
            values.enumerated().reduce(UInt64(0)) { fits(field, $1.element) ? $0 | 1 << $1.offset : $0 }
        }
        self.table = published.table
        self.period = period
        name =
            "\(layout.metric) \(period.kind.rawValue) from \(period.start.value) "
            + (kept.isEmpty ? "in all" : kept.map { "\($0.dimension.name)=\($0.label)" }.joined(separator: " "))
        count = cell.count
        reach = cell.reach?.devices
        axes = [moments, clients] + fields
        happenings = town.happenings.map { happening in
            let people = town.trial.people[happening.group]
            return happening.tables.contains(published.table) && happening.period(table, town.trial) == period
                && fits("event", TrialPlan.events[happening.event])
                && people.values.allSatisfy { fits($0.key, $0.value) }
        }
    }
}

extension TrialNumber {
    /// Whether all that another may be about is also this one's.
    func holds(_ other: TrialNumber) -> Bool { zip(axes, other.axes).allSatisfy { $1 & ~$0 == 0 } }

    /// Whether nothing that one may be about is the other's.
    func isApart(from other: TrialNumber) -> Bool { zip(axes, other.axes).contains { $0 & $1 == 0 } }

    /// Whether what both may be about is a third's.
    func meets(_ other: TrialNumber, within third: TrialNumber) -> Bool {
        isApart(from: other) || axes.indices.allSatisfy { axes[$0] & other.axes[$0] & ~third.axes[$0] == 0 }
    }

    /// Whether a third is about nothing but what one of the two is about: it is within one, or they differ along one
    /// axis only.
    static func union(_ one: TrialNumber, _ two: TrialNumber, holds third: TrialNumber) -> Bool {
        if one.holds(third) || two.holds(third) { return true }
        let open = one.axes.indices.filter { third.axes[$0] & ~(one.axes[$0] & two.axes[$0]) != 0 }
        guard open.count == 1, let axis = open.first else { return false }
        return third.axes[axis] & ~(one.axes[axis] | two.axes[axis]) == 0
    }
}
