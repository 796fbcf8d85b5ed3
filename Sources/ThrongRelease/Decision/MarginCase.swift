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
