internal import ThrongChance
internal import ThrongNoise

/// A daemon with a disk and a public, which loses power at a chosen instant and starts again.
struct CrashingWorld {
    struct PowerLoss: Error {}

    /// What survives.
    private(set) var rows: [NoiseReleaseID: LedgerRow] = [:]
    private(set) var values: [NoiseReleaseID: NoiseDraw] = [:]
    /// What anyone has ever seen, in order.
    private(set) var published: [NoiseDraw] = []
    /// What was ever drawn, seen or not.
    private(set) var draws: [NoiseDraw] = []
    /// The control: a ledger that forgets reservations which were not drawn.
    let forgets: Bool
    private var instant = 0
    private var powerLoss: Int?
    private var bits = RandomBits(SeededGenerator(seed: 42))

    init(forgets: Bool = false) { self.forgets = forgets }

    /// Runs every release to its end, or up to an instant.
    ///
    /// - Returns: Whether it came to the end.
    mutating func run(
        _ releases: [(NoiseReleaseID, Set<BudgetSlot>)], terms: NoiseTerms, budget: PrivacyBudget, until instant: Int?
    ) throws -> Bool {
        self.instant = 0
        powerLoss = instant
        let stored = rows.values.filter { !(forgets && $0.stage == .reserved) }
        var ledger = try BudgetLedger(budget: budget, recovering: stored)
        do {
            for (release, slots) in releases { try make(release, slots, terms, &ledger) }
            return true
        } catch is PowerLoss {
            return false
        }
    }

    private mutating func make(
        _ release: NoiseReleaseID, _ slots: Set<BudgetSlot>, _ terms: NoiseTerms, _ ledger: inout BudgetLedger
    ) throws {
        try tick()
        if ledger.nextStep(for: release) == .reserve {
            let row: LedgerRow
            do { row = try ledger.reserve(release, terms: terms, in: slots) } catch LedgerError.spent { return }
            try tick()
            rows[release] = row
            try tick()
            let permit = try ledger.isDurable(release)
            try tick()
            let draw = try permit.draw([[7, 0, 1000]], using: &bits)
            draws.append(draw)
            try tick()
            let drawn = try ledger.drawn(draw, digest: Self.digest(draw))
            try tick()
            // One transaction.
            (rows[release], values[release]) = (drawn, draw)
            try tick()
            try ledger.areStored(release)
        }
        guard case .publish(let digest) = ledger.nextStep(for: release), let draw = values[release] else { return }
        try tick()
        published.append(draw)
        try tick()
        let row = try ledger.published(release, digest: digest)
        try tick()
        rows[release] = row
        try tick()
    }

    private mutating func tick() throws {
        if instant == powerLoss { throw PowerLoss() }
        instant += 1
    }

    /// Long enough for a test: the text itself.
    private static func digest(_ draw: NoiseDraw) -> DrawDigest {
        DrawDigest(hex: draw.canonicalText.utf8.map { String($0, radix: 16) }.joined())
    }
}
