/// The kinds of things that a plan gives names to.
enum PlanPart: String, Sendable, Hashable, CaseIterable {
    case purpose, dimension, metric, insight, report, partner

    /// The key of the section that declares them.
    var section: String { rawValue + "s" }
}

/// The names that a plan declares, in its order.
struct PlanNames {
    private var names: [PlanPart: [String]] = [:]

    /// The names of one kind.
    subscript(part: PlanPart) -> [String] { names[part] ?? [] }

    /// Adds a name.
    mutating func insert(_ name: String, as part: PlanPart) { names[part, default: []].append(name) }
}
