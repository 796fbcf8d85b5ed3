internal import CSimdJSON
package import ThrongPlan
internal import ThrongWire

extension Intake {
    /// The largest body of `POST /v1/firsts`. Unit: bytes.
    package static let firstBytes = 16 << 10

    /// Reads the body of `POST /v1/firsts`; nil if the purpose honours one of the signals. Its proof is not checked.
    package func readFirst(
        _ body: UnsafeBufferPointer<UInt8>, signals: Set<OptOutSignal>, now: UnixSeconds, isSealed: Bool = false
    ) throws(IntakeError) -> IncomingFirst? {
        guard body.count <= Self.firstBytes else { throw .bodyTooLarge(limit: Self.firstBytes) }
        guard let parser = JSONParser(depth: 3) else { throw .noMemory }
        defer { withExtendedLifetime(parser) {} }
        let document = try parser.parse(body, limits: IntakeLimits(depth: 3))
        let members = try NamedMembers<FirstMember>(document)
        let app = try members.text(.app)
        let metric = try members.text(.metric)
        let kind = document.bytes(try members.text(.period))
        guard let start = document.integer(try members.node(.start)) else {
            throw .wrongShape(pointer: "/start", expected: "a whole number of seconds")
        }
        let cell = try members.node(.cell)
        guard document.isObject(cell) else { throw .wrongShape(pointer: "/cell", expected: "an object of buckets") }
        guard let proof = Base64URL.bytes(of: document.bytes(try members.text(.proof))) else {
            throw .wrongShape(pointer: "/proof", expected: "base64url without padding")
        }
        guard let place = appNames[document.bytes(app)] else { throw .unknownApp }
        let tables = apps[place]
        guard let number = tables.firstNames[document.bytes(metric)] else { throw .noFirsts }
        let asked = tables.firsts[number]
        try asked.purpose.checkWay(isSealed: isSealed)
        guard asked.purpose.purpose.refusedBy.isDisjoint(with: signals) else { return nil }
        guard let kind = asked.published.periods.first(where: { kind.elementsEqual($0.rawValue.utf8) }) else {
            throw .noFirsts
        }
        let period = try asked.openPeriod(kind, start: start, calendar: tables.calendar, now: now)
        let (margin, index) = try asked.cell(cell, in: document)
        return IncomingFirst(
            layout: asked.layout, name: asked.published.layout, period: period, calendar: tables.calendar,
            margin: margin, cell: index, proof: proof)
    }
}

/// A device's claim in `POST /v1/firsts` to be in a cell in a period, checked against the plan.
package struct IncomingFirst: Sendable {
    /// The layout that the cell is part of.
    package let layout: MetricLayout
    /// The layout's name in the public plan.
    package let name: String
    /// A period for which firsts are accepted now.
    package let period: Period
    package let calendar: PeriodCalendar
    /// The cell's margin, one of the layout's margins of proved firsts.
    package let margin: Margin
    /// A cell of that margin that can occur.
    package let cell: CellIndex
    /// The presentation of a credential: unchecked bytes.
    package let proof: [UInt8]

    /// The buckets that the proof is about: those of dimensions that do not partition devices.
    package var provedCell: [DimensionName: BucketLabel] {
        let kept = layout.dimensions.indices.filter(margin.keeps)
        var cell: [DimensionName: BucketLabel] = [:]
        for (place, bucket) in zip(kept, layout.buckets(of: self.cell, in: margin)) where !layout.partition.keeps(place)
        { cell[layout.dimensions[place].name] = layout.dimensions[place].labels[bucket] }
        return cell
    }
}

/// A metric for which devices prove firsts, ready to read them.
struct FirstTables: Sendable {
    let layout: MetricLayout
    let published: PublicPlan.ProvedFirsts
    let purpose: PurposeTables
    /// The dimensions' places, by name.
    private let dimensions: ByteTable
    /// The buckets, by dimension and label.
    private let buckets: [ByteTable]
    /// The time from which on it no longer counts.
    private let expires: UnixSeconds
    /// The time that a release waits after its period. Unit: seconds.
    private let grace: Int64

    init(
        _ layout: MetricLayout, _ published: PublicPlan.ProvedFirsts, purpose: PurposeTables, expires: UnixSeconds,
        grace: Int64
    ) {
        (self.layout, self.published, self.purpose) = (layout, published, purpose)
        (self.expires, self.grace) = (expires, grace)
        dimensions = ByteTable(layout.dimensions.map(\.name.text))
        buckets = layout.dimensions.map { ByteTable($0.labels.map(\.text)) }
    }

    /// Returns the period that begins at `start`, if it has begun and its release is not due yet.
    func openPeriod(
        _ kind: PeriodKind, start: Int64, calendar: PeriodCalendar, now: UnixSeconds
    ) throws(IntakeError) -> Period {
        // A start far from now is refused first: the arithmetic below would overflow with the lowest number.
        guard (now.value - Self.farthest...now.value + Self.farthest).contains(start) else { throw .periodNotOpen }
        let period = calendar.period(kind, containing: UnixSeconds(start))
        guard period.start.value == start, period.start <= now, now < period.end + grace, period.start < expires else {
            throw .periodNotOpen
        }
        return period
    }

    /// The most by which an open period's start differs from now. Unit: seconds.
    private static let farthest: Int64 = 100 * 86_400

    /// Returns the cell that an object of buckets names.
    func cell(_ object: Int, in document: JSONDocument) throws(IntakeError) -> (Margin, CellIndex) {
        var found: [Int: Int] = [:]
        var key = object + 1
        for _ in 0..<document.count(object) {
            guard let place = dimensions[document.bytes(key)], document.isString(key + 1),
                let bucket = buckets[place][document.bytes(key + 1)]
            else { throw .unknownCell }
            found[place] = bucket
            key = document.next(key + 1)
        }
        let margin = Margin(keeping: Array(found.keys))
        guard layout.provedFirsts?.margins.contains(margin) ?? false else { throw .unknownCell }
        let cell = layout.cell(buckets: found.sorted { $0.key < $1.key }.map(\.value), in: margin)
        guard !layout.isImpossible(cell, in: margin) else { throw .unknownCell }
        return (margin, cell)
    }
}

private enum FirstMember: String, CaseIterable { case app, metric, period, start, cell, proof }
