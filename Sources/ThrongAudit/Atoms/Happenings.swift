/// The kinds of things that happened, told apart by event and by clients: what each metric counts is a set of them.
struct Happenings {
    /// Named.
    let elements: [String]
    private let kinds: [(event: String, traits: Set<String>)]

    /// The axis on which they stand.
    static let axis = "what"

    /// Whether a client has agreed; opt-out signals have names of their own.
    private static let agreed = "agreed"

    /// - Parameter metrics: in all of their versions.
    /// - Complexity: O(events × 2^signals): plans know consent and three signals.
    init(_ metrics: [KnownMetric]) {
        var traits: Set<String> = []
        if Set(metrics.map(\.clients)).count > 1 {
            for metric in metrics {
                if metric.clients.haveAgreed { traits.insert(Self.agreed) }
                traits.formUnion(metric.clients.refusedBy)
            }
        }
        let all = traits.sorted()
        let events = Set(metrics.flatMap(\.events)).sorted()
        kinds = events.flatMap { event in
            (0..<1 << all.count).map { bits in
                (event, Set(all.indices.filter { bits & (1 << $0) != 0 }.map { all[$0] }))
            }
        }
        let isSplit = !all.isEmpty
        elements = kinds.map { event, traits in
            isSplit ? "\(event) of \(traits.isEmpty ? "the rest" : traits.sorted().joined(separator: "+"))" : event
        }
    }

    /// What a metric counts.
    func counted(by metric: KnownMetric) -> [String] {
        zip(elements, kinds).filter { _, kind in
            metric.events.contains(kind.event)
                && (!metric.clients.haveAgreed || kind.traits.contains(Self.agreed) || !isTold(Self.agreed))
                && kind.traits.isDisjoint(with: metric.clients.refusedBy)
        }.map(\.0)
    }

    /// Those of some events.
    func of(_ isMeant: (_ event: String) -> Bool) -> [String] {
        zip(elements, kinds).filter { isMeant($0.1.event) }.map(\.0)
    }

    private func isTold(_ trait: String) -> Bool { kinds.contains { $0.traits.contains(trait) } }
}
