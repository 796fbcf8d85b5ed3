import Testing
import ThrongNoise

@Suite("Budget: paid before the first coin, never exceeded")
struct LedgerTests {
    let month = BudgetSlot(start: 0)
    let next = BudgetSlot(start: 2_678_400)
    let digest = DrawDigest(hex: "aa")

    @Test("a budget of 1 pays for two halves, refuses a third with what is left, and has more next month")
    func budgetIsKept() throws {
        var ledger = try BudgetLedger(budget: MechanismTests.budget("1"))
        let terms = try MechanismTests.terms(cells: 1)
        let half = try Rational(parsing: "1/2")
        _ = try ledger.reserve(NoiseReleaseID("a"), terms: terms, in: [month])
        #expect(try ledger.remaining(in: month) == half)
        let row = try ledger.reserve(NoiseReleaseID("b"), terms: terms, in: [next, month])
        #expect(row.slots == [month, next])
        #expect(try ledger.remaining(in: month) == .zero)
        #expect(refusal(of: &ledger, "c", in: [next, month]) == .spent(cost: half, remaining: .zero, slot: month))
        #expect(try ledger.remaining(in: next) == half)
        #expect(ledger.nextStep(for: NoiseReleaseID("c")) == .reserve)
        _ = try ledger.reserve(NoiseReleaseID("c"), terms: terms, in: [next])
        #expect(refusal(of: &ledger, "c", in: [next]) == .alreadyReserved(NoiseReleaseID("c"), .reserved))
        #expect(refusal(of: &ledger, "d", in: []) == .noSlot(NoiseReleaseID("d")))
    }

    @Test("a release is permitted to draw once, stores before it publishes, and publishes what was drawn")
    func stepsComeInOrder() throws {
        var ledger = try BudgetLedger(budget: MechanismTests.budget("1"))
        let release = NoiseReleaseID("a")
        #expect(isOutOfOrder { _ = try ledger.isDurable(release) })
        _ = try ledger.reserve(release, terms: MechanismTests.terms(cells: 1), in: [month])
        #expect(ledger.nextStep(for: release) == .wait)
        let permit = try ledger.isDurable(release)
        #expect(isOutOfOrder { _ = try ledger.isDurable(release) })
        let draw = try permit.draw([[5]])
        _ = try ledger.drawn(draw, digest: digest)
        #expect(isOutOfOrder { _ = try ledger.drawn(draw, digest: digest) })
        #expect(ledger.nextStep(for: release) == .wait)
        #expect(isOutOfOrder { _ = try ledger.published(release, digest: digest) })
        try ledger.areStored(release)
        #expect(ledger.nextStep(for: release) == .publish(digest))
        let other = DrawDigest(hex: "bb")
        do {
            _ = try ledger.published(release, digest: other)
            Issue.record("other values were published")
        } catch { #expect(error == .otherValues(release, drawn: digest, found: other)) }
        #expect(try ledger.published(release, digest: digest).stage == .published(digest))
        #expect(ledger.nextStep(for: release) == .rest(digest))
    }

    @Test("after a crash a reservation alone is lost and stays paid; stored values are published as they are")
    func recovery() throws {
        let half = try Rational(parsing: "1/2")
        let lost = LedgerRow(release: NoiseReleaseID("a"), slots: [month], cost: half, stage: .reserved)
        let stored = LedgerRow(release: NoiseReleaseID("b"), slots: [month], cost: half, stage: .drawn(digest))
        var ledger = try BudgetLedger(budget: MechanismTests.budget("1"), recovering: [lost, stored])
        #expect(ledger.nextStep(for: lost.release) == .giveUp)
        #expect(isOutOfOrder { _ = try ledger.isDurable(lost.release) })
        #expect(refusal(of: &ledger, "a", in: [month]) == .alreadyReserved(lost.release, .reserved))
        #expect(ledger.nextStep(for: stored.release) == .publish(digest))
        #expect(try ledger.remaining(in: month) == .zero)
        do {
            _ = try BudgetLedger(budget: MechanismTests.budget("1"), recovering: [lost, lost])
            Issue.record("two rows for a release were accepted")
        } catch { #expect(error as? LedgerError == .twoRows(lost.release)) }
    }

    @Test("the linter learns how many releases a slot pays for")
    func releasesThatFit() throws {
        let budget = try MechanismTests.budget("10")
        #expect(try budget.releases(costing: .epsilon(Rational(parsing: "1/2"))) == 20)
        #expect(try budget.releases(costing: .epsilon(Rational(parsing: "0.3"))) == 33)
        let concentrated = try PrivacyBudget(total: .rho(Rational(1)), per: .purpose)
        #expect(try concentrated.releases(costing: .epsilon(Rational(parsing: "1/2"))) == 8)
    }

    @Test("a lowered budget refuses instead of forgetting what was spent")
    func loweredBudget() throws {
        let row = LedgerRow(release: NoiseReleaseID("a"), slots: [month], cost: Rational(1), stage: .reserved)
        var ledger = try BudgetLedger(budget: MechanismTests.budget("1/2"), recovering: [row])
        #expect(try ledger.remaining(in: month) == Rational(parsing: "-1/2"))
        let error = refusal(of: &ledger, "b", in: [month])
        #expect(try error == .spent(cost: Rational(parsing: "1/2"), remaining: Rational(parsing: "-1/2"), slot: month))
    }

    private func refusal(of ledger: inout BudgetLedger, _ name: String, in slots: Set<BudgetSlot>) -> LedgerError? {
        do {
            _ = try ledger.reserve(NoiseReleaseID(name), terms: MechanismTests.terms(cells: 1), in: slots)
            return nil
        } catch { return error as? LedgerError }
    }

    private func isOutOfOrder(_ step: () throws -> Void) -> Bool {
        do { try step() } catch LedgerError.outOfOrder { return true } catch { return false }
        return false
    }
}
