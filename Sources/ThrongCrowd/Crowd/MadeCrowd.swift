internal import Foundation
internal import ThrongPlan
internal import ThrongSystem

/// A crowd that is made up from a plan alone: all of its events, and values for every bucket of every dimension, a few
/// of which make most of the traffic.
///
/// Devices have tastes: most events of one have its favourite values. Some do not consent, some refuse to be counted,
/// some agreed to an earlier version, and some hand their events in late.
struct MadeCrowd: Sendable {
    private let device: [FieldTable]
    /// The fields that an event says of itself.
    private let own: [FieldTable]
    private let events: [Event]
    /// The places of the events of which nothing is known.
    private let unknown: [Int]
    private let funnels: [[Move]]
    private let shares: CrowdShares
    /// The weights of the hours at which visits begin.
    private let hours: [Double]
    /// Combinations of buckets that no device can have.
    private let impossible: [Combination]

    /// Buckets that can't occur together.
    private typealias Combination = [(dimension: DimensionName, bucket: Int)]

    private struct Event: Sendable {
        let name: String
        /// The places of its fields in ``own``.
        var fields: [Int] = []
        /// The buckets of the dimensions that read its name.
        var kinds: [DimensionName: Int] = [:]
        var impossible: [Combination] = []
        /// The share of devices that send it on a day, where somebody knows it.
        var senders: Double?
    }

    /// A step of a funnel: an event, and the bucket that a field of it has to be in.
    private struct Move: Sendable {
        let event: Int
        let wanted: [(field: Int, dimension: DimensionName, bucket: Int)]
    }

    /// The share of devices that agree where they are asked and nobody said how many do.
    private let consenting: Double

    /// Shares of devices: those that send a signal, that agreed to an earlier version only, and that are offline for hours.
    private static let (refusing, outdated, late) = (0.08, 0.02, 0.03)

    /// Makes the values of all fields of a plan.
    init(_ plan: Plan, shares: CrowdShares, consenting: Double, rules: UserAgentRules) throws(BucketingProblem) {
        var dimensions: [ThrongPlan.Dimension] = []
        for dimension in plan.dimensions + plan.metrics.flatMap({ plan.cubeDimensions(of: $0) })
        where ![.time, .event].contains(dimension.field) && !dimensions.contains(dimension) {
            dimensions.append(dimension)
        }
        let used = plan.purposes.reduce(into: Set<FieldName>()) { $0.formUnion(plan.contextFields(of: $1.name)) }
        var (device, own): ([FieldTable], [FieldTable]) = ([], [])
        for field in used.sorted() {
            let sums = plan.metrics.flatMap(\.sums).filter { $0.field == field }
            let table = try FieldTable(
                field, dimensions.filter { $0.field == field }, sums: sums, shares: shares, rules: rules)
            if table.isOfDevice { device.append(table) } else { own.append(table) }
        }
        (self.device, self.own) = (device, own)
        (self.shares, hours, self.consenting) = (shares, shares.hours, consenting)
        events = try Self.events(of: plan, own, shares)
        unknown = events.indices.filter { [events] in events[$0].senders == nil }
        funnels = try Self.funnels(of: plan, own, events.map(\.name))
        let known = Set(device.flatMap { $0.entries.first.map { Array($0.buckets.keys) } ?? [] })
        impossible = try plan.metrics.flatMap(\.impossible).filter {
            $0.parts.allSatisfy { known.contains($0.dimension) }
        }.map { combination throws(BucketingProblem) in try Self.combination(combination, dimensions) }
    }

    private static func events(
        of plan: Plan, _ own: [FieldTable], _ shares: CrowdShares
    ) throws(BucketingProblem) -> [Event] {
        var events: [Event] = []
        for metric in plan.metrics {
            let dimensions = plan.cubeDimensions(of: metric)
            for name in metric.events {
                let place = events.firstIndex { $0.name == name.text } ?? events.count
                if place == events.count {
                    events.append(Event(name: name.text, senders: shares.devices(sending: name.text)))
                }
                let fields = plan.fields(of: name, purpose: metric.purpose)
                for (field, table) in own.enumerated()
                where fields.contains(table.name) && !events[place].fields.contains(field) {
                    events[place].fields.append(field)
                }
                for dimension in dimensions where dimension.field == .event && dimension.name != metric.within?.name {
                    events[place].kinds[dimension.name] =
                        MadeValue.text(name.text).bucket(by: try dimension.rule.compiled(rules: .system))
                }
                for impossible in metric.impossible {
                    events[place].impossible.append(try combination(impossible, dimensions))
                }
            }
        }
        return events
    }

    private static func funnels(
        of plan: Plan, _ own: [FieldTable], _ events: [String]
    ) throws(BucketingProblem) -> [[Move]] {
        var funnels: [[Move]] = []
        for metric in plan.metrics where !metric.steps.isEmpty {
            var moves: [Move] = []
            for step in metric.steps {
                guard let event = events.firstIndex(of: step.event.text) else { continue }
                var wanted: [(field: Int, dimension: DimensionName, bucket: Int)] = []
                for filter in step.filters {
                    guard let dimension = plan.dimension(filter.dimension),
                        let field = own.firstIndex(where: { $0.name == dimension.field }),
                        let bucket = try dimension.rule.labels().firstIndex(of: filter.bucket)
                    else { continue }
                    wanted.append((field, dimension.name, bucket))
                }
                moves.append(Move(event: event, wanted: wanted))
            }
            funnels.append(moves)
        }
        return funnels
    }

    private static func combination(
        _ combination: ImpossibleCombination, _ dimensions: [ThrongPlan.Dimension]
    ) throws(BucketingProblem) -> Combination {
        var parts: Combination = []
        for part in combination.parts {
            // A bucket that no dimension here has is in no event.
            let labels = try dimensions.first { $0.name == part.dimension }?.rule.labels() ?? []
            parts.append((part.dimension, labels.firstIndex(of: part.bucket) ?? -1))
        }
        return parts
    }

    private static func occurs(_ combination: Combination, in buckets: [DimensionName: Int]) -> Bool {
        combination.allSatisfy { buckets[$0.dimension] == $0.bucket }
    }

    // MARK: Visitors

    /// One device of the crowd on one day.
    struct MadeDevice: Sendable {
        /// The fields that it says of itself.
        fileprivate(set) var values: [FieldName: MadeValue] = [:]
        fileprivate(set) var manners = Visitor.Manners()
        fileprivate var buckets: [DimensionName: Int] = [:]
        /// The place of its favourite value of each field of events.
        fileprivate var tastes: [Int] = []
        fileprivate let seed: UInt64
    }

    /// Makes a device up; the same one for the same seed.
    func guest(seed: UInt64, sample: SampleDevice?) -> MadeDevice {
        var random = SeededGenerator(seed: seed)
        var guest = MadeDevice(seed: random.next())
        for _ in 0..<8 {
            let places = device.map { $0.draw(using: &random) }
            guest.buckets = [:]
            for (table, place) in zip(device, places) {
                guest.buckets.merge(table.entries[place].buckets) { first, _ in first }
                guest.values[table.name] = table.entries[place].value
            }
            if !impossible.contains(where: { Self.occurs($0, in: guest.buckets) }) { break }
        }
        guest.tastes = own.map { $0.draw(using: &random) }
        let isTold = random.fraction() < Self.refusing
        guest.manners.reluctance = random.fraction()
        guest.manners.signals = isTold ? [.globalPrivacyControl, .doNotTrack] : []
        guest.manners.isOutdated = random.fraction() < Self.outdated
        guest.manners.delay = random.fraction() < Self.late ? Int64(1800 + 60_000 * random.fraction()) : 0
        for table in device where sample != nil && SampleDevice.fieldNames.contains(table.name.text) {
            guest.values[table.name] = sample?.value(of: table.name) ?? .missing
        }
        return guest
    }

    func visits(of guest: MadeDevice) -> [[Crowd.Step]] {
        var random = SeededGenerator(seed: guest.seed)
        let count = min(1 + Int(-log2(1 - random.fraction()) * 0.7), 8)
        return known(visits: count, &random).map { visit(of: guest, with: $0, &random) }
    }

    var guessedEvents: [String] { unknown.map { events[$0].name } }

    func agrees(_ manners: Visitor.Manners, to purpose: PurposeName) -> Bool {
        manners.reluctance < shares.consent(to: purpose) ?? consenting
    }

    /// Draws a device's events, by visit, of those of which somebody knows how many devices send them. One that comes
    /// far in a funnel does so in one visit.
    private func known(visits count: Int, _ random: inout SeededGenerator) -> [[Move]] {
        var visits = [[Move]](repeating: [], count: count)
        guard unknown.count < events.count else { return visits }
        var eagerness = events.map { _ in random.fraction() }
        for funnel in funnels where funnel.allSatisfy({ events[$0.event].senders != nil }) {
            let own = random.fraction()
            for move in funnel { eagerness[move.event] = own }
            var way = funnel.prefix { !$0.wanted.isEmpty || own < events[$0.event].senders ?? 0 }
            // Nobody said how many take a step that is a bucket of an event: those who come further do.
            while let last = way.last, !last.wanted.isEmpty { way.removeLast() }
            visits[Int(random.next() % UInt64(count))] += way
        }
        for (place, event) in events.enumerated() {
            guard let senders = event.senders, eagerness[place] < senders else { continue }
            // A few do most of it.
            let zeal = pow(log(1 - random.fraction()), 2) / 2
            let number = 1 + Int((shares.events(event.name) - 1) * zeal + random.fraction())
            let first = Int(random.next() % UInt64(count))
            let done = visits.joined().count { $0.event == place }
            for turn in done..<max(done, min(number, 200)) {
                visits[(first + turn) % count].append(Move(event: place, wanted: []))
            }
        }
        return visits
    }

    private func visit(of guest: MadeDevice, with known: [Move], _ random: inout SeededGenerator) -> [Crowd.Step] {
        var steps: [Crowd.Step] = []
        var second = start(&random)
        func add(_ move: Move, _ random: inout SeededGenerator) {
            if let step = step(move, of: guest, at: min(second, 86_399), &random) { steps.append(step) }
            second += Int64(5 + 70 * random.fraction())
        }
        for move in known { add(move, &random) }
        guard !unknown.isEmpty else { return steps }
        if let funnel = funnels.randomElement(using: &random), random.fraction() < 0.6,
            funnel.allSatisfy({ events[$0.event].senders == nil })
        {
            for move in funnel {
                add(move, &random)
                if random.fraction() > 0.6 { break }
            }
        }
        for _ in 0..<min(1 + Int(2 / (1 - 0.9 * random.fraction())), 20) {
            // Few kinds of events make most of the traffic: that of rank r has a weight of 1/r, near enough.
            let rank = Int(pow(Double(unknown.count + 1), random.fraction())) - 1
            add(Move(event: unknown[min(rank, unknown.count - 1)], wanted: []), &random)
        }
        return steps
    }

    /// An event; nil where the plan says that all that were tried can't be.
    private func step(
        _ move: Move, of guest: MadeDevice, at second: Int64, _ random: inout SeededGenerator
    ) -> Crowd.Step? {
        let event = events[move.event]
        for _ in 0..<4 {
            var places: [(field: Int, entry: Int)] = []
            for field in event.fields {
                let wanted = move.wanted.first { $0.field == field }.flatMap {
                    own[field].draw($0.bucket, of: $0.dimension, using: &random)
                }
                let usual = random.fraction() < 0.4 ? guest.tastes[field] : own[field].draw(using: &random)
                places.append((field, wanted ?? usual))
            }
            if !event.impossible.isEmpty {
                var buckets = guest.buckets.merging(event.kinds) { first, _ in first }
                for (field, entry) in places { buckets.merge(own[field].entries[entry].buckets) { first, _ in first } }
                if event.impossible.contains(where: { Self.occurs($0, in: buckets) }) { continue }
            }
            let fields = places.compactMap { field, entry in
                own[field].entries[entry].json.map { (name: own[field].name.text, json: $0) }
            }
            return Crowd.Step(event: event.name, second: second, fields: fields)
        }
        return nil
    }

    /// The second of the day at which a visit begins.
    private func start(_ random: inout SeededGenerator) -> Int64 {
        var left = random.fraction() * hours.reduce(0, +)
        var hour = 0
        while hour < 23, left >= hours[hour] {
            left -= hours[hour]
            hour += 1
        }
        return Int64(hour) * 3600 + Int64(3000 * random.fraction())
    }
}
