import TestCluster
import Testing
import ThrongPlan
import ThrongPostgres
import ThrongRelease
import ThrongSchedule
import ThrongStore

/// Everything that happened on a day, in the finest pieces that any number tells apart, and what is published of it.
struct AtomTown {
    let plan: Plan
    let atoms: [Atom]

    /// Events that no number tells apart.
    struct Atom {
        var event = "click"
        /// By field.
        var fields: [String: String] = [:]
        /// Whether they were sent by devices that consent where they are asked.
        var consents = true
        let devices: Range<Int>
        let events: Int64
    }

    /// - Parameter atoms: devices are known by their numbers.
    init(_ metrics: String, dimensions: String, atoms: [Atom]) throws {
        self.atoms = atoms
        plan = try CountedShop.plan(
            """
            app:
              {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours, threshold: 20}
            purposes:
              product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
              asked: {explanation: To see., consent: required, rotation: 1 day, retention: 30 days}
            \(dimensions)
            metrics:
            \(metrics)
            """)
    }

    /// A metric of a plan, on one line.
    static func metric(
        _ name: String, events: String = "[click]", by dimensions: String = "[]", margins: String? = nil,
        purpose: String = "product", bound: Int = 100
    ) -> String {
        """
          \(name):
            {title: It, events: \(events), dimensions: \(dimensions),\(margins.map { " margins: \($0)," } ?? "") question: What?, decision: That.,
            owner: Team, expires: 2027-10-31, purpose: \(purpose), period: day, contribution_bound: \(bound)}

        """
    }

    /// What an attacker has of the day: columns over the atoms.
    enum House {
        /// This one.
        case ours
        /// One that ties metrics by the names of their dimensions.
        case byName
        /// One that decides each metric as if it were alone.
        case apart
        /// One that publishes whatever has k devices.
        case naive
    }

    /// The columns that a house publishes, named "metric bucket bucket".
    func published(by house: House) async throws -> [String: [Bool]] {
        var found: [String: [Bool]] = [:]
        switch house {
        case .naive:
            for metric in plan.metrics {
                let layout = try plan.layout(of: metric, rules: .system)
                for margin in plan.groupings(of: metric) {
                    for (name, column) in try columns(of: metric, layout, margin)
                    where devices(column) >= 20 {
                        found[name] = column
                    }
                }
            }
        case .ours, .byName:
            try await release(plan.metrics.map(\.name), house, into: &found)
        case .apart:
            for metric in plan.metrics { try await release([metric.name], house, into: &found) }
        }
        return found
    }

    /// Whether the atoms that somebody means follow from what was published.
    func gives(_ published: [String: [Bool]], away isMeant: (Atom) -> Bool) -> Bool {
        Span(published.values.map { $0 }).holds(atoms.map(isMeant))
    }

    private func release(_ names: [MetricName], _ house: House, into found: inout [String: [Bool]]) async throws {
        let shop = try await CountedShop(plan)
        try await shop.start(plan, at: CountedShop.start(-1) - 7200)
        for name in names {
            let metric = try #require(plan.metric(name))
            let layout = try plan.layout(of: metric, rules: .system)
            var cells: [String: CountedShop.Counted] = [:]
            for (name, column) in try columns(of: metric, layout, layout.leaf) {
                let events = zip(atoms, column).reduce(0) { $1.1 ? $0 + $1.0.events : $0 }
                cells[name.split(separator: " ").dropFirst().joined(separator: " ")] = .init(
                    events: events, devices: Int64(devices(column)))
            }
            try await shop.count(name, day: 0, cells)
        }
        if house == .byName { try await shop.forgetOrigins() }
        _ = try await shop.releases.releaseDue(of: plan, now: CountedShop.start(1) + 3 * 3600)
        let day = CountedShop.period(0)
        for name in names {
            let metric = try #require(plan.metric(name))
            let releases = try await shop.store.releases(
                app: "shop", metric: name, periodKind: .day, from: day.start, to: day.end)
            for release in releases {
                for cell in release.cells {
                    let layout = release.header.layout
                    let all = try columns(of: metric, layout, cell.margin)
                    let label = Self.name(metric, layout, cell.margin, layout.buckets(of: cell.cell, in: cell.margin))
                    let column = try #require(all[label])
                    #expect(zip(atoms, column).reduce(0) { $1.1 ? $0 + $1.0.events : $0 } == cell.count)
                    found[label] = column
                }
            }
        }
    }

    private static func name(_ metric: Metric, _ layout: MetricLayout, _ margin: Margin, _ buckets: [Int]) -> String {
        let kept = layout.dimensions.indices.filter(margin.keeps)
        return ([metric.name.text] + zip(kept, buckets).map { layout.dimensions[$0].labels[$1].text })
            .joined(separator: " ")
    }

    /// By the name of a cell, which atoms are in it.
    private func columns(of metric: Metric, _ layout: MetricLayout, _ margin: Margin) throws -> [String: [Bool]] {
        let asks = plan.purpose(metric.purpose)?.needsConsent ?? false
        let rules = try plan.cubeDimensions(of: metric).map { ($0.field, try $0.rule.compiled(rules: .system)) }
        var found: [String: [Bool]] = [:]
        for (place, atom) in atoms.enumerated()
        where metric.events.contains(EventName(atom.event)) && (atom.consents || !asks) {
            let leaf = rules.map { field, bucketing in
                (field == .event ? atom.event : atom.fields[field.text] ?? "").withFieldValue { bucketing.bucket($0) }
            }
            let cell = layout.project(layout.cell(buckets: leaf, in: layout.leaf), from: layout.leaf, to: margin)
            let name = Self.name(metric, layout, margin, layout.buckets(of: cell, in: margin))
            found[name, default: Array(repeating: false, count: atoms.count)][place] = true
        }
        return found
    }

    private func devices(_ column: [Bool]) -> Int {
        zip(atoms, column).reduce(into: Set<Int>()) { if $1.1 { $0.formUnion($1.0.devices) } }.count
    }
}

/// What follows from columns by adding and subtracting them, in arithmetic modulo a prime.
private struct Span {
    private static let prime: Int = 2_147_483_647
    /// By leading place.
    private var rows: [Int: [Int]] = [:]

    init(_ columns: [[Bool]]) {
        for column in columns {
            let rest = reduced(column.map { $0 ? 1 : 0 })
            guard let lead = rest.firstIndex(where: { $0 != 0 }) else { continue }
            let inverse = Self.power(rest[lead], Self.prime - 2)
            rows[lead] = rest.map { $0 * inverse % Self.prime }
        }
    }

    func holds(_ column: [Bool]) -> Bool { reduced(column.map { $0 ? 1 : 0 }).allSatisfy { $0 == 0 } }

    private func reduced(_ row: [Int]) -> [Int] {
        var row = row
        for place in row.indices where row[place] != 0 {
            guard let other = rows[place] else { continue }
            let factor = row[place]
            for index in row.indices {
                row[index] = ((row[index] - factor * other[index]) % Self.prime + Self.prime) % Self.prime
            }
        }
        return row
    }

    private static func power(_ base: Int, _ exponent: Int) -> Int {
        var (result, base, exponent) = (1, base, exponent)
        while exponent > 0 {
            if exponent & 1 == 1 { result = result * base % prime }
            base = base * base % prime
            exponent >>= 1
        }
        return result
    }
}
