import NoiseTrial
import Testing

@Suite("Noise that a small app can use: 500 devices a day, three dimensions, epsilon 1 a device and day")
struct SmallAppNoiseTests {
    @Test(
        "the total is within ±30, and every grouping's numbers keep to the margin that their release states",
        arguments: SmallApp.Spread.allCases)
    func margins(_ spread: SmallApp.Spread) throws {
        let app = try SmallApp()
        let outcomes = try app.run(spread, days: 150, seed: 5)
        #expect(outcomes.map(\.name) == ["total", "os", "channel", "country", "os × channel × country"])
        for outcome in outcomes {
            // Of 150 totals, as few as 19 of 20 less three standard errors; other groupings have more numbers.
            #expect(outcome.held >= 0.895, "\(spread) \(outcome.name): \(outcome.held)")
        }
        let total = try #require(outcomes.first)
        #expect(total.planned == total.stated && total.stated <= 30)
        // One-way cells may be moved by their neighbours, but by no multiple.
        #expect(outcomes.dropFirst().dropLast().allSatisfy { $0.stated <= 2 * $0.planned && $0.stated <= 60 })
        #expect(try app.marginBefore() > 1000)
    }

    @Test("without identifiers 500 events of a day are released as well: near the truth, within what is stated")
    func events() throws {
        let app = try SmallApp(countsEvents: true)
        let outcomes = try app.run(.even, days: 200, seed: 11)
        #expect(outcomes.map(\.name) == ["total", "os", "channel", "country", "os × channel × country"])
        for outcome in outcomes {
            #expect(outcome.held >= 0.895, "\(outcome.name): \(outcome.held)")
            // Five standard errors of 200 totals are 1.3, and the finest numbers are pushed up from 0 by little.
            #expect(abs(outcome.bias) < 1.5, "\(outcome.name): \(outcome.bias)")
        }
        // Of 5 parts in ln 20 · scale: an interval as narrow as for devices, and none that holds everything.
        #expect(try #require(outcomes.first).stated == 8)
        #expect(try #require(outcomes.first).held < 0.995)
    }
}
