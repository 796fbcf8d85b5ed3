import ArgumentParser
import Testing
import ThrongPlan
import ThrongSchedule
import ThrongStore

@testable import throng

@Suite("plan check reads in a database what bounds cut", .serialized)
struct ReadBoundTests {
    private static func yaml(_ often: String = "view") -> String {
        """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 days}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
        metrics:
          views:
            {title: Views, events: [view], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, contribution_bound: 100, period: day}
          often:
            {title: Often, events: [\(often)], question: What?, decision: That., owner: Team, expires: 2027-10-31,
            purpose: product, period: day, measures: {frequency: {bands: [1, 2, 5, 10]}}}
        """
    }

    @Test("the last releases tell it, and none before the first nor where no frequency is of the same events")
    func read() async throws {
        let shop = try await CountedShop(Self.yaml())
        let command = try PlanCheckCommand.parse(["plan.yaml", "--database", shop.settings.connectionString])
        func lines(_ day: Int, _ plan: Plan) async throws -> [String] {
            PlanCheckCommand.lines(try await command.releasedBounds(of: plan, now: CountedShop.start(day)))
        }
        let nothing = ["metric 'views': no released number of 'often' tells what its bound cuts"]
        #expect(try await lines(6, shop.plan) == nothing)
        let devices: [String: Int64] = ["1": 700, "2-4": 200, "5-9": 70, ">=10": 30]
        for day in 0..<2 {
            try await shop.count("often", day: day, devices.mapValues { .init(events: $0, devices: $0) })
        }
        _ = try await shop.releases.releaseDue(of: shop.plan, now: CountedShop.start(6))
        #expect(
            try await lines(6, shop.plan) == [
                """
                metric 'views': contribution_bound 100 is exceeded by 0% to 3%, as 'often' tells in 2 periods; 9 would be by \
                3%, with margins of events 0.09 times as wide
                """
            ])
        #expect(try await lines(40, shop.plan) == nothing, "they are too old by then")
        #expect(try await lines(6, CountedShop.plan(Self.yaml("look")))[0].hasPrefix("nothing tells what bounds cut"))
    }

    @Test("suggestions are tried on a crowd alone")
    func refused() {
        #expect(throws: (any Error).self) {
            try PlanCheckCommand.parse(["plan.yaml", "--suggest", "--data", "data"])
        }
    }
}
