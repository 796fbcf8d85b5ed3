internal import ThrongNoise

extension Plan {
    /// How far off the numbers of metrics with margins may be, a line a grouping: for whoever writes a plan.
    package func marginLines() -> [String] {
        metrics.filter { $0.margin != nil }.flatMap { metric -> [String] in
            do {
                return try marginLines(of: metric)
            } catch {
                return ["metric '\(metric.name)': its margins can't be worked out: \(error)"]
            }
        }
    }

    /// What one device adds to everything that is drawn for a metric in a day costs it at most: ρ, such as "0.98"; where nobody has an
    /// identifier, one event. Nil where numbers are exact, or it can't be worked out.
    package func marginCost(of metric: Metric) -> String? {
        guard metric.margin != nil else { return nil }
        do {
            let layout = try layoutByLabel(of: metric)
            let shape = try MarginShape(layout, groupings: groupings(of: metric))
            let kinds = metric.countsFirsts || metric.provesFirsts ? 2 : 1
            return try MarginCost(
                shape, layout, releaseThreshold(of: metric), factors: marginFactors(of: metric), kindsOfDevices: kinds
            ).text
        } catch {
            // `marginLines()` says what is wrong.
            return nil
        }
    }

    /// Looks whether the numbers of a metric with a margin can be drawn.
    ///
    /// - Throws: ``NoiseError`` where they can't: too many fields or cells, or noise that is too wide.
    func checkDraws(of metric: Metric) throws {
        let layout = try layoutByLabel(of: metric)
        let shape = try MarginShape(layout, groupings: groupings(of: metric))
        let (threshold, factors) = (releaseThreshold(of: metric), marginFactors(of: metric))
        for measure in 0...layout.sums.count {
            _ = try shape.events.draws(layout.width(of: measure, threshold, factor: factors.events))
        }
        let width = try NoiseWidth(threshold: threshold.devices, factor: factors.devices)
        for lattice in shape.devices.values { _ = try lattice.draws(width) }
    }

    private func marginLines(of metric: Metric) throws -> [String] {
        let layout = try layoutByLabel(of: metric)
        let shape = try MarginShape(layout, groupings: groupings(of: metric))
        let (threshold, factors) = (releaseThreshold(of: metric), marginFactors(of: metric))
        var lines: [String] = []
        for (part, names) in zip(shape.parts, groupingNames(of: metric)) {
            var numbers: [String] = []
            if let lattice = shape.devices[part.occasions] {
                let width = try NoiseWidth(threshold: threshold.devices, factor: factors.devices)
                let set = shape.deviceFields(of: part.fields)
                let margin = try widest(lattice, set, part.combinations(of: shape.deviceDimensions(of: set)), width)
                numbers.append("devices ±\(margin.stated), shown from \(threshold.devices + margin.publication)")
            }
            for measure in 0...layout.sums.count where measure > 0 || layout.within == nil {
                let width = try layout.width(of: measure, threshold, factor: factors.events)
                let set = shape.eventFields(of: part.base)
                let margin = try widest(
                    shape.events, set, part.combinations(of: shape.eventDimensions(of: set)), width)
                numbers.append(measure == 0 ? "events ±\(margin.stated)" : layout.sums[measure - 1].text(margin.stated))
            }
            let split = names.isEmpty ? "in total" : "by \(names.map(\.text).joined(separator: " and "))"
            lines.append("metric '\(metric.name)' \(split): \(numbers.joined(separator: ", ")), in 19 of 20 cases")
        }
        if let cost = marginCost(of: metric) {
            let unit = layout.hasIdentifiers ? "a device and day" : "an event"
            lines.append("metric '\(metric.name)': everything that is said of \(unit) costs ρ \(cost) at most")
        }
        return lines
    }

    private func widest(
        _ lattice: Lattice, _ set: FieldSet, _ summed: [[Int]], _ width: NoiseWidth
    ) throws -> (publication: Int64, stated: Int64) {
        let draws = try lattice.draws(width)
        var widest: (publication: Int64, stated: Int64) = (0, 0)
        for sums in summed {
            let margin = try lattice.margin(of: set, draws: draws, summed: sums)
            widest.publication = max(widest.publication, margin.publication)
            widest.stated = max(widest.stated, try margin.stated(moved: .zero))
        }
        return widest
    }
}

extension SumMeasure {
    /// "revenue ±55436.15 EUR", of a number of 10^-decimals units.
    fileprivate func text(_ margin: Int64) -> String {
        let digits = String(repeating: "0", count: max(0, decimals + 1 - "\(margin)".count)) + "\(margin)"
        let amount = decimals == 0 ? digits : "\(digits.dropLast(decimals)).\(digits.suffix(decimals))"
        return "\(name) ±\(amount)\(unit.isEmpty ? "" : " \(unit)")"
    }
}
