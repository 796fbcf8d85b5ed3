internal import ThrongFaults
internal import ThrongPlan

// Where floors count proved identifiers only, anybody may add events under identifiers of their own, as many as they like, and
// knows them: of every published number they know what is left without these. So a decision is made about what is left, as if
// it were published, and holds for whoever invented all the rest and for whoever invented nothing. What is published is all
// that was counted.
extension ReleaseCase {
    /// The case as it is for whoever sent all that is not proved; nil where floors ask for no proof, here or in what is tied.
    var ofProved: ReleaseCase? {
        guard header.layout.floor == .attested, !Fault.trustForgers.isOn else { return nil }
        // Counts of all and of some can't be put into one equation.
        guard tied.allSatisfy({ $0.layout.floor == .attested }) else { return nil }
        let own = parts.map(\.ofProved)
        return ReleaseCase(
            header: header, parts: own, earlier: earlier.map { $0.counting(own) }, tied: tied.map(\.ofProved),
            counted: counted, countedInLayout: countedInLayout, origins: origins, former: former,
            proved: proved)
    }
}

extension TiedMetric {
    fileprivate var ofProved: TiedMetric {
        let own = parts.map(\.ofProved)
        return TiedMetric(
            counted: counted, layout: layout, parts: own, releases: releases.map { $0.counting(own) }, isWhole: isWhole,
            origins: origins, countedInLayout: countedInLayout, proved: proved)
    }
}

extension StoredCube {
    /// What proved identifiers added, with every cell in which anybody was. Where identifiers are counted, these are all.
    var ofProved: StoredCube {
        guard layout.countsProved else { return self }
        let first = layout.provedMeasure(of: .count)
        var proved: [CellIndex: [MeasureIndex: Int64]] = [:]
        for counter in counters where counter.measure >= first {
            proved[counter.cell, default: [:]][MeasureIndex(counter.measure.value - first.value)] = counter.value
        }
        let added = [MeasureIndex.count] + layout.sums.indices.map { .sum($0) }
        let own = occupied.sorted().flatMap { cell in
            added.map { StoredCounter(measure: $0, cell: cell, value: proved[cell]?[$0] ?? 0) }
        }
        // Firsts are proved ones anyway.
        let firsts = counters.filter { $0.measure > added[added.count - 1] && $0.measure < first }
        return StoredCube(
            layout: layout, period: period, counters: own + firsts, distinct: distinct,
            top: top.filter { $0.measure >= first }.map {
                StoredTop(
                    margin: $0.margin, cell: $0.cell, measure: MeasureIndex($0.measure.value - first.value),
                    window: $0.window, largest: $0.largest, second: $0.second)
            },
            everybody: [self])
    }
}

extension Release {
    /// The same cells with what some cubes count in them; as they are where the counters of the release's period are gone.
    fileprivate func counting(_ parts: [StoredCube]) -> Release {
        let period = header.period
        let own = parts.filter {
            $0.period.start >= period.start && $0.period.end <= period.end && !$0.counters.isEmpty
        }
        return own.isEmpty ? self : Release(decided: header, cells: cells.counting(own, header.layout))
    }
}

extension ReleaseDecision {
    /// The same decision about what all identifiers added.
    func showing(everybodyIn parts: [StoredCube]) -> ReleaseDecision {
        let header = release.header
        return ReleaseDecision(
            release: Release(decided: header, cells: release.cells.counting(parts, header.layout)), withheld: withheld,
            summary: summary)
    }
}

extension [PublishedCell] {
    /// The same cells with the counts and sums of some cubes.
    ///
    /// - Complexity: O(counters · margins).
    fileprivate func counting(_ cubes: [StoredCube], _ layout: MetricLayout) -> [PublishedCell] {
        var totals: [Margin: [CellIndex: [Int64]]] = [:]
        for margin in Set(map(\.margin)) {
            let project = layout.projection(from: layout.leaf, to: margin)
            let nothing = [Int64](repeating: 0, count: 1 + layout.sums.count)
            var cells: [CellIndex: [Int64]] = [:]
            for cube in cubes {
                for counter in cube.counters where Int(counter.measure.value) < nothing.count {
                    let place = Int(counter.measure.value)
                    let cell = project(counter.cell)
                    cells[cell, default: nothing][place] = (cells[cell]?[place] ?? 0).addedClamped(counter.value)
                }
            }
            totals[margin] = cells
        }
        return map { cell in
            guard let values = totals[cell.margin]?[cell.cell] else { return cell }
            return PublishedCell(
                margin: cell.margin, cell: cell.cell, count: values[0],
                sums: cell.sums.isEmpty ? [] : [Int64](values[1...]),
                reach: cell.reach, firsts: cell.firsts)
        }
    }
}
