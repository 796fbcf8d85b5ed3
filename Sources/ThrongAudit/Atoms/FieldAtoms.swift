/// One field cut as finely as all rules that anybody ever applied to it cut it together.
struct FieldAtoms {
    /// The parts, named.
    private(set) var elements: [String] = []
    /// By part: the numbers in it, where it is a band.
    private(set) var bands: [String: ClosedRange<Double>] = [:]
    private var members: [KnownRule: [String: [String]]] = [:]

    /// - Parameter rules: of one field and one ``KnownRule/kind``.
    /// - Complexity: O(values × rules).
    init(_ rules: Set<KnownRule>, learned: Set<String> = []) {
        let ordered = rules.sorted { $0.labels.lexicographicallyPrecedes($1.labels) }
        switch ordered.first {
        case nil: break
        case .edges: cut(ordered)
        case .apart:
            for rule in ordered {
                elements = rule.labels + learned.subtracting(rule.labels).sorted()
                members[rule] = Dictionary(elements.map { ($0, [$0]) }) { first, _ in first }
            }
        case .values, .names: list(ordered)
        }
    }

    /// The parts of a bucket; nil where the rule has no such bucket.
    func parts(of label: String, by rule: KnownRule) -> [String]? { members[rule]?[label] }

    /// Values that no rule tells apart are one part; so is what nobody lists.
    private mutating func list(_ rules: [KnownRule]) {
        var values: Set<String> = []
        for rule in rules {
            switch rule {
            case .values(let groups, _, let folds):
                for group in groups {
                    // Clients send values; a bucket's label stands for one only where it lists nothing else.
                    let listed = group.values.filter { $0 != group.label }
                    let own = listed.isEmpty || group.values.contains(group.label) ? [group.label] : []
                    values.formUnion((own + listed).map { folds ? $0.uppercased() : $0 })
                }
            case .names(let labels, _): values.formUnion(labels.dropLast())
            case .edges, .apart: break
            }
        }
        var byLabels: [[String]: [String]] = [:]
        for value in values { byLabels[rules.map { $0.label(of: value) ?? "" }, default: []].append(value) }
        let rest = rules.map { $0.labels.last ?? "" }
        byLabels[rest, default: []].append("any other")
        for (labels, values) in byLabels.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            // Where all rules call it the same, that is its name.
            let name = Set(labels).count == 1 ? labels[0] : values.sorted().joined(separator: "+")
            let element = elements.contains(name) ? "\(name) (\(labels.joined(separator: ", ")))" : name
            elements.append(element)
            for (rule, label) in zip(rules, labels) { members[rule, default: [:]][label, default: []].append(element) }
        }
        // A bucket that every value of is in an earlier one of holds nothing.
        for rule in rules { for label in rule.labels { members[rule, default: [:]][label, default: []] += [] } }
    }

    private mutating func cut(_ rules: [KnownRule]) {
        var edges: Set<Double> = []
        for case .edges(let own, _) in rules { edges.formUnion(own) }
        let sorted = edges.sorted()
        let cuts = zip([-Double.infinity] + sorted, sorted + [.infinity]).map { (lower: $0, upper: $1) }
        let names = cuts.map { "[\($0.lower), \($0.upper))" }
        for (cut, name) in zip(cuts, names) { bands[name] = cut.lower...cut.upper }
        elements = names
        let hasRest = rules.contains { rule in
            if case .edges(let own, let labels) = rule { labels.count > own.count + 1 } else { false }
        }
        if hasRest { elements.append("no number") }
        for case .edges(let own, let labels) in rules {
            var parts: [String: [String]] = [:]
            for (place, label) in labels.enumerated() {
                guard place <= own.count else {
                    parts[label, default: []].append("no number")
                    continue
                }
                let lower = place == 0 ? -Double.infinity : own[place - 1]
                let upper = place == own.count ? Double.infinity : own[place]
                parts[label] = zip(cuts, names).filter { $0.0.lower >= lower && $0.0.upper <= upper }.map(\.1)
            }
            members[.edges(own, labels: labels)] = parts
        }
    }
}
