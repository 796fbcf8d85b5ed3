internal import ThrongNoise

extension Plan {
    /// Returns lines for authors of plans: how far off numbers may be in 19 of 20 cases, one per grouping, and what they cost.
    package func marginLines() -> [String] {
        let lines = metrics.flatMap { metric -> [String] in
            do {
                return try marginLines(of: metric)
            } catch {
                return ["metric '\(metric.name)': its margins can't be worked out: \(error)"]
            }
        }
        guard let dailyRho else { return lines }
        return lines + ["all metrics of a day: \(Self.guessLine("a device was there", dailyRho))"]
    }

    /// Returns the most that everything drawn for a metric in a day costs one device: ρ, such as "0.98". The cost is
    /// that of one event if nobody has an identifier; nil if it can't be worked out.
    package func marginCost(of metric: Metric) -> String? {
        cost(of: metric, marginFactors(of: metric)).map(MarginCost.text)
    }

    /// The cost ρ of a device's day over all daily metrics; nil for one such metric or none.
    var dailyRho: Double? {
        guard let first = metrics.first(where: isDaily) else { return nil }
        let daily = metrics(ofOneWith: first)
        guard daily.count > 1 else { return nil }
        return daily.reduce(0) { $0 + (cost(of: $1, marginFactors(of: $1)) ?? 0) }
    }

    /// Returns the metrics whose costs add up for one: a device's day if identifiers last a day, whatever the purpose; otherwise an
    /// identifier in its window, or an event, of one purpose.
    func metrics(ofOneWith metric: Metric) -> [Metric] {
        metrics.filter(isDaily(metric) ? isDaily : { $0.purpose == metric.purpose })
    }

    /// Finds the metric that tells how many events each of a metric's identifiers sent: a frequency of the same events
    /// and purpose. Nil where there is none, or where some of these events can't add to the metric.
    package func frequency(telling metric: Metric) -> Metric? {
        guard metric.within == nil, metric.answered == nil, metric.sampling == 1, metric.impossible.isEmpty else {
            return nil
        }
        return metrics.first { other in
            guard let within = other.within, case .frequency = within.kind else { return false }
            return other.purpose == metric.purpose && Set(other.events) == Set(metric.events)
                && groupingNames(of: other).contains([within.name])
        }
    }

    /// Returns the frequency by which a metric's releases choose their bounds, and the bounds that it can lead to, ascending; nil
    /// where the bound is fixed.
    private func boundsTold(to metric: Metric) -> (by: Metric, bounds: [Int])? {
        guard metric.choosesBound, let frequency = frequency(telling: metric),
            case .frequency(let bands)? = frequency.within?.kind
        else { return nil }
        let few = bands.dropFirst().map { Metric.chosenBound(few: $0) }
        return (frequency, Set(few + bands.map { Metric.chosenBound(few: nil, many: $0) }).sorted())
    }

    private func isDaily(_ metric: Metric) -> Bool {
        purpose(metric.purpose).map { $0.hasIdentifiers && $0.rotation == .longest } ?? false
    }

    /// Returns ρ of a metric's day, with its rollups' devices; nil if it can't be worked out, which the reader refuses.
    func cost(of metric: Metric, _ factors: MarginFactors) -> Double? {
        guard let layout = try? layoutByLabel(of: metric),
            let shape = try? MarginShape(layout, groupings: groupings(of: metric))
        else { return nil }
        let knowsDevices = metric.countsFirsts || metric.provesFirsts
        func rho(events: Bool, kinds: Int) -> Double? {
            // Nil if it can't be worked out.
            try? MarginCost(
                shape, layout, metric.threshold, factors: factors, drawsEvents: events, kindsOfDevices: kinds,
                periods: layout.periodsOfWindow
            ).rho
        }
        guard let own = rho(events: true, kinds: knowsDevices ? 2 : 1) else { return nil }
        guard knowsDevices, let coarser = rho(events: false, kinds: 1) else { return own }
        return own + Double(metric.rollups.count) * coarser
    }

    /// Checks that the numbers of a metric with a margin can be drawn.
    ///
    /// - Throws: ``NoiseError`` where they can't: too many fields or cells, or noise that is too wide.
    func checkDraws(of metric: Metric) throws {
        let layout = try layoutByLabel(of: metric).bounded(by: metric.mostContributions)
        let shape = try MarginShape(layout, groupings: groupings(of: metric))
        let (threshold, factors) = (metric.threshold, marginFactors(of: metric))
        for measure in 0...layout.sums.count {
            _ = try shape.events.draws(layout.width(of: measure, threshold, factor: factors.events))
        }
        let width = try NoiseWidth(threshold: threshold.devices, factor: factors.devices)
        for lattice in shape.devices.values { _ = try lattice.draws(width) }
    }

    private func marginLines(of metric: Metric) throws -> [String] {
        let layout = try layoutByLabel(of: metric)
        let shape = try MarginShape(layout, groupings: groupings(of: metric))
        let (threshold, factors) = (metric.threshold, marginFactors(of: metric))
        func off(_ measure: Int, _ part: MarginShape.Part, _ layout: MetricLayout) throws(NoiseError) -> Int64 {
            let width = try layout.width(of: measure, threshold, factor: factors.events)
            let set = shape.eventFields(of: part.base)
            return try shape.events.margin(
                of: set, draws: shape.events.draws(width), over: part.combinations(of: shape.eventDimensions(of: set))
            ).stated(moved: .zero)
        }
        var lines: [String] = []
        for (part, names) in zip(shape.parts, groupingNames(of: metric)) {
            var (numbers, least): ([String], String) = ([], "")
            if let lattice = shape.devices[part.occasions] {
                let width = try NoiseWidth(threshold: threshold.devices, factor: factors.devices)
                let set = shape.deviceFields(of: part.fields)
                let margin = try lattice.margin(
                    of: set, draws: lattice.draws(width), over: part.combinations(of: shape.deviceDimensions(of: set)))
                let stated = try margin.stated(moved: .zero)
                numbers.append("\(stated) devices")
                least = "; shown from \(threshold.devices + margin.publication) devices on"
            }
            for measure in 0...layout.sums.count where measure > 0 || layout.within == nil {
                let stated = try off(measure, part, layout)
                numbers.append(measure == 0 ? "\(stated) events" : layout.sums[measure - 1].text(stated))
            }
            let split = names.isEmpty ? "in total" : "by \(names.map(\.text).joined(separator: " and "))"
            let off = numbers.joined(separator: ", ")
            lines.append("metric '\(metric.name)', each \(metric.period.rawValue) \(split): \(off)\(least)")
        }
        if let told = boundsTold(to: metric), let total = shape.parts.first {
            let by = try told.bounds.map { "\(try off(0, total, layout.bounded(by: $0))) events by \($0)" }
            lines.append(
                """
                metric '\(metric.name)': each \(metric.period.rawValue) has the smallest bound that few exceeded, as metric \
                '\(told.by.name)' told before, else \(Metric.firstBound) or more; in total off by \(by.joined(separator: ", "))
                """)
        }
        if let rho = cost(of: metric, factors) {
            let window = Duration.seconds(layout.rotation.seconds).planText
            let what =
                layout.hasIdentifiers
                ? layout.rotation == .longest ? "a device was there on a day" : "an identifier of \(window) was there"
                : "an event was there"
            lines.append("metric '\(metric.name)': \(Self.guessLine(what, rho))")
        }
        return lines
    }

    /// Returns the rough margins of a metric's numbers in 19 of 20 cases, of devices in devices, and of events and sums in
    /// devices' bounds. One layer of noise has the width of a rung of the ladder, the other that of k.
    func roughMargin(of metric: Metric) -> (devices: Int64, events: Int64) {
        let factors = marginFactors(of: metric)
        func margin(_ part: Double, _ factor: Int64) -> Int64 {
            let devices = Double(metric.threshold.devices)
            let square = min(devices * devices * Double(factor), 0x1p60)
            let rung = Double(KeptNoise.rungs(for: Int64(square)).last ?? 0)
            return Int64((1.96 * (rung * rung + square).squareRoot() / part).rounded())
        }
        let bound = Double(metric.contributionBound)
        return (margin(4, factors.devices), margin(10 * bound / max(bound, NoiseWidth.leastBound), factors.events))
    }

    /// Says in words what a cost means: how often a guess about one is right at most.
    private static func guessLine(_ what: String, _ rho: Double) -> String {
        "whether \(what) is guessed right at most \(MarginCost.bestGuess(rho)) times of 100, even knowing all others "
            + "(a coin: 50; ρ \(MarginCost.text(rho)))"
    }
}

extension SumMeasure {
    /// Returns a margin as text, such as "55436.15 EUR of revenue", from a number of 10^-decimals units.
    fileprivate func text(_ margin: Int64) -> String {
        let digits = String(repeating: "0", count: max(0, decimals + 1 - "\(margin)".count)) + "\(margin)"
        let amount = decimals == 0 ? digits : "\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
        return "\(amount)\(unit.isEmpty ? "" : " \(unit)") of \(name)"
    }
}
