internal import Foundation
internal import ThrongNoise

extension Plan {
    /// Returns lines for authors of plans: how far off numbers may be in 19 of 20 cases, one per grouping, and what they cost.
    package func marginLines() -> [MarginLine] {
        let lines = metrics.flatMap { metric -> [MarginLine] in
            do {
                return try marginLines(of: metric)
            } catch { return [MarginLine(text: "metric '\(metric.name)': its margins can't be worked out: \(error)")] }
        }
        guard let dailyRho else { return lines }
        return lines + [Self.guess("a device was there", of: nil, window: Rotation.longest.seconds, dailyRho)]
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
                periods: layout.periodsOfIdentifier
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

    private func marginLines(of metric: Metric) throws -> [MarginLine] {
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
        var lines: [MarginLine] = []
        for (part, names) in zip(shape.parts, groupingNames(of: metric)) {
            var (numbers, least, figures): ([String], String, [MarginLine.Figure]) = ([], "", [])
            if let lattice = shape.devices[part.occasions] {
                let width = try NoiseWidth(threshold: threshold.devices, factor: factors.devices)
                let set = shape.deviceFields(of: part.fields)
                let margin = try lattice.margin(
                    of: set, draws: lattice.draws(width), over: part.combinations(of: shape.deviceDimensions(of: set)))
                let (stated, first) = (try margin.stated(moved: .zero), threshold.devices + margin.publication)
                numbers.append("\(stated) devices")
                least = "; shown from \(first) devices on"
                figures = [.init(what: .devices, number: stated), .init(what: .shown, number: first)]
            }
            for measure in 0...layout.sums.count where measure > 0 || layout.within == nil {
                let (stated, sum) = (try off(measure, part, layout), measure == 0 ? nil : layout.sums[measure - 1])
                numbers.append(sum?.text(stated) ?? "\(stated) events")
                figures.append(.init(what: sum == nil ? .events : .sum, number: stated, sum: sum))
            }
            let split = names.isEmpty ? "in total" : "by \(names.map(\.text).joined(separator: " and "))"
            let off = numbers.joined(separator: ", ")
            let text = "metric '\(metric.name)', each \(metric.period.rawValue) \(split): \(off)\(least)"
            lines.append(MarginLine(metric: metric.name, names: names, figures: figures, text: text))
        }
        if let told = boundsTold(to: metric), let total = shape.parts.first {
            let by = try told.bounds.map { "\(try off(0, total, layout.bounded(by: $0))) events by \($0)" }
            let text = """
                metric '\(metric.name)': each \(metric.period.rawValue) has the smallest bound that few exceeded, as metric \
                '\(told.by.name)' told before, else \(Metric.firstBound) or more; in total off by \(by.joined(separator: ", "))
                """
            lines.append(MarginLine(text: text))
        }
        if let rho = cost(of: metric, factors) {
            let window = layout.hasIdentifiers ? layout.rotation.seconds : nil
            let what =
                layout.rotation == .longest
                ? "a device was there on a day"
                : "an identifier of \(Duration.seconds(layout.rotation.seconds).planText) was there"
            lines.append(Self.guess(window == nil ? "an event was there" : what, of: metric.name, window: window, rho))
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
    private static func guess(_ what: String, of metric: MetricName?, window: Int64?, _ rho: Double) -> MarginLine {
        let (best, about) = (MarginCost.bestGuess(rho), metric.map { "metric '\($0)'" } ?? "all metrics of a day")
        let text =
            "\(about): whether \(what) is guessed right at most \(String(format: "%g", best)) times of 100, even knowing all others "
            + "(a coin: 50; ρ \(MarginCost.text(rho)))"
        let figures = [MarginLine.Figure(what: .guess, number: Int64(best.rounded(.up)))]
        return MarginLine(metric: metric, window: window, figures: figures, text: text)
    }
}

/// A line of `plan check` about margins, with the numbers behind it.
package struct MarginLine: Sendable, Hashable {
    package struct Figure: Sendable, Hashable {
        /// A margin in 19 of 20 cases, the devices from which on a group is shown, or the percent of right guesses.
        package enum What: String, Sendable { case devices, events, sum, shown, guess }
        package let what: What
        /// A sum's is in units of 10^-decimals.
        package let number: Int64
        package var sum: SumMeasure?
    }

    /// Nil where it is about all metrics of a day.
    package var metric: MetricName?
    /// The dimensions of a grouping; nil where it is about a guess.
    package var names: [DimensionName]?
    /// The window of the identifier that is guessed; nil where it is an event. Unit: seconds.
    package var window: Int64?
    package var figures: [Figure] = []
    package let text: String
}

extension SumMeasure {
    /// Returns a margin as text, such as "55436.15 EUR of revenue", from a number of 10^-decimals units.
    fileprivate func text(_ margin: Int64) -> String {
        let digits = String(repeating: "0", count: max(0, decimals + 1 - "\(margin)".count)) + "\(margin)"
        let amount = decimals == 0 ? digits : "\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
        return "\(amount)\(unit.isEmpty ? "" : " \(unit)") of \(name)"
    }
}
