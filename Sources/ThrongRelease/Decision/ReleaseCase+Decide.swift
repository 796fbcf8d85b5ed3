internal import ThrongFaults
internal import ThrongPlan
internal import ThrongSuppression

extension ReleaseCase {
    /// Decides which numbers leave the house: as many useful ones as can go without giving any small cell away.
    ///
    /// The engine chooses and proves; a separate verifier in other arithmetic checks; where a release fails, nothing
    /// leaves. Steps and guarantees: disclosure, sections 1 and 2.
    ///
    /// - Throws: ``ReleaseError``.
    /// - Complexity: near-linear in leaves times groupings; proofs take at most the options' seconds and as much again
    ///   where they run out.
    package func decide(_ options: ReleaseOptions = ReleaseOptions()) throws(ReleaseError) -> ReleaseDecision {
        guard let proved = ofProved else { return try decideAsCounted(options) }
        return try proved.decideAsCounted(options).showing(everybodyIn: parts)
    }

    /// Decides on what the case's counters say.
    private func decideAsCounted(_ options: ReleaseOptions) throws(ReleaseError) -> ReleaseDecision {
        let clock = ContinuousClock()
        let start = clock.now
        let laid: CaseTable
        let pattern: SuppressionPattern
        let coarsened: Set<ColumnIndex>
        var tiedAway: Set<ColumnIndex> = []
        var closing: Set<ColumnIndex> = []
        var silent = Silence()
        var random = SystemRandomNumberGenerator()
        var faults = 0
        do throws(SuppressionError) {
            laid = try CaseTable(self, options: options, others: tiedMargins)
            let engine = SuppressionEngine(options: options.engine)
            let found = try engine.pattern(for: laid.problem)
            var hidden: Set<ColumnIndex> = []
            let deviceTables = try DeviceTable.all(of: laid, header: header)
            for table in deviceTables {
                let devices = try table.decide(given: found.isPublished, engine: engine)
                // Of devices that prove themselves numbers go alone: that floors reach k is known without them.
                if header.provesFirsts {
                    silent.devices.formUnion(devices.hidden)
                } else {
                    hidden.formUnion(devices.hidden)
                }
                faults += devices.faults
            }
            silent.devices.formUnion(DeviceTable.unproved(of: laid, self))
            coarsened = laid.surroundings(ofOpenIn: found)
            hidden.formUnion(coarsened)
            if !Fault.leaveToVerification.isOn {
                closing = UnionRepair(laid.problem, witnesses: found.witnesses, seconds: options.proofSeconds)
                    .hidden(given: found.hiding(hidden).isPublished)
                hidden.formUnion(closing)
            }
            if let banded = BandedSums(laid), !Fault.leaveToVerification.isOn {
                let bands = JointRepair(
                    laid.problem, ranges: banded.ranges, witnesses: found.witnesses, mayHide: banded.isBand,
                    seconds: options.proofSeconds
                ).finding(given: found.hiding(hidden).isPublished, except: Set(found.pinned))
                hidden.formUnion(bands.hidden)
                closing.formUnion(bands.hidden)
                silent.sums = bands.silent
            }
            let offered = zip(found.hiding(hidden).isPublished, laid.problem.cells).map { $0 && !$1.isForced }
            var kept = offered
            if !tied.isEmpty || header.reach && !earlier.isEmpty, !Fault.releaseApart.isOn {
                let tied = try TiedCase(self, own: laid, options: options)
                if self.tied.contains(where: { !$0.releases.isEmpty || !$0.isWhole }) {
                    faults += try tied.narrow(&kept, using: &random)
                }
                if !Fault.leaveToVerification.isOn, let bands = TiedBands(tied, header: header) {
                    try bands.narrow(&kept, silent: &silent.sums, seconds: options.proofSeconds)
                }
                if !Fault.ignoreColumns.isOn, !Fault.leaveToVerification.isOn {
                    let columns = TiedColumns(tied, threshold: header.threshold, options: options.engine)
                    // Without any time for proofs, there is some to look.
                    if !self.tied.isEmpty {
                        columns.unbind(&kept, seconds: options.proofSeconds)
                        try columns.narrow(&kept, seconds: max(1, options.proofSeconds))
                    }
                    silent.devices.formUnion(columns.telling(kept))
                }
            }
            if !Fault.leaveToVerification.isOn {
                faults += try silence(&silent.devices, &kept, laid, found, deviceTables, options)
            }
            tiedAway = Set(kept.indices.filter { offered[$0] && !kept[$0] }.map { ColumnIndex(UInt32($0)) })
            pattern = found.hiding(hidden.union(tiedAway))
        } catch {
            throw described(error)
        }
        let open = laid.open(in: pattern)
        guard open == 0 else { throw .unproved(metric: header.layout.metric, period: header.period, cells: open) }
        let check = verified(laid, pattern, silent: silent, seconds: options.proofSeconds)
        faults += check.faults
        guard faults == 0 else {
            throw .unverified(metric: header.layout.metric, period: header.period, faults: faults)
        }
        return decision(
            laid, pattern, silent: silent, coarsened: coarsened, closing: closing, tiedAway: tiedAway,
            unexamined: check.unexamined,
            seconds: (clock.now - start) / .seconds(1))
    }

    /// Whose numbers of devices must not be published, so that nobody can tell how few devices of a whole are not in a part.
    ///
    /// - Parameters:
    ///   - silent: those that tied metrics ask for; what follows from them joins them.
    ///   - kept: by own column: what may leave; only ever becomes less.
    ///   - found: what proves that withheld cells may be k and more.
    /// - Returns: what the separate verification found.
    private func silence(
        _ silent: inout Set<ColumnIndex>, _ kept: inout [Bool], _ laid: CaseTable, _ found: SuppressionPattern,
        _ tables: [DeviceTable], _ options: ReleaseOptions
    ) throws(SuppressionError) -> Int {
        for table in tables { silent.formUnion(try table.closing(silent, given: kept, silent, options.engine)) }
        guard !Fault.countAbsent.isOn, let absent = AbsentDevices(laid, header: header) else { return 0 }
        while true {
            let telling = absent.telling(kept, silent: silent, tables).subtracting(silent)
            if telling.isEmpty { break }
            silent.formUnion(telling)
            for table in tables { silent.formUnion(try table.closing(telling, given: kept, silent, options.engine)) }
        }
        let engine = SuppressionEngine(options: options.engine)
        let finding = try absent.decide(given: kept, silent: silent, engine: engine)
        silent = finding.silent
        if !finding.hidden.isEmpty {
            let secrets = kept.indices.map { finding.hidden.contains(ColumnIndex(UInt32($0))) }
            for column in finding.hidden { kept[Int(column.value)] = false }
            try laid.problem.close(&kept, secrets: secrets, options.engine)
        }
        guard JointRepair.holdsAll(of: laid.problem) else { return finding.faults }
        // Numbers of devices bound events, and events devices.
        let shown = zip(kept, laid.problem.cells).map { $0 || $1.isForced }
        let deadline = ContinuousClock().now + .seconds(options.proofSeconds)
        while true {
            let (beside, ofColumn, leavesOf) = absent.besideEvents(kept, silent: silent)
            let telling = BesideRepair(
                laid.problem, beside: beside, unknownsOfColumn: ofColumn, leavesOfUnknown: leavesOf,
                witnesses: found.witnesses, deadline: deadline
            ).tellers(given: shown, except: Set(found.pinned)).subtracting(silent)
            if telling.isEmpty { break }
            silent.formUnion(telling)
        }
        return finding.faults
    }

    private func decision(
        _ laid: CaseTable, _ pattern: SuppressionPattern, silent: Silence,
        coarsened: Set<ColumnIndex>, closing: Set<ColumnIndex>, tiedAway: Set<ColumnIndex>,
        unexamined: ReleaseDecision.Unexamined,
        seconds: Double
    ) -> ReleaseDecision {
        var published: [PublishedCell] = []
        var withheld: [WithheldCell] = []
        var levels: [Int: ReleaseDecision.Level] = [:]
        for number in laid.own {
            let slab = laid.slabs[number]
            for place in slab.cells.indices {
                guard !slab.isEmpty[place], let column = laid.columns[number][place] else { continue }
                let events = laid.frame.events(in: slab.leaves[place])
                let split = slab.margin.bits.nonzeroBitCount
                if pattern.isPublished[Int(column)] {
                    published.append(cell(laid, number, place, silent: silent))
                    levels[split, default: .init(dimensions: split)].add(events: events, isPublished: true)
                } else {
                    let reason: WithholdingReason =
                        if laid.leftOut.contains(number), !laid.problem.cells[Int(column)].isSensitive {
                            .leftOut
                        } else if let reason = pattern.reasons[Int(column)] {
                            explain(reason, laid, number, place)
                        } else {
                            closing.contains(ColumnIndex(column))
                                ? .bounds(nil)
                                : tiedAway.contains(ColumnIndex(column))
                                    ? .revealsTied
                                    : coarsened.contains(ColumnIndex(column)) ? .coarsened : .revealsDevices
                        }
                    withheld.append(WithheldCell(margin: slab.margin, cell: slab.cells[place], reason: reason))
                    if !reason.isOwn {
                        levels[split, default: .init(dimensions: split)].add(events: events, isPublished: false)
                    }
                }
            }
        }
        let sensitive = laid.problem.cells.count { $0.isSensitive }
        return ReleaseDecision(
            release: Release(decided: header, cells: published),
            withheld: withheld,
            summary: .init(
                sensitive: sensitive,
                complementary: withheld.count { !$0.reason.isOwn },
                proved: sensitive - pattern.unproved.count - pattern.pinned.count,
                givenAway: pattern.pinned.count,
                levels: levels.values.sorted { $0.dimensions < $1.dimensions },
                unexamined: unexamined,
                seconds: seconds))
    }

    /// What a cell shows.
    ///
    /// - Parameter silent: whose sums and devices are withheld.
    private func cell(_ laid: CaseTable, _ number: Int, _ place: Int, silent: Silence) -> PublishedCell {
        let slab = laid.slabs[number]
        let leaves = slab.leaves[place]
        let column = laid.columns[number][place].map { ColumnIndex($0) }
        let count = leaves.reduce(0) { $0 + laid.frame.measures[0][Int($1)] }
        let sums = header.layout.sums.indices.map { sum in
            // What the engine saw is what lies above the lowest possible sum.
            let above = leaves.reduce(0) { $0 + laid.frame.measures[sum + 1][Int($1)] }
            let lowest = header.layout.sums[sum].quantum(of: header.layout.sums[sum].lowest)
            return above.addedClamped(lowest.multipliedClamped(by: count))
        }
        let saysSums = column.map { !silent.sums.contains($0) } ?? true
        let saysDevices = column.map { !silent.devices.contains($0) } ?? true
        return PublishedCell(
            margin: slab.margin, cell: slab.cells[place], count: count, sums: saysSums ? sums : [],
            reach: header.reach && saysDevices ? laid.numbers[number].map { DeviceFloor(devices: $0[place]) } : nil,
            firsts: saysDevices ? laid.firsts[number]?[place] : nil)
    }

    /// What is about to be published.
    ///
    /// - Parameter isMeant: by column.
    func published(
        _ laid: CaseTable, _ pattern: SuppressionPattern, _ silent: Silence,
        where isMeant: (Int) -> Bool = { _ in true }
    ) -> [PublishedCell] {
        laid.own.flatMap { number in
            let slab = laid.slabs[number]
            return slab.cells.indices.compactMap { place -> PublishedCell? in
                guard !slab.isEmpty[place], let column = laid.columns[number][place].map({ Int($0) }),
                    pattern.isPublished[column], isMeant(column)
                else { return nil }
                return cell(laid, number, place, silent: silent)
            }
        }
    }

    private func explain(
        _ reason: SuppressionPattern.Reason, _ laid: CaseTable, _ number: Int, _ place: Int
    ) -> WithholdingReason {
        switch reason {
        case .sensitive:
            ownReason(laid, number, place)
        case .wouldReveal(let column): address(column, laid).map { .reveals($0) } ?? .bounds(nil)
        case .wouldBound: .bounds(nil)
        case .singletonsOnly: .relatesSingleDevices
        case .closesUnion(let parent): address(parent, laid).map { .leavesSmallRest($0) } ?? .bounds(nil)
        case .bounds(let column): .bounds(address(column, laid))
        case .notOffered: .bounds(nil)
        }
    }

    /// Why a cell is sensitive.
    private func ownReason(_ laid: CaseTable, _ number: Int, _ place: Int) -> WithholdingReason {
        let floor = laid.slabs[number].floors[place]
        if !header.threshold.isReached(by: floor) { return .small(floor: DeviceFloor(devices: floor)) }
        if let said = laid.firsts[number]?[place], !header.threshold.isReached(by: said) { return .fewFirsts(said) }
        return .dominated
    }

    private func address(_ column: ColumnIndex, _ laid: CaseTable) -> CellAddress? {
        guard let origin = laid.origins[Int(column.value)] else { return nil }
        let slab = laid.slabs[origin.slab]
        return CellAddress(period: period(of: slab.span), margin: slab.margin, cell: slab.cells[origin.place])
    }

    private func period(of span: Range<Int>) -> Period {
        if span == parts.indices { return header.period }
        if span.count == 1 { return parts[span.lowerBound].period }
        let earlier = earlier.first {
            $0.header.period.start <= parts[span.lowerBound].period.start
                && $0.header.period.end >= parts[span.upperBound - 1].period.end
        }
        return earlier?.header.period ?? header.period
    }

    private func described(_ error: SuppressionError) -> ReleaseError {
        let (metric, period) = (header.layout.metric, header.period)
        return switch error {
        case .malformed: .tooLarge(metric: metric, period: period)
        case .unproved(let cells), .pinnedByLedger(let cells):
            .unproved(metric: metric, period: period, cells: cells.count)
        case .tooManyCellsForExactMode, .exactModeTimedOut, .solverFailed:
            .solverFailed(metric: metric, period: period)
        }
    }
}

/// Columns that are published without all of what is counted in them.
struct Silence {
    /// Those whose sums are withheld.
    var sums: Set<ColumnIndex> = []
    /// Those that do not say of how many devices they are.
    var devices: Set<ColumnIndex> = []
}

extension WithholdingReason {
    /// Whether the cell is withheld for its own sake.
    package var isOwn: Bool {
        switch self {
        case .small, .fewFirsts, .dominated: true
        default: false
        }
    }
}

extension ReleaseOptions {
    var engine: SuppressionOptions {
        var options = SuppressionOptions(
            seed: seed, attempts: attempts, proof: .witnesses(seconds: proofSeconds), isStrict: isStrict)
        if let progress {
            options.progress = { progress(ReleaseProgress(proved: $0.proofsDone, needed: $0.proofsNeeded)) }
        }
        return options
    }
}
