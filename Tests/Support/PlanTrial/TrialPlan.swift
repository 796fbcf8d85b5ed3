package import ThrongPlan

/// A small plan as random choices made it; a change of it is a smaller plan that can be tried alike.
package struct TrialPlan: Sendable {
    /// When things happen and by which periods they are counted.
    package let time: TrialTime
    /// The app's k.
    package var threshold: Int
    /// What is counted.
    package var metrics: [Metric]
    /// Whether only proved devices count for k.
    var isAttested = false
    /// Whether all identifiers last an hour.
    var isBrief = false

    /// One metric.
    package struct Metric: Sendable {
        /// Its name.
        package var name: String
        var events: [String]
        var dimensions: [String]
        let purpose: String
        var bound: Int
        let period: PeriodKind
        /// Nil where it has the app's.
        var threshold: Int?
        /// What a sum of `amount` is written as.
        var sum: String?
        /// Whether it is split by bands of `amount`.
        var hasHistogram: Bool
        var showsReach: Bool
        /// Whether its devices prove themselves once a period.
        var provesFirsts = false
        var sensitive: [String]
        /// Groupings beside the total; nil for the default ones.
        var margins: [[String]]?
    }

    static let events = ["a", "b", "c"]
    /// From lowest to highest.
    static let sums = ["from: 0, to: 1", "from: 0, to: 10", "from: -5, to: 4", "from: 2, to: 6"]
    /// Purposes as they are written, and whom they count.
    static let purposes: [(name: String, text: String, counts: @Sendable (TrialPeople) -> Bool)] = [
        ("product", "consent: not_required, rotation: 1 day", { _ in true }),
        ("agreed", "consent: required, rotation: 1 day", { $0.agree }),
        ("silent", "consent: not_required, refused_by: [global_privacy_control], rotation: 1 day", { !$0.signals }),
        ("brief", "consent: not_required, rotation: 1 hour", { _ in true }),
    ]

    /// Draws a plan.
    init(using random: inout some RandomNumberGenerator) {
        time = TrialTime.all[Int.random(in: 0..<TrialTime.all.count, using: &random)]
        threshold = Bool.random(using: &random) ? 5 : 20
        metrics = []
        for place in 0..<Int.random(in: 1...4, using: &random) {
            metrics.append(Metric(place, time, threshold, using: &random))
        }
    }

    /// As a plan's file.
    package var yaml: String {
        let used = Set(metrics.flatMap { $0.dimensions + ($0.margins ?? []).flatMap { $0 } })
        let dimensions = TrialDimension.all.filter { used.contains($0.name) }.map { "  \($0.name): \($0.text)\n" }
        let purposes = Self.purposes.map {
            let text = isBrief ? $0.text.replacing("rotation: 1 day", with: "rotation: 1 hour") : $0.text
            return
                "  \($0.name): {explanation: To see., \(text)\(isAttested ? ", floor: attested" : ""), retention: 300 days}\n"
        }
        return """
            app: {title: Town, name: town, owner: Team, contact: a@example.com, audience: 1000, threshold: \(threshold)}
            purposes:
            \(purposes.joined())\(dimensions.isEmpty ? "" : "dimensions:\n")\(dimensions.joined())metrics:
            \(metrics.map(\.yaml).joined())
            """
    }

    /// As the daemon reads it.
    package func read() throws -> Plan {
        try Plan(yaml: yaml, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
    }
}

extension TrialPlan.Metric {
    init(_ place: Int, _ time: TrialTime, _ threshold: Int, using random: inout some RandomNumberGenerator) {
        func flip(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        name = "m\(place)"
        let chosen = TrialPlan.events.filter { _ in flip(60) }
        events = chosen.isEmpty ? ["a"] : chosen
        purpose = flip(65) ? "product" : TrialPlan.purposes[Int.random(in: 1..<4, using: &random)].name
        bound = [1, 2, 3, 10, 100, 100][Int.random(in: 0..<6, using: &random)]
        period = time.kinds[Int.random(in: 0..<time.kinds.count, using: &random)]
        self.threshold = flip(20) ? threshold + Int.random(in: 1...10, using: &random) : nil
        let bases = TrialDimension.all.filter { $0.base == nil }
        var dimensions = [bases[Int.random(in: 0..<bases.count, using: &random)].name]
        if flip(50) { dimensions.append(bases[Int.random(in: 0..<bases.count, using: &random)].name) }
        if flip(15) { dimensions.append(bases[Int.random(in: 0..<bases.count, using: &random)].name) }
        var seen: Set<String> = []
        dimensions = dimensions.filter { seen.insert($0).inserted }
        self.dimensions = flip(8) ? [] : dimensions
        sum = flip(20) ? TrialPlan.sums[Int.random(in: 0..<TrialPlan.sums.count, using: &random)] : nil
        hasHistogram = flip(12)
        showsReach = flip(25)
        sensitive = flip(10) ? Array(self.dimensions.prefix(1)) : []
        if flip(40), let first = self.dimensions.first {
            var margins = [[first]]
            if self.dimensions.count > 1, flip(50) { margins.append(Array(self.dimensions.prefix(2))) }
            if first == "country", flip(70) { margins.append(["dach"]) }
            self.margins = margins
        } else {
            margins = nil
        }
    }

    var yaml: String {
        var measures: [String] = []
        if provesFirsts { measures.append("reach: attested") } else if showsReach { measures.append("reach: true") }
        if let sum { measures.append("sums: {spent: {field: amount, \(sum), decimals: 0}}") }
        if hasHistogram { measures.append("histogram: {name: spending, field: amount, edges: [2, 5]}") }
        var more = measures.isEmpty ? "" : ", measures: {\(measures.joined(separator: ", "))}"
        if let threshold { more += ", threshold: \(threshold)" }
        if !sensitive.isEmpty { more += ", sensitive: [\(sensitive.joined(separator: ", "))]" }
        if let margins {
            let texts = margins.map { "[" + $0.joined(separator: ", ") + "]" }
            more += ", margins: [\(texts.joined(separator: ", "))]"
        }
        return """
              \(name): {title: It, question: What?, decision: That., owner: Team, expires: 2027-10-31,
                period: \(period.rawValue), events: [\(events.joined(separator: ", "))],
                dimensions: [\(dimensions.joined(separator: ", "))], purpose: \(purpose),
                contribution_bound: \(bound)\(more)}

            """
    }
}
