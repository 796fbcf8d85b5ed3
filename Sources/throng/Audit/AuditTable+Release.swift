import ThrongAudit
import ThrongPlan
import ThrongRelease

extension AuditTable {
    /// What an attacker sees of a release: its header and its published cells.
    init(_ release: Release) {
        let header = release.header
        let layout = header.layout
        let calendar = PeriodCalendar(timeZone: layout.timeZone) ?? .utc
        // Where buckets are learned, everybody sees which there are: slots without a label are none.
        let shown = layout.dimensions.map(\.shownBuckets)
        func cell(_ cell: CellIndex, in margin: Margin) -> UInt32? {
            guard layout.isRevealing else { return cell.value }
            let kept = layout.dimensions.indices.filter(margin.keeps)
            var result = 0
            for (place, bucket) in zip(kept, layout.buckets(of: cell, in: margin)) {
                guard let position = shown[place].firstIndex(of: bucket) else { return nil }
                result = result * shown[place].count + position
            }
            return UInt32(result)
        }
        self.init(
            source: "\(layout.app) \(layout.metric) \(calendar.label(of: header.period))",
            app: layout.app.text,
            metric: layout.metric.text,
            period: AuditPeriod(start: header.period.start.value, end: header.period.end.value),
            threshold: header.threshold.devices,
            dimensions: layout.dimensions.map {
                AuditPlan.Dimension(
                    name: $0.name.text, elements: $0.shownLabels.map(\.text), partitionsDevices: $0.partitionsDevices)
            },
            sums: layout.sums.map { Sum(name: $0.name, decimals: $0.decimals) },
            showsReach: header.reach,
            margins: header.groupings.map(\.bits),
            cells: release.cells.compactMap { published in
                cell(published.cell, in: published.margin).map { cell in
                    Cell(
                        margin: published.margin.bits, cell: cell, count: published.count, sums: published.sums,
                        // As reports have it: what clients say stands before the floor.
                        reach: published.firsts ?? published.reach?.devices)
                }
            })
    }
}

extension AuditInput {
    /// Adds a release with what everybody may know of its layout.
    mutating func add(_ release: Release) {
        add(AuditTable(release))
        learn(release.header.layout)
    }

    /// Takes from a plan what makes an attacker of its files stronger.
    mutating func learn(_ plan: Plan) throws {
        for metric in plan.metrics {
            let layout = try plan.layout(of: metric, rules: .system)
            for dimension in layout.dimensions where dimension.coarsening == nil && !dimension.isRevealed {
                declare(
                    AuditPlan.Dimension(
                        name: dimension.name.text, elements: dimension.labels.map(\.text),
                        partitionsDevices: dimension.partitionsDevices))
            }
            learn(layout)
        }
        tie(
            plan.metrics.filter { $0.margin == nil }.map { metric in
                let purpose = plan.purpose(metric.purpose)
                let signals = (purpose?.refusedBy ?? []).map(\.rawValue).sorted().joined(separator: "+")
                return AuditedEvents(
                    app: plan.app.name.text, metric: metric.name.text, events: Set(metric.events.map(\.text)),
                    audience: "\(purpose?.needsConsent ?? false) \(signals)",
                    sums: AuditedEvents.sums(metric.sums))
            })
    }

    /// Which buckets coarser dimensions are made of, and which combinations cannot occur.
    private mutating func learn(_ layout: MetricLayout) {
        for dimension in layout.dimensions {
            guard let coarsening = dimension.coarsening else { continue }
            let base = layout.dimensions[coarsening.place]
            var groups: [String: [String]] = [:]
            for (label, bucket) in zip(base.labels, coarsening.buckets) {
                groups[dimension.labels[bucket].text, default: []].append(label.text)
            }
            express(dimension.name.text, by: base.name.text, groups: groups)
        }
        for combination in layout.impossible {
            let zero = AuditPlan.StructuralZero(
                metric: layout.metric.text,
                slices: combination.parts.map {
                    AuditRegion.Slice(dimension: $0.dimension.text, labels: [$0.bucket.text])
                })
            if !plan.structuralZeros.contains(zero) { plan.structuralZeros.append(zero) }
        }
    }
}

extension AuditedEvents {
    /// What the newest release of each metric says of itself; metrics of one purpose have the same clients.
    static func all(_ headers: [ReleaseHeader]) -> [AuditedEvents] {
        var newest: [String: AuditedEvents] = [:]
        for header in headers.sorted(by: { $0.period < $1.period }) {
            guard let events = header.events else { continue }
            let layout = header.layout
            newest["\(layout.app)/\(layout.metric)"] = AuditedEvents(
                app: layout.app.text, metric: layout.metric.text, events: Set(events.map(\.text)),
                audience: layout.purpose.text, sums: sums(layout.sums))
        }
        return newest.sorted { $0.key < $1.key }.map(\.value)
    }

    /// What makes a sum the same as another's.
    static func sums(_ sums: [SumMeasure]) -> [String: String] {
        var all: [String: String] = [:]
        for sum in sums { all[sum.name] = "\(sum.field) \(sum.lowest) \(sum.highest) \(sum.decimals)" }
        return all
    }
}
