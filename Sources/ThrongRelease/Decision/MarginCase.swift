package import ThrongNoise
package import ThrongPlan

/// Draws a release: every number with both layers of noise. A number is published only if at least k devices are proved
/// and the drawn number says so, too (the page on margins).
///
/// Publication depends on each group alone: no number is withheld for another's sake. A coarser period's events are the
/// sums of the numbers drawn for the periods that make it up, so that they tell nothing new.
package struct MarginCase: Sendable {
    let header: ReleaseHeader
    /// The counted periods by start: one, or those that make up a coarser period.
    let parts: [Part]
    /// The devices that proved to be in its cells in its own period.
    let proved: ProvedSpan?
    /// The question texts of the events that were counted in all of the release's period.
    let texts: QuestionTexts
    /// The factors by which variances are raised for metrics that count some of the same events.
    let factors: MarginFactors

    /// A counted period.
    struct Part: Sendable {
        let cube: StoredCube
        /// The margins of its own release, if it is a part of a coarser period.
        let earlier: ReleaseMargins?
        /// The question texts of the events that were counted in it.
        let texts: QuestionTexts

        /// The most events of an identifier in a window that it has.
        var bound: Int { cube.layout.contributionBound }

        /// The text of everything that the metric counted in it.
        var allEvents: String { texts.eventSet(CellIndex(0), in: .total) }

        /// The period for which the fresh layer is drawn, as text.
        var text: String { "\(cube.period.kind.rawValue) \(cube.period.start)" }

        /// The square of a measure's width when it was released, devices being the last; nil where it is released now.
        func square(_ measure: Int) -> Int64? { earlier?.squares[measure] }

        /// Returns the period for which the fresh layer of a window's devices is drawn, as text.
        func text(of window: WindowNumber) -> String { "\(text) window \(window.value)" }
    }

    /// Creates the case of a release.
    ///
    /// - Parameters:
    ///   - header: the release's header, without margins. Its layout has the bound that is chosen; a sum over periods takes
    ///     what each has, and states the smallest.
    ///   - factors: see ``Plan/marginFactors(of:)``.
    package init(header: ReleaseHeader, on evidence: ReleaseEvidence, factors: MarginFactors = .none) {
        let (isSum, layout, origins) = (header.period.kind != header.layout.period, header.layout, evidence.origins)
        let lines = QuestionTexts.lines(of: evidence.countedInLayout, in: header.period)
        parts = evidence.parts.sorted { $0.period.start < $1.period.start }.map { cube in
            let earlier = isSum ? evidence.earlier.first { $0.header.period == cube.period }?.header : nil
            return Part(
                cube: cube.bounded(by: (earlier?.layout ?? layout).contributionBound), earlier: earlier?.margins,
                texts: QuestionTexts(
                    layout: layout, events: isSum ? earlier?.margins?.events : lines, origins: origins))
        }
        let bound = parts.map(\.bound).min() ?? layout.contributionBound
        self.header = parts.last.map { header.naming(as: $0.cube.layout.bounded(by: bound)) } ?? header
        self.factors = factors
        let claimed = evidence.proved.first { $0.period == header.period }
        proved =
            header.provesFirsts
            ? ProvedSpan(
                claimed ?? ProvedDevices(period: header.period, rows: []), of: parts.map(\.cube), header.layout) : nil
        texts = QuestionTexts(layout: layout, events: lines, origins: origins)
    }

    /// Draws the release.
    ///
    /// - Throws: ``NoiseError``.
    package func decide(secret: DrawSecret) throws(NoiseError) -> ReleaseDecision {
        let shape = try MarginShape(header.layout, groupings: header.groupings)
        let events = try eventTables(shape)
        let numbers = try (0...header.layout.sums.count).map { measure throws(NoiseError) in
            try eventNumbers(of: measure, events.mapValues { $0[measure] }, shape, secret)
        }
        let kinds = DeviceSource.Kind.all(of: header)
        let people = try deviceTables(shape)
        var crowds: [[Margin: DrawnCrowd]] = []
        for kind in kinds {
            switch kind {
            case .identifiers: crowds += try identifierCrowds(people, shape, secret)
            case .said, .proved:
                crowds.append(try deviceCrowds(people, kind, shape, DeviceSource(self, said: kind == .said), secret))
            }
        }
        if kinds.isEmpty { crowds.append(try eventCrowds(shape, numbers[0])) }
        let squares = (events[header.layout.contributionBound] ?? []).map(\.width.square) + [try devices.square]
        return try released(shape, numbers, crowds, kinds: kinds.count, squares: squares)
    }

    /// Returns the tables of the count and each sum, by bound of the periods.
    private func eventTables(_ shape: MarginShape) throws(NoiseError) -> [Int: [DrawnTables]] {
        var tables: [Int: [DrawnTables]] = [:]
        for bound in Set(parts.map(\.bound) + [header.layout.contributionBound]) {
            let layout = header.layout.bounded(by: bound)
            tables[bound] = try (0...layout.sums.count).map { measure throws(NoiseError) in
                let factor = measure == 0 && layout.within != nil ? factors.devices : factors.events
                return try DrawnTables(
                    shape.events, width: layout.width(of: measure, header.threshold, factor: factor), texts: texts,
                    dimensions: shape.eventDimensions)
            }
        }
        return tables
    }

    /// Returns the first line of a measure's questions in a part, and the period of their fresh layer. Identifiers
    /// counted in one window are that window's devices: the same question.
    private func question(_ measure: Int, _ part: Part) -> (measure: String, period: String) {
        let layout = part.cube.layout
        if measure > 0 {
            let sum = layout.sums[measure - 1].canonicalText
            return ("sum of \(sum), \(layout.contributionBound) of a device", part.text)
        }
        guard layout.within != nil else { return ("events, \(layout.contributionBound) of a device", part.text) }
        guard let window = layout.window(of: part.cube.period) else { return ("identifiers of all windows", part.text) }
        return (DeviceSource.Kind.identifiers.canonicalText(in: header), part.text(of: window))
    }

    private var devices: NoiseWidth {
        get throws(NoiseError) { try NoiseWidth(threshold: header.threshold.devices, factor: factors.devices) }
    }

    private func deviceTables(_ shape: MarginShape) throws(NoiseError) -> [Margin: DrawnTables] {
        var tables: [Margin: DrawnTables] = [:]
        for (occasions, lattice) in shape.devices {
            tables[occasions] = try DrawnTables(
                lattice, width: devices, texts: texts, dimensions: shape.deviceDimensions)
        }
        return tables
    }

    /// The numbers of one measure, before it is decided which of them may be shown.
    struct Numbers {
        /// The whole numbers by grouping. Unit: the measure's.
        var whole: [Margin: [Int64]] = [:]
        var drawn: [Margin: GroupingTable] = [:]
        var margins: [Margin: GroupingMargin] = [:]
    }

    /// - Parameter tables: those of the measure, by bound.
    private func eventNumbers(
        of measure: Int, _ tables: [Int: DrawnTables], _ shape: MarginShape, _ secret: DrawSecret
    ) throws(NoiseError) -> Numbers {
        let interactions = try interactions(of: measure, tables, shape, secret)
        let periods = tables.sorted { $0.key < $1.key }.map { bound, table in
            let squares = parts.filter { $0.bound == bound }.map { $0.square(measure) ?? table.width.square }
            return (tables: table, squares: parts.isEmpty ? [table.width.square] : squares)
        }
        var numbers = Numbers()
        for part in shape.parts {
            let set = shape.eventFields(of: part.base)
            let drawn = try shape.events.numbers(of: set, from: interactions)
            let places = header.layout.places(from: part.base, to: part.grouping)
            let size = header.layout.size(of: part.grouping)
            var whole = Array(repeating: Int64(0), count: size)
            for (cell, number) in drawn.whole.enumerated() {
                whole[places[cell]] = whole[places[cell]].addedClamped(number)
            }
            numbers.whole[part.grouping] = whole
            numbers.drawn[part.grouping] = drawn.summed(into: places, count: size)
            numbers.margins[part.grouping] = try DrawnTables.margin(
                of: set, over: periods, summed: part.combinations(of: shape.eventDimensions(of: set)))
        }
        return numbers
    }

    /// Returns the interactions of one measure, summed over the parts.
    private func interactions(
        of measure: Int, _ tables: [Int: DrawnTables], _ shape: MarginShape, _ secret: DrawSecret
    ) throws(NoiseError) -> [FieldSet: InteractionTable] {
        let layout = header.layout
        var sum: [FieldSet: InteractionTable] = [:]
        for part in parts {
            guard let table = tables[part.bound] else { throw .notOfTheLattice }
            let counted = part.cube.counters.filter { $0.measure == MeasureIndex(Int16(measure)) }
            let (name, period) = question(measure, part)
            let drawn = try table.draw(
                name, of: part.allEvents, in: period, square: part.square(measure) ?? table.width.square, by: secret
            ) { set in
                layout.table(
                    by: Margin(keeping: shape.eventDimensions(of: set)),
                    of: counted.map { ($0.cell, $0.value) }, in: layout.leaf)
            }
            sum.merge(drawn) { sum, next in
                var sum = sum
                sum.add(next)
                return sum
            }
        }
        guard sum.isEmpty else { return sum }
        // A sum over no period at all.
        for set in shape.events.interactions {
            let nothing = Array(repeating: Int64(0), count: shape.events.cells(of: set))
            sum[set] = try InteractionTable(nothing, of: set, in: shape.events)
        }
        return sum
    }

    /// Makes the release: the numbers that are shown, with their margins, and the reasons why the rest is not.
    ///
    /// - Parameters:
    ///   - crowds: the devices behind the numbers; those that the release tells come last. A number that any of them
    ///     shows is shown.
    ///   - kinds: the number of ways in which devices are known.
    ///   - squares: the squares of the widths, by measure; that of devices comes last.
    func released(
        _ shape: MarginShape, _ numbers: [Numbers], _ crowds: [[Margin: DrawnCrowd]], kinds: Int, squares: [Int64]
    ) throws(NoiseError) -> ReleaseDecision {
        var cells: [PublishedCell] = []
        var withheld: [WithheldCell] = []
        var stated: [ReleaseMargins.Grouping] = []
        for grouping in shape.parts.map(\.grouping) {
            let behind = crowds.compactMap { $0[grouping] }
            let touched = touchedCells(of: grouping)
            var shown: Set<Int> = []
            for place in 0..<header.layout.size(of: grouping) {
                let (cell, floor) = (CellIndex(UInt32(place)), behind.map { $0.floors[place] }.max() ?? 0)
                if behind.contains(where: { $0.isShown[place] }) {
                    shown.insert(place)
                    cells.append(published(grouping, cell, numbers, behind))
                } else if floor > 0 || touched.contains(place) {
                    let isReached = behind.contains { $0.floors[place] >= $0.threshold }
                    withheld.append(
                        WithheldCell(
                            margin: grouping, cell: cell,
                            reason: isReached ? .nearThreshold : .small(floor: DeviceFloor(devices: floor))))
                }
            }
            stated.append(try margins(of: grouping, numbers, behind.last, shown))
        }
        var told = header
        told.margins = ReleaseMargins(
            cost: try cost(shape, kinds: kinds), groupings: stated, squares: squares, events: texts.events)
        return ReleaseDecision(release: Release(decided: told, cells: cells), withheld: withheld)
    }

    /// Returns the ρ of everything that is drawn for the first time.
    private func cost(_ shape: MarginShape, kinds: Int) throws(NoiseError) -> String {
        let isSum = header.period.kind != header.layout.period
        return try MarginCost(
            shape, header.layout, header.threshold, factors: factors, drawsEvents: !isSum,
            kindsOfDevices: isSum ? max(0, kinds - 1) : kinds
        ).text
    }

    private func published(
        _ grouping: Margin, _ cell: CellIndex, _ numbers: [Numbers], _ crowds: [DrawnCrowd]
    ) -> PublishedCell {
        let place = Int(cell.value)
        let drawn = numbers.map { $0.whole[grouping]?[place] ?? 0 }
        // Whatever is never below 0 is 0 where its number is below: that is nearer to any truth.
        let values = drawn.indices.map { isSigned($0) ? drawn[$0] : max(0, drawn[$0]) }
        let told = crowds.last.flatMap { $0.isShown[place] && header.layout.hasIdentifiers ? $0.whole[place] : nil }
        return PublishedCell(
            margin: grouping, cell: cell, count: values[0], sums: Array(values.dropFirst()),
            reach: header.reach && !header.hasFirsts ? told.map { DeviceFloor(devices: $0) } : nil,
            firsts: header.hasFirsts ? told : nil)
    }

    /// True if a measure may be below 0: a sum of a field whose least value is.
    private func isSigned(_ measure: Int) -> Bool { measure > 0 && header.layout.sums[measure - 1].lowest < 0 }

    private func margins(
        of grouping: Margin, _ numbers: [Numbers], _ crowd: DrawnCrowd?, _ shown: Set<Int>
    ) throws(NoiseError) -> ReleaseMargins.Grouping {
        var stated: [Int64] = []
        for measure in numbers {
            guard let margin = measure.margins[grouping], let drawn = measure.drawn[grouping],
                let whole = measure.whole[grouping]
            else { throw .notOfTheLattice }
            stated.append(try margin.stated(moved: drawn.farthest(whole) { shown.contains($0) }))
        }
        let devices = header.layout.hasIdentifiers ? crowd : nil
        return .init(
            count: stated[0], sums: Array(stated.dropFirst()),
            devices: try devices?.margin.stated(moved: devices?.moved ?? .zero))
    }

    /// Returns the cells of a grouping in which anything was counted.
    private func touchedCells(of grouping: Margin) -> Set<Int> {
        let project = header.layout.projection(from: header.layout.leaf, to: grouping)
        return Set(
            parts.flatMap { $0.cube.counters }.filter { $0.measure == .count && $0.value > 0 }
                .map { Int(project($0.cell).value) })
    }
}

extension MetricLayout {
    /// Returns, for each cell of a margin, the cell of a coarser one.
    func places(from finer: Margin, to coarser: Margin) -> [Int] {
        let project = projection(from: finer, to: coarser)
        return (0..<UInt32(size(of: finer))).map { Int(project(CellIndex($0)).value) }
    }

    /// Returns, for each cell of a margin, the sum of the values in cells of a finer one.
    func table(
        by margin: Margin, of values: some Sequence<(cell: CellIndex, value: Int64)>, in finer: Margin
    ) -> [Int64] {
        let project = projection(from: finer, to: margin)
        var cells = Array(repeating: Int64(0), count: size(of: margin))
        for (cell, value) in values {
            let place = Int(project(cell).value)
            cells[place] = cells[place].addedClamped(value)
        }
        return cells
    }
}

/// The numbers that leave the house, and the reasons why the rest stays.
package struct ReleaseDecision: Sendable {
    package let release: Release
    /// The occupied cells that stay, by margin and cell; for operators only, as they tell small from empty.
    package let withheld: [WithheldCell]
}

/// A number that stays in the house.
package struct WithheldCell: Sendable, Hashable {
    package let margin: Margin
    package let cell: CellIndex
    package let reason: WithholdingReason
}

/// The reason why a number stays in the house.
package enum WithholdingReason: Sendable, Hashable {
    /// Fewer than k devices are proved behind it.
    case small(floor: DeviceFloor)
    /// k devices or more are proved behind it, but the number drawn for them is less than its margin above k.
    case nearThreshold
}

/// The data that a release is drawn from, read at one time.
package struct ReleaseEvidence: Sendable, Hashable {
    package let layout: MetricLayout
    /// The period that the release is to cover.
    package let period: Period
    /// The counters of the stored periods that it sums over, by start.
    package let parts: [StoredCube]
    /// Everything that was published about any of the parts.
    package let earlier: [Release]
    /// Terms that satisfy every plan in force since the period began; nil if nobody kept them.
    package let terms: ReleaseTerms?
    /// The origins of the layout's base dimensions, as far as they were kept.
    package let origins: DimensionOrigins
    /// The events that were counted in the layout; nil if nobody kept that.
    package let countedInLayout: CountedEvents?
    /// The devices that proved to be in its cells in the release's own period.
    package let proved: [ProvedDevices]

    package init(
        layout: MetricLayout, period: Period, parts: [StoredCube], earlier: [Release] = [], terms: ReleaseTerms? = nil,
        origins: DimensionOrigins = [:], countedInLayout: CountedEvents? = nil, proved: [ProvedDevices] = []
    ) {
        (self.proved, self.countedInLayout, self.layout, self.period) = (proved, countedInLayout, layout, period)
        (self.parts, self.earlier, self.terms, self.origins) = (parts, earlier, terms, origins)
    }
}
