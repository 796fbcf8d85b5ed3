internal import ThrongPlan

/// Looks once more, by other means, at what a release lets anybody compute together with what was published of tied metrics:
/// that each column of the kinds that DisclosureControl lists is empty or stands for k devices (Theorems 4, 6 and 7).
///
/// It shares no line with ``TiedColumns`` and ``ColumnSearch``. Its numbers are those that are published, read from releases; what
/// they are about is told by random weights of atoms instead of by comparing sets; what could be small is found by sorting
/// values instead of by trying pairs. Both read the same plan: which dimensions look at one field, and how their buckets meet,
/// is told by `BucketOverlap`, and which groupings are shown of which time by ``Spans``.
struct ColumnVerifier {
    let weights: AtomWeights
    let numbers: [Number]
    let proofs: [Proof]
    let threshold: Int64
    /// By axis, whether a device is at one value of it only in a window.
    let tellsDevicesApart: [Bool]
    /// Numbers that were not read in time.
    private let unread: Int

    /// Numbers up to which what it takes three to compute is looked at: a few less than the search has, which counts those
    /// that are still to come as well.
    static let mostOfTriples = 1_400
    /// Groupings inside a number up to which several of them are taken together.
    static let mostFamilies = 48

    /// A number that readers have.
    struct Number {
        let table: Int
        /// Numbers of one grouping of one release have one family: they have no event in common.
        let family: Int
        let box: AtomWeights.Box
        /// Unit: events.
        let value: Int64
        /// The events of those of whom nothing is proved.
        let others: Int64
        /// Whether it is the release's own, and told by nothing that was published before.
        let isFree: Bool
        let intake: Intake
        /// By window, the identifiers that it has at least, and at most.
        let windows: [Int64: ClosedRange<Int64>]
        let isCounted: Bool
        /// Whether its period is made of whole windows.
        let holdsWindows: Bool
        /// The devices that it is published to be of; nil where it does not say, or they are of several windows.
        let devices: Int64?
        /// The window of these devices.
        let window: WindowNumber?
        /// The period in which these devices proved themselves; nil where they are known by identifiers.
        let proved: Period?
        /// How many devices at least proved to be in it, in a period.
        let claimed: Int64
        /// How many devices it has at most, of all windows together.
        var mostDevices: Int128 { windows.values.reduce(0) { $0 + Int128($1.upperBound) } }
    }

    /// A cell of k devices, published or not.
    struct Proof {
        let box: AtomWeights.Box
        let value: Int64
        let intake: Intake
        let windows: [Int64: ClosedRange<Int64>]
        /// How many devices at least proved to be in it, in a period.
        let claimed: Int64
    }

    /// What of an identifier is counted in a window: of two with the same, one counts what the other does.
    struct Intake: Equatable {
        let counted: Int
        let rotation: Rotation
        let bound: Int64
    }

    /// What was found.
    struct Outcome {
        /// Columns that stand for too few.
        var faults = 0
        /// Published numbers of which not all columns were looked at, for want of time.
        var unexamined = 0
    }

    /// Reads a case and what is about to be published of it.
    ///
    /// - Complexity: O(leaves · groupings · log) for each layout.
    init(_ release: ReleaseCase, publishing cells: [PublishedCell], until deadline: ContinuousClock.Instant) {
        threshold = release.header.threshold.devices
        var tables: [PublishedTable] = []
        // Identifiers by what they did are no events.
        if release.header.layout.within == nil {
            tables.append(
                PublishedTable(
                    release, metric: release.counts, inLayout: release.countedInLayout, others: release.tiedMargins,
                    about: cells, until: deadline))
        }
        for tied in release.tied
        where !tables.isEmpty && tied.isWhole && !tied.parts.isEmpty && tied.layout.within == nil {
            tables.append(
                PublishedTable(
                    release.evidence(of: tied), metric: tied.counted, inLayout: tied.countedInLayout,
                    others: release.margins(of: tied), about: nil, until: deadline))
        }
        var periods = Set(tables.flatMap { $0.published.map(\.period) })
        for table in tables {
            for span in table.cells.keys { periods.insert(table.period(of: span)) }
        }
        var map = AtomMap(tables, periods: periods)
        var numbers: [Number] = []
        var proofs: [Proof] = []
        var families = 0
        var unread = 0
        for (place, table) in tables.enumerated() {
            let intake = Intake(
                counted: tables.firstIndex { $0.counted == table.counted } ?? 0, rotation: table.layout.rotation,
                bound: Int64(table.layout.contributionBound))
            let known = table.known(table.published.count)
            let given = place == 0 ? table.known(table.earlier) : known
            let length = Int64(table.layout.rotation.seconds)
            for release in table.published {
                let span = table.span(of: release.period)
                let (start, end) = (release.period.start.value, release.period.end.value)
                let ends = [start, end - 1].map { table.layout.rotation.window(at: UnixSeconds($0)) }
                let isProved = table.layout.provedFirsts?.periods.contains(release.period.kind) ?? false
                let byMargin = Dictionary(grouping: known[span] ?? [], by: \.margin)
                for addresses in byMargin.sorted(by: { $0.key < $1.key }).map(\.value) {
                    families += 1
                    for address in addresses.sorted(by: { $0.cell < $1.cell }) {
                        let cell = table.cells[span]?[address]
                        if ContinuousClock().now >= deadline || cell == nil && !table.isRead { unread += 1 }
                        guard let cell, let box = map.box(of: place, address, in: release.period) else { continue }
                        numbers.append(
                            Number(
                                table: place, family: families, box: box,
                                value: release.cells[address]?.count ?? cell.events,
                                others: cell.everybodys.subtractedClamped(cell.events),
                                isFree: place == 0 && !(given[span]?.contains(address) ?? false), intake: intake,
                                windows: cell.windows, isCounted: cell.isCounted,
                                holdsWindows: start % length == 0 && end % length == 0,
                                devices: ends[0] == ends[1] || isProved ? release.cells[address]?.reach?.devices : nil,
                                window: ends[0], proved: isProved ? release.period : nil, claimed: cell.proved))
                    }
                }
            }
            for (span, cells) in table.cells {
                let period = table.period(of: span)
                for (address, cell) in cells where cell.floor >= threshold {
                    guard ContinuousClock().now < deadline, let box = map.box(of: place, address, in: period) else {
                        continue
                    }
                    proofs.append(
                        Proof(box: box, value: cell.events, intake: intake, windows: cell.windows, claimed: cell.proved)
                    )
                }
            }
        }
        map.weigh()
        weights = map.weights
        tellsDevicesApart = map.tellsDevicesApart
        self.numbers = numbers
        self.proofs = proofs.sorted { $0.value < $1.value }
        self.unread = unread
    }

    /// Looks at every column that has one of the release's own numbers in it.
    ///
    /// - Complexity: O(numbers · what holds each), and up to ``mostOfTriples`` numbers O(numbers² · log) and as many steps as
    ///   there are three numbers that leave few events.
    func outcome(until deadline: ContinuousClock.Instant) -> Outcome {
        var outcome = Outcome(unexamined: unread)
        guard numbers.contains(where: \.isFree) else { return outcome }
        let inside = inside(until: deadline)
        guard ContinuousClock().now < deadline else { return Outcome(unexamined: numbers.count) }
        for whole in numbers.indices {
            var look = Look(verifier: self, whole: whole, inside: inside[whole], deadline: deadline)
            look.run()
            outcome.faults += look.faults
            if look.isOver { outcome.unexamined += 1 }
            outcome.faults += inside[whole].count { part in tellsFew(whole, part) }
        }
        return outcome
    }

    /// Whether two numbers of devices, one of them the release's own, tell how few a whole has beyond a part. Of one table it
    /// is told by others.
    private func tellsFew(_ whole: Int, _ part: Int) -> Bool {
        let (whole, part) = (numbers[whole], numbers[part])
        let isComparable =
            whole.proved == nil && part.proved == nil
            ? whole.window == part.window && whole.intake.rotation == part.intake.rotation : whole.proved == part.proved
        guard whole.isFree || part.isFree, whole.table != part.table, isComparable, let all = whole.devices,
            let some = part.devices
        else { return false }
        return all > some && all - some < threshold
    }

    /// By number, those that it holds.
    private func inside(until deadline: ContinuousClock.Instant) -> [[Int]] {
        let byBox = Dictionary(grouping: numbers.indices, by: { numbers[$0].box })
        var inside = Array(repeating: [Int](), count: numbers.count)
        for (box, parts) in byBox where ContinuousClock().now < deadline {
            let holders =
                weights.holders(of: box, limit: byBox.count)?.filter { byBox[$0] != nil }
                ?? byBox.keys.filter { weights.holds($0, box) }
            for holder in holders {
                for whole in byBox[holder] ?? [] { inside[whole] += parts.filter { $0 != whole } }
            }
        }
        return inside.map { $0.sorted() }
    }
}
