extension AuditInput {
    /// Adds a release; its dimensions count as declared.
    ///
    /// - Complexity: O(cells × dimensions).
    package mutating func add(_ table: AuditTable) {
        sources.append(table.source)
        for dimension in table.dimensions { declare(dimension) }
        let measures =
            [.count] + table.sums.map { AuditMeasure.sum($0.name) } + (table.showsReach ? [AuditMeasure.reach] : [])
        for margin in table.margins.sorted() {
            let kept = table.dimensions.indices.filter { margin & (1 << UInt32($0)) != 0 }
            families.append(
                AuditFamily(
                    source: table.source, app: table.app, metric: table.metric, measures: measures,
                    period: table.period, threshold: table.threshold,
                    axes: kept.map { place in
                        AuditFamily.Axis(
                            dimension: table.dimensions[place].name,
                            alternatives: table.dimensions[place].elements.map { [$0] })
                    }))
        }
        for cell in table.cells { add(cell, of: table) }
    }

    private mutating func add(_ cell: AuditTable.Cell, of table: AuditTable) {
        var rest = Int(cell.cell)
        var slices: [AuditRegion.Slice] = []
        for place in table.dimensions.indices.reversed() where cell.margin & (1 << UInt32(place)) != 0 {
            let dimension = table.dimensions[place]
            guard !dimension.elements.isEmpty else { continue }
            let label = dimension.elements[rest % dimension.elements.count]
            slices.append(AuditRegion.Slice(dimension: dimension.name, labels: [label]))
            rest /= dimension.elements.count
        }
        let region = AuditRegion(period: table.period, slices: slices)
        func state(_ measure: AuditMeasure, _ value: Int64) {
            statements.append(
                AuditStatement(
                    source: table.source, app: table.app, metric: table.metric, measure: measure, region: region,
                    value: value))
        }
        state(.count, cell.count)
        for (sum, value) in zip(table.sums, cell.sums) {
            var scaled = value
            var fits = true
            for _ in sum.decimals..<max(6, sum.decimals) {
                let (product, overflow) = scaled.multipliedReportingOverflow(by: 10)
                scaled = product
                fits = fits && !overflow
            }
            if fits {
                state(.sum(sum.name), scaled)
            } else {
                unread.append("\(table.source): sum \(sum.name) of \(region) is too large to audit: \(value)")
            }
        }
        if let reach = cell.reach { state(.reach, reach) }
    }

    /// Adds a dimension to the public plan, or the labels that an earlier layout did not have.
    package mutating func declare(_ dimension: AuditPlan.Dimension) {
        guard let place = plan.dimensions.firstIndex(where: { $0.name == dimension.name }) else {
            plan.dimensions.append(dimension)
            return
        }
        let known = plan.dimensions[place]
        let old = Set(known.elements).union(known.groups.keys)
        let new = dimension.elements.filter { !old.contains($0) }
        guard !new.isEmpty || !dimension.groups.isEmpty else { return }
        plan.dimensions[place] = AuditPlan.Dimension(
            name: known.name, elements: known.elements + new,
            groups: known.groups.merging(dimension.groups) { first, _ in first },
            partitionsDevices: known.partitionsDevices && dimension.partitionsDevices)
    }
}
