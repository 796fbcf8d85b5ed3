package import ThrongPlan

/// A small plan as random choices made it.
package struct TrialPlan: Sendable {
    /// The app's k.
    var threshold: Int
    /// The bound of all metrics: those of the same events must have the same.
    var bound: Int
    /// The metrics.
    var metrics: [Metric]

    /// One metric.
    struct Metric: Sendable {
        var name: String
        var events: [String]
        let dimensions: [String]
        let purpose: String
        /// Nil where it has the app's.
        let threshold: Int?
        let hasSum: Bool
        /// Whether it is split by bands of `amount`.
        let hasHistogram: Bool
        /// Groupings beside the total; nil for the default ones.
        let margins: [[String]]?
    }

    static let events = ["a", "b", "c"]
    /// Clips of the one sum that there is.
    static let clip: ClosedRange<Int64> = 0...10
    /// Purposes as they are written, and those that they count.
    static let purposes: [(name: String, text: String, counts: @Sendable (TrialPeople) -> Bool)] = [
        ("product", "consent: not_required, rotation: 1 day", { _ in true }),
        ("agreed", "consent: required, rotation: 1 day", { $0.agree }),
        (
            "silent", "consent: not_required, refused_by: [global_privacy_control], rotation: 1 day",
            { !$0.signals }
        ),
    ]

    /// Draws a plan.
    init(using random: inout some RandomNumberGenerator) {
        threshold = Bool.random(using: &random) ? 5 : 20
        bound = [1, 3, 10][Int.random(in: 0..<3, using: &random)]
        metrics = []
        for place in 0..<Int.random(in: 1...4, using: &random) {
            metrics.append(Metric(place, threshold, using: &random))
        }
    }

    /// As a plan's file.
    package var yaml: String {
        let used = Set(metrics.flatMap { $0.dimensions + ($0.margins ?? []).flatMap { $0 } })
        let dimensions = TrialDimension.all.filter { used.contains($0.name) }.map { "  \($0.name): \($0.text)\n" }
        let purposes = Self.purposes.map {
            "  \($0.name): {explanation: To see., \($0.text), retention: 300 days}\n"
        }
        return """
            app: {title: Town, name: town, owner: Team, contact: a@example.com, audience: 1000, threshold: \(threshold)}
            purposes:
            \(purposes.joined())\(dimensions.isEmpty ? "" : "dimensions:\n")\(dimensions.joined())metrics:
            \(metrics.map { $0.yaml(bound: bound) }.joined())
            """
    }

    /// As the daemon reads it.
    package func read() throws -> Plan {
        try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }

    /// As somebody edits it: another k, a metric's new name, other events, or without it.
    func edited(using random: inout some RandomNumberGenerator) -> TrialPlan {
        var plan = self
        let place = Int.random(in: 0..<metrics.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: plan.threshold = threshold == 5 ? 20 : 5
        case 1: plan.metrics[place].name = "renamed"
        case 2: plan.metrics[place].events = [TrialPlan.events[Int.random(in: 0..<3, using: &random)]]
        default: if metrics.count > 1 { plan.metrics.remove(at: place) } else { plan.threshold = 5 }
        }
        return plan
    }
}

extension TrialPlan.Metric {
    init(_ place: Int, _ threshold: Int, using random: inout some RandomNumberGenerator) {
        func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        name = "m\(place)"
        let chosen = TrialPlan.events.filter { _ in flip(60) }
        events = chosen.isEmpty ? ["a"] : chosen
        purpose = flip(65) ? "product" : TrialPlan.purposes[Int.random(in: 1..<3, using: &random)].name
        self.threshold = flip(20) ? 20 + Int.random(in: 1...10, using: &random) : nil
        let bases = TrialDimension.all.filter { $0.base == nil }
        var dimensions = [bases[Int.random(in: 0..<bases.count, using: &random)].name]
        if flip(50) { dimensions.append(bases[Int.random(in: 0..<bases.count, using: &random)].name) }
        var seen: Set<String> = []
        dimensions = dimensions.filter { seen.insert($0).inserted }
        self.dimensions = flip(8) ? [] : dimensions
        hasSum = flip(20)
        hasHistogram = flip(12)
        if flip(40), let first = self.dimensions.first {
            var margins = [[first]]
            if self.dimensions.count > 1, flip(50) { margins.append(self.dimensions) }
            if first == "country", flip(70) { margins.append(["dach"]) }
            self.margins = margins
        } else {
            margins = nil
        }
    }

    /// The dimensions that its cube has, the histogram last.
    var split: [TrialDimension] {
        dimensions.compactMap { TrialDimension.named($0) } + (hasHistogram ? [TrialDimension.histogram] : [])
    }

    func yaml(bound: Int) -> String {
        var measures = ["reach: true"]
        if hasSum {
            let clip = "from: \(TrialPlan.clip.lowerBound), to: \(TrialPlan.clip.upperBound)"
            measures.append("sums: {spent: {field: amount, \(clip), decimals: 0}}")
        }
        if hasHistogram { measures.append("histogram: {name: spending, field: amount, edges: [2, 5]}") }
        var more = ", measures: {\(measures.joined(separator: ", "))}"
        if let threshold { more += ", threshold: \(threshold)" }
        if let margins {
            let texts = margins.map { "[" + $0.joined(separator: ", ") + "]" }
            more += ", margins: [\(texts.joined(separator: ", "))]"
        }
        return """
              \(name): {title: It, question: What?, decision: That., owner: Team, expires: 2027-10-31,
                period: day, events: [\(events.joined(separator: ", "))],
                dimensions: [\(dimensions.joined(separator: ", "))], purpose: \(purpose),
                contribution_bound: \(bound)\(more)}

            """
    }
}
