internal import Foundation
internal import ThrongNoise
internal import ThrongPlan
internal import ThrongPostgres
@_spi(Ledger) internal import ThrongRelease
internal import ThrongWire

extension NoiseStore {
    /// Releases a period with noise: pays, draws once, stores, publishes what is stored.
    ///
    /// After a crash at any instant the next call goes on where that is safe: what was paid and not stored is lost, and
    /// what is stored is published as it is. Nothing is ever drawn twice. One process at a time works on a layout.
    /// - Throws: ``PostgresError``, ``NoiseError``, ``LedgerError``; a later call goes on.
    package func release(_ request: NoiseRequest) async throws -> NoiseOutcome {
        try await release(request) { _ in }
    }

    /// See ``release(_:)``; `reaching` is told of every instant, and dies in tests.
    func release(
        _ request: NoiseRequest, reaching: @escaping @Sendable (NoiseStep) throws -> Void
    ) async throws -> NoiseOutcome {
        try await connection.run { [secret] session in
            let metric = try session.metricID(of: request.header.layout)
            guard try session.one(LockNoise(metric: metric)) else { return .elsewhere }
            do {
                let outcome = try Self.release(request, metric, secret, session, reaching)
                try session.run(UnlockNoise(metric: metric))
                return outcome
            } catch {
                // A connection that is gone has let go of the lock already.
                if session.isIdle { try session.run(UnlockNoise(metric: metric)) }
                throw error
            }
        }
    }

    private static func release(
        _ request: NoiseRequest, _ metric: Int64, _ secret: DrawSecret?, _ session: Session,
        _ reaching: (NoiseStep) throws -> Void
    ) throws -> NoiseOutcome {
        let period = request.header.period
        try session.transaction { try close(period, metric, session) }
        try reaching(.closed)
        // Read before anything is paid: what fails here costs nothing.
        let values = try ReleaseStore.cube(request.header.layout, period, metric, session)
            .declaredValues(request.header.groupings)
        try request.terms.check(values)

        let reservation = try session.transaction { try reserve(request, metric, session) }
        switch reservation {
        case .missing(let gap):
            return .missing(gap)
        case .elsewhere:
            return .elsewhere
        case .stored(let book):
            return .released(try publish(request, book, metric, session, reaching))
        case .reserved(let book):
            let permit = try book.ledger.isDurable(request.id)
            try reaching(.reserved)
            let draw = try permit.draw(values, secret: secret)
            try reaching(.drawn(draw))
            try session.transaction { try store(draw, request, book, session) }
            try book.ledger.areStored(request.id)
            try reaching(.stored)
            return .released(try publish(request, book, metric, session, reaching))
        }
    }

    private enum Reservation {
        case reserved(RecoveredLedger)
        case stored(RecoveredLedger)
        case missing(NoiseGap)
        case elsewhere
    }

    /// Pays, or finds what came of an earlier payment.
    private static func reserve(_ request: NoiseRequest, _ metric: Int64, _ session: Session) throws -> Reservation {
        let header = request.header
        let total = request.budget.total
        let calendar = PeriodCalendar(timeZone: header.layout.timeZone) ?? .utc
        func budget(_ slot: Range<UnixSeconds>) -> SlotBudget {
            SlotBudget(app: header.layout.app, purpose: request.purpose, slot: slot, total: total)
        }
        for slot in calendar.slots(request.budget.per, touchedBy: header.period) {
            try session.run(InsertBudget(budget: budget(slot)))
        }
        try session.run(LockBudgets(app: header.layout.app, purpose: request.purpose))
        do {
            let book = try RecoveredLedger(for: request, session)
            switch book.ledger.nextStep(for: request.id) {
            case .giveUp, .wait:
                try settle(header.period, metric, session)
                return .missing(.lost)
            case .publish:
                return .stored(book)
            case .rest:
                try settle(header.period, metric, session)
                return .elsewhere
            case .reserve:
                break
            }
            let row = try book.ledger.reserve(
                request.id, terms: request.terms, in: Set(book.slots.map { BudgetSlot(start: $0.lowerBound.value) }))
            for slot in book.slots {
                let left = try book.ledger.remaining(in: BudgetSlot(start: slot.lowerBound.value))
                let spent = try total.amount.subtracting(left)
                try session.run(SpendBudget(budget: budget(slot), spent: spent))
            }
            try session.run(InsertDraw(metric: metric, request: request, row: row))
            return .reserved(book)
        } catch let error as LedgerError {
            // Refused before anything was written: the period stays without a release.
            try settle(header.period, metric, session)
            return .missing(.unpaid(error))
        }
    }

    /// Puts the drawn values where a crash can't take them.
    private static func store(
        _ draw: NoiseDraw, _ request: NoiseRequest, _ book: RecoveredLedger, _ session: Session
    ) throws {
        let header = request.header
        let id = try session.one(SelectDraw(layout: header.layout, period: header.period)).id
        let digest = DrawDigest(of: draw)
        _ = try book.ledger.drawn(draw, digest: digest)
        let places = header.layout.declaredCells(of: header.groupings)
        try session.copyIn(Query.copyNoiseCells.name, Query.copyNoiseCells.sql) { writer in
            for (measure, column) in draw.values.enumerated() {
                for (place, value) in zip(places, column) {
                    try writer.row(columns: 5)
                    try writer.bigint(id)
                    try writer.integer(Int32(bitPattern: place.margin.bits))
                    try writer.integer(Int32(bitPattern: place.cell.value))
                    try writer.smallint(Int16(measure))
                    try writer.bigint(value)
                }
            }
        }
        guard try session.run(StoreDraw(draw: id, digest: digest)) == 1 else {
            throw LedgerError.outOfOrder(request.id)
        }
    }

    /// Publishes what is stored, under the header that was stored with the payment.
    private static func publish(
        _ request: NoiseRequest, _ book: RecoveredLedger, _ metric: Int64, _ session: Session,
        _ reaching: (NoiseStep) throws -> Void
    ) throws -> Release {
        let period = request.header.period
        let release = try session.transaction {
            let (id, json) = try session.one(SelectDraw(layout: request.header.layout, period: period))
            let header = try ReleaseHeader(json: Data(json))
            let draw = NoiseDraw(release: request.id, values: try values(of: id, header, session))
            guard case .publish(let drawn) = book.ledger.nextStep(for: request.id) else {
                throw LedgerError.outOfOrder(request.id)
            }
            _ = try book.ledger.published(request.id, digest: DrawDigest(of: draw))
            let release = try Release(noisy: header, draw: draw, digest: drawn)
            try ReleaseStore.write(release, metric, session)
            guard try session.run(PublishDraw(draw: id)) == 1 else {
                throw LedgerError.outOfOrder(request.id)
            }
            try session.run(DeleteNoiseCells(draw: id))
            try settle(period, metric, session)
            return release
        }
        try reaching(.published)
        return release
    }

    private static func values(of id: Int64, _ header: ReleaseHeader, _ session: Session) throws -> [[Int64]] {
        var values = Array(repeating: [Int64](), count: 1 + header.layout.sums.count)
        for (measure, value) in try session.run(SelectNoiseCells(draw: id)) {
            guard values.indices.contains(measure) else { throw SelectNoiseCells.unexpected }
            values[measure].append(value)
        }
        return values
    }
}

/// The instants of a noisy release between which a process may die.
enum NoiseStep: Sendable {
    /// The period's counters change no more.
    case closed
    /// The cost is on disk, nothing is drawn.
    case reserved
    /// The values are in memory and nowhere else.
    case drawn(NoiseDraw)
    /// The values are on disk.
    case stored
    /// They have left the house.
    case published
}
