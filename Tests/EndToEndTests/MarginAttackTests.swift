import Testing

/// The attacks on what a real `throng serve` released, k = 20. Its control is a daemon without noise, of which each tells exactly.
@Suite("Promise 5: nothing about fewer than k devices can be computed closely")
struct MarginAttackTests {
    @Test(
        "what two partners and an analyst add up and subtract over a week is off as promised, and exact without noise",
        .timeLimit(.minutes(40)))
    func attack() async throws { try await Program("margin_attack").run() }
}
