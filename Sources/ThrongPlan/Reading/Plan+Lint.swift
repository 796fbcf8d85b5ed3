extension Plan {
    /// Returns advice on a valid plan: what costs more than it may seem, what is of no use, what ends soon.
    ///
    /// The advice is in the order of the plan's lines; none of it keeps a plan from running.
    ///
    /// - Parameters:
    ///   - today: the date that expiry dates are measured against; ``expired(today:)`` has what has expired.
    ///   - rules: the rules that know browsers and systems; nil asks none.
    package func lint(today: CalendarDate = .today, rules: UserAgentRules? = nil) -> [PlanProblem] {
        var advice = ProblemList(file: places.file)
        let dimensions = dimensionAdvice() + derivedAdvice() + revealedAdvice() + evaluatorAdvice() + listAdvice(rules)
        let metrics = metricAdvice(today: today)
        for problem in purposeAdvice() + timeAdvice() + dimensions + metrics + outputAdvice() + languageAdvice() {
            advice.add(problem)
        }
        return advice.sorted
    }

    // MARK: Purposes

    private func purposeAdvice() -> [PlanProblem] {
        purposes.flatMap { purpose -> [PlanProblem] in
            let metrics = metrics.filter { $0.purpose == purpose.name }
            func advice(_ message: String) -> PlanProblem { places.advice(on: .purpose, purpose.name, message) }
            guard let shortest = metrics.map(\.period).min() else {
                return [advice("has no metric; delete it or count something for it")]
            }
            guard shortest.shortestSeconds > purpose.rotation.seconds,
                purpose.hasIdentifiers, metrics.contains(where: { !$0.provesFirsts })
            else { return [] }
            let rotation = Duration.seconds(purpose.rotation.seconds)
            var message =
                "rotates its identifiers every \(rotation.planText), within a \(shortest.rawValue): k is "
                + "compared with one window's devices, about \(PlanNumber.text(devices(in: purpose.rotation))) of "
                + "\(PlanNumber.text(app.audience)) a day, so more numbers are withheld"
            if purpose.rotation < .longest, !countsChildren(purpose) {
                message += "; a rotation of 1 day shows more and keeps an identifier for a day"
            }
            return [advice(message)]
        }
    }

    /// Returns the number of devices that one window sees, if a day's audience came evenly.
    func devices(in rotation: Rotation) -> Int {
        let share = Double(rotation.seconds) / Double(Rotation.longest.seconds)
        return Int((Double(app.audience) * share).rounded())
    }

    // MARK: Dimensions

    private func dimensionAdvice() -> [PlanProblem] {
        let steps = metrics.flatMap(\.steps).flatMap(\.filters).map(\.dimension)
        let used = Set(metrics.flatMap(\.dimensions) + steps)
        return dimensions.flatMap { dimension -> [PlanProblem] in
            func advice(_ message: String) -> PlanProblem { places.advice(on: .dimension, dimension.name, message) }
            guard used.contains(dimension.name) else {
                return [advice("is not used; delete it or split a metric by it")]
            }
            guard dimension.field == .event, case .list(let groups) = dimension.rule else { return [] }
            let users = metrics.filter {
                $0.dimensions.contains(dimension.name)
                    || $0.steps.flatMap(\.filters).contains { $0.dimension == dimension.name }
            }
            let counted = Set(users.flatMap(\.events).map(\.text))
            return groups.flatMap(\.values).filter { !counted.contains($0) }.map { value in
                advice(
                    "lists \(YAMLNode.quoted(value)), which none of its metrics "
                        + "counts\(NearestName.advice(for: value, among: counted.sorted(), noun: "events"))")
            }
        }
    }

    private func derivedAdvice() -> [PlanProblem] {
        let used = Set(metrics.flatMap { derivedDimensions(of: $0) })
        return derivedDimensions.filter { !used.contains($0) }.map {
            places.advice(
                on: .dimension, $0.name, "is not used; delete it or use it in a metric's margins or an insight")
        }
    }

    // MARK: Metrics

    private func metricAdvice(today: CalendarDate) -> [PlanProblem] {
        metrics.flatMap { metric -> [PlanProblem] in
            [
                expiryAdvice(metric, today: today), cellAdvice(metric), retentionAdvice(metric), rollupAdvice(metric),
                firstsAdvice(metric), lateFirstsAdvice(metric), provedFirstsAdvice(metric), stepAdvice(metric),
            ].compactMap { $0 }.map { places.advice(on: .metric, metric.name, $0) }
        }
    }

    private func firstsAdvice(_ metric: Metric) -> String? {
        guard metric.countsFirsts else { return nil }
        return """
            has 'reach: client': its numbers of devices are what clients say, and a client that is wrong or lies changes \
            them, by \(PlanNumber.text(metric.mostContributions)) an identifier at most; k stays with the floor
            """
    }

    /// Returns advice on a grace below the 48 hours that events may be late, and firsts and answers then miss.
    private func lateFirstsAdvice(_ metric: Metric) -> String? {
        guard app.grace < .seconds(48 * 3600) else { return nil }
        if case .retention = metric.answered {
            return "has 'answered: {retention: …}' and the app a grace of \(app.grace.planText): devices that were "
                + "offline for longer count in the \(metric.period.rawValue) after the one in which they were back; a "
                + "grace of 48 hours waits for all that are taken"
        }
        guard metric.countsFirsts else { return nil }
        return "has 'reach: client' and the app a grace of \(app.grace.planText): devices that were offline for longer "
            + "are missing in its numbers of devices; a grace of 48 hours waits for all that are taken"
    }

    /// Returns the problem of each metric that has expired: it counts nothing, though the rest of the plan may run.
    package func expired(today: CalendarDate = .today) -> [PlanProblem] {
        metrics.filter { $0.expires <= today }.map { metric in
            places.message(
                on: .metric, named: "\(metric.name).expires",
                "metric '\(metric.name)' expired on \(metric.expires) and counts nothing; renew it if its decision "
                    + "still stands, or delete it")
        }
    }

    private func expiryAdvice(_ metric: Metric, today: CalendarDate) -> String? {
        let days = metric.expires.daysSince1970 - today.daysSince1970
        guard (1...30).contains(days) else { return nil }
        return """
            expires on \(metric.expires), in \(days) day\(days == 1 ? "" : "s"), and counts nothing from then on; \
            renew it or let it go
            """
    }

    /// Weighs the finest grouping that is shown against the audience; nil if there is nothing to say.
    private func cellAdvice(_ metric: Metric) -> String? {
        let cube = cubeDimensions(of: metric)
        var sizes: [Int] = []
        for dimension in cube {
            do {
                // Nobody knows how many values will be learned, and each of them has k devices to begin with.
                sizes.append(dimension.isRevealed ? 1 : try dimension.rule.labels().count)
            } catch { return "can't be weighed against its audience: \(error)" }
        }
        let derived = derivedDimensions(of: metric)
        sizes += derived.map(\.labels.count)
        let finest = groupings(of: metric)
            .map { margin in (margin, sizes.indices.reduce(1) { margin.keeps($1) ? $0 * sizes[$1] : $0 }) }
            .max { $0.1 < $1.1 }
        // k is a number of events if there are no identifiers, and nobody knows how many of these there will be.
        guard let (margin, cells) = finest, let purpose = purpose(metric.purpose), purpose.hasIdentifiers else {
            return nil
        }
        // k sees a whole period if firsts are proved.
        let period = Swift.min(metric.period.shortestSeconds, Rotation.longest.seconds)
        let seen = metric.provesFirsts ? Rotation(seconds: period) : purpose.rotation
        // A window lies within one hour or a few, so that a split by time divides its devices by less than its buckets.
        let parts = sizes.indices.filter(margin.keeps).reduce(1) { parts, place in
            guard place < cube.count, case .time(let part, _) = cube[place].rule else { return parts * sizes[place] }
            return parts * (part == .hour ? Swift.max(1, Int(seen.seconds / 3600)) : 1)
        }
        let average = Swift.min(app.audience, devices(in: seen)) / parts
        guard average < 2 * Int(metric.threshold.devices) else { return nil }
        let columns = cube.map(\.name.text) + derived.map(\.name.text)
        let names = columns.indices.filter(margin.keeps).map { columns[$0] }.joined(separator: " × ")
        let length = Duration.seconds(seen.seconds).planText
        let window =
            seen < .longest ? " and \(metric.provesFirsts ? metric.period.rawValue : "window of \(length)")" : ""
        let coarser = "show coarser margins, drop a dimension or "
        return """
            shows \(names.isEmpty ? "its total" : "\(PlanNumber.text(cells)) groups (\(names))") for \
            \(PlanNumber.text(app.audience)) devices a day: on average \
            \(average < 1 ? "less than 1" : PlanNumber.text(average)) a group\(window), with k = \
            \(metric.threshold.devices); many will be withheld: \(names.isEmpty ? "" : coarser)count longer periods
            """
    }

    private func retentionAdvice(_ metric: Metric) -> String? {
        guard let purpose = purpose(metric.purpose),
            let step = metric.decay.first(where: { $0.after >= purpose.retention })
        else { return nil }
        return "decays after \(step.after.planText), but its purpose keeps numbers for \(purpose.retention.planText) "
            + "only; the step never happens"
    }

    /// Returns advice on a rollup that costs a device something and is in no report. Only devices that say or prove that they are
    /// in a cell are drawn for it; all else adds up what was drawn for shorter periods.
    private func rollupAdvice(_ metric: Metric) -> String? {
        guard metric.countsFirsts || metric.provesFirsts else { return nil }
        let reported = reports.filter { report in report.insights.contains { insight($0)?.metric == metric.name } }
        guard let idle = metric.rollups.first(where: { rollup in !reported.contains { $0.period == rollup } }) else {
            return nil
        }
        return "is released by \(idle.rawValue), too, which no report shows; unless analysts need it, leave it out: "
            + "what is drawn for it adds to what a device's day costs"
    }

    /// Returns advice on a funnel whose first step has `where` and may give somebody away; nil if there is none.
    private func stepAdvice(_ metric: Metric) -> String? {
        guard let first = metric.steps.first, !first.filters.isEmpty else { return nil }
        let other = metrics.first { other in
            other.within == nil && other.events.contains(first.event)
                && first.filters.contains { other.dimensions.contains($0.dimension) }
        }
        return other.map {
            "begins with '\(first.event)' in one bucket, by which metric '\($0.name)' is split: what that publishes of "
                + "the bucket bounds who began here, and releases are not decided against it"
        }
    }

    // MARK: Insights, reports, partners

    private func outputAdvice() -> [PlanProblem] {
        let reported = Set(reports.flatMap(\.insights))
        let served = Set(reports.map(\.partner))
        let idle = insights.filter { !reported.contains($0.name) }.map {
            places.advice(on: .insight, $0.name, "is in no report; add it to one or delete it")
        }
        let shares = insights.compactMap(shareAdvice)
        let unserved = partners.filter { !served.contains($0.name) }.map {
            places.advice(on: .partner, $0.name, "receives no report; delete it or write one")
        }
        let silent = reports.filter { $0.schedule == nil }.map {
            places.advice(on: .report, $0.name, "has no schedule; it is made by hand only, by `throng report`")
        }
        return idle + shares + unserved + silent
    }

    private func shareAdvice(_ insight: Insight) -> PlanProblem? {
        guard case .share(of: .devices, part: nil) = insight.kind else { return nil }
        let doing = insight.by.first { name in
            (dimension(name)?.partitionsDevices ?? derivedDimension(name)?.partitionsDevices) == false
        }
        guard let doing else { return nil }
        return places.advice(
            on: .insight, insight.name,
            "shares out devices by '\(doing)', which does not partition them: one device counts in several parts, and "
                + "the parts may exceed 100 %")
    }

    /// Returns advice on lists whose entries will never count anything.
    ///
    /// - Parameter rules: uap-core's rules, to know which browsers and systems there are; nil asks none.
    func listAdvice(_ rules: UserAgentRules?) -> [PlanProblem] {
        dimensions.flatMap { dimension -> [PlanProblem] in
            let messages: [String] =
                switch dimension.rule {
                case .list(let groups): flagAdvice(groups.flatMap(\.values)).map { [$0] } ?? []
                case .route(let templates): templateAdvice(templates)
                case .browser(let families): familyAdvice(families, BrowserFamily.standard, BrowserFamily.table, rules)
                case .operatingSystem(let families):
                    familyAdvice(families, OperatingSystemFamily.standard, OperatingSystemFamily.table, rules)
                default: []
                }
            return messages.map { message in
                PlanProblem(places, list: dimension.name, "dimension '\(dimension.name)' \(message)")
            }
        }
    }

    // MARK: Flags

    /// Returns advice on a list of yes and no, which YAML 1.1 took for flags; nil for other lists.
    private func flagAdvice(_ values: [String]) -> String? {
        let spellings: Set = ["yes", "no", "on", "off", "y", "n", "true", "false"]
        guard values.allSatisfy({ spellings.contains($0.lowercased()) }),
            let odd = values.first(where: { $0 != "true" && $0 != "false" })
        else { return nil }
        return "lists \(YAMLNode.quoted(odd)), letter for letter; a flag counts as true or false, so list [true, "
            + "false] unless clients send this very text"
    }

    // MARK: Templates

    /// Returns advice on templates that no path reaches, because an earlier one takes all of theirs.
    private func templateAdvice(_ templates: [String]) -> [String] {
        let routes = templates.map(WrittenRoute.init)
        return routes.indices.compactMap { place in
            guard routes[place].takesMany, let first = routes[..<place].firstIndex(where: { $0.covers(routes[place]) })
            else { return nil }
            return "never counts \(YAMLNode.quoted(templates[place])), because \(YAMLNode.quoted(templates[first])) "
                + "stands first and matches all of its paths; write the narrower one first"
        }
    }

    /// A route template by its segments, to see which one takes the paths of another.
    private struct WrittenRoute {
        let segments: [Substring]
        let isOpenEnded: Bool

        init(_ template: String) {
            let parts = template.split(separator: "/")
            isOpenEnded = parts.last == "*"
            segments = isOpenEnded ? Array(parts.dropLast()) : parts
        }

        /// True if it stands for more than the path that it is letter for letter, which always finds it.
        var takesMany: Bool { isOpenEnded || segments.contains { $0.hasPrefix(":") } }

        func covers(_ other: WrittenRoute) -> Bool {
            guard isOpenEnded || (!other.isOpenEnded && segments.count == other.segments.count),
                segments.count <= other.segments.count
            else { return false }
            return zip(segments, other.segments).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
        }
    }

    // MARK: Families

    private func familyAdvice(
        _ families: [String], _ standard: [String], _ table: [String: String], _ rules: UserAgentRules?
    ) -> [String] {
        let known = Set(standard).union(table.keys).union(table.values)
        return families.compactMap { family in
            if let gathered = table[family], !families.contains(gathered) {
                return "lists \(YAMLNode.quoted(family)), one variant of \(YAMLNode.quoted(gathered)), and the other "
                    + "variants count as 'other'; list \(YAMLNode.quoted(gathered)), which has them all"
            }
            guard !known.contains(family), let rules, !rules.mentions(family) else { return nil }
            let former = [
                "osx": "macOS", "os x": "macOS", "mac": "macOS", "msie": "Internet Explorer", "win": "Windows",
            ]
            let meant = NearestName.question(
                former[family.lowercased()] ?? NearestName.nearest(to: family, among: known.sorted()))
            return "lists \(YAMLNode.quoted(family)), which no user agent is\(meant) families are spelled as uap-core "
                + "spells them, such as \(standard.joined(separator: ", "))"
        }
    }
}

extension PeriodKind {
    /// The shortest length of such a period: a month has 28 days at least. Unit: seconds.
    package var shortestSeconds: Int64 {
        switch self {
        case .hour: 3600
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 28 * 86_400
        }
    }

    /// The longest length of such a period. Unit: seconds.
    package var longestSeconds: Int64 { self == .month ? 31 * 86_400 : shortestSeconds }
}

extension PlanProblem {
    /// Advice on a dimension's list, at the line of the list.
    fileprivate init(_ places: PlanPlaces, list dimension: DimensionName, _ message: String) {
        self = places.message(on: .dimension, named: "\(dimension).list", message)
    }
}
