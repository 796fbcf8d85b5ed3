import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem
import ThrongWire

@Suite("An event adds the same in a batch of many as alone, whatever it shares with others")
struct SharedPartsTests {
    private static let now = UnixSeconds(1_795_176_000)
    private static let plan = """
        app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days}
        dimensions:
          page: {title: Page, field: event, list: [look, buy]}
          os: {title: System, field: os, list: [ios, windows]}
          device: {title: Device, field: device, list: [phone, desktop]}
          hour: {title: Hour, field: at, time: hour}
        metrics:
          views: {title: T, question: Q, decision: D, owner: O, expires: 2027-06-01, purpose: product, period: hour,
            events: [look, buy, stay], dimensions: [page, os, device], impossible: [{os: ios, device: desktop}]}
          sales: {title: T, question: Q, decision: D, owner: O, expires: 2027-06-01, purpose: product, period: day,
            events: [buy], dimensions: [os],
            measures: {sums: {revenue: {field: amount, from: 0, to: 400, decimals: 2, unit: EUR}}}}
          rests: {title: T, question: Q, decision: D, owner: O, expires: 2026-11-20, purpose: product, period: day,
            events: [look, rest], dimensions: [page]}
          hours: {title: T, question: Q, decision: D, owner: O, expires: 2027-06-01, purpose: product, period: day,
            events: [stay], dimensions: [hour]}
        """

    /// An event's additions: a refusal, or cells with their amounts.
    private struct Added: Equatable {
        let refusal: RefusalReason?
        let cells: [[Int64]]
    }

    private let intake: Intake
    private let sums: [Int]

    init() throws {
        let plan = try Plan(yaml: Self.plan, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_700))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        sums = layouts.map(\.sums.count)
        intake = try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system)
    }

    private func read(_ events: [String], context: String) throws -> (batch: BucketedBatch, added: [Added]) {
        var body = #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"#
        body += #""id":"a","context":{\#(context)},"events":[\#(events.joined(separator: ","))]}"#
        let outcome = try body.withUTF8 { try intake.read($0, signals: [], now: Self.now) }
        guard case .batch(let incoming) = outcome else { throw OptedOut() }
        let batch = incoming.bucketed
        let added = batch.events.map { event in
            Added(
                refusal: event.refusal,
                cells: batch.contributions(of: event).map { one in
                    let amounts = batch.amounts[Int(one.firstAmount)...].prefix(sums[Int(one.metric)])
                    return [Int64(one.metric), Int64(one.cell.value), one.periodStart.value, Int64(one.count)] + amounts
                })
        }
        return (batch, added)
    }

    private struct OptedOut: Error {}

    @Test("random events with fields and without")
    func same() throws {
        var random = SeededGenerator(seed: 46)
        func one(of texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        var shared = 0
        for _ in 0..<2000 {
            let events = (0..<Int.random(in: 2..<12, using: &random)).map { _ in
                let fields = [
                    one(of: [#""os":"ios""#, #""os":"windows""#, #""os":null"#, "", "", "", "", ""]),
                    one(of: [#""device":"phone""#, #""device":"desktop""#, "", "", ""]),
                    one(of: [#""amount":1.25"#, #""amount":17"#, #""amount":17"#, #""amount":"much""#, ""]),
                ].filter { $0 != "" }
                let own = Bool.random(using: &random) ? #","fields":{\#(fields.joined(separator: ","))}"# : ""
                let more = one(of: ["", "", "", "", "", #","count":2"#])
                let at = one(of: [
                    "19T23:59:59", "20T10:00:00", "20T10:30:00", "20T10:59:59", "20T11:00:00", "22T00:00:00",
                ])
                let name = one(of: ["look", "buy", "buy", "buy", "buy", "stay", "rest", "sing"])
                return #"{"event":"\#(name)","at":"2026-11-\#(at)Z"\#(own)\#(more)}"#
            }
            let context = one(of: ["", #""os":"ios""#, #""device":"desktop","amount":3"#])
            let (batch, together) = try read(events, context: context)
            let alone = try events.map { try read([$0], context: context).added[0] }
            #expect(together == alone, "\(context) \(events)")
            let counted = BucketedBatch(
                id: batch.id, window: batch.window, events: batch.events, contributions: batch.contributions,
                amounts: batch.amounts)
            #expect(batch.repeats == counted.repeats)
            shared += batch.events.count { !$0.own.isEmpty }
        }
        #expect(shared > 300)
    }
}
