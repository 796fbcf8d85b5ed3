import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("Promise 7: a client can ask for the exact tuple that its event would be counted as")
struct PreviewTests {
    /// By event: what the preview says that it adds, or why not.
    private static func preview(
        _ body: String, in house: House, signals: Set<OptOutSignal> = []
    ) throws -> [(additions: [CountedBatch.Addition], refused: RefusalReason?)] {
        var copy = body
        let result: Result<IntakeOutcome, IntakeError> = copy.withUTF8 { bytes in
            do throws(IntakeError) {
                return .success(try house.intake.read(bytes, signals: signals, now: House.noon, use: .preview))
            } catch {
                return .failure(error)
            }
        }
        guard case .batch(let incoming) = try result.get() else { return [] }
        var trial = house.counting.forPreview()
        let preview = trial.preview(incoming.bucketed, now: House.noon)
        return try #require(preview)
    }

    private static func events(_ random: inout some RandomNumberGenerator) -> String {
        (0..<Int.random(in: 1...8, using: &random)).map { _ in
            let os = ["ios", "android", "beos"].randomElement(using: &random) ?? ""
            let category = ["cake", "bread", "pizza"].randomElement(using: &random) ?? ""
            let paid = Int.random(in: -10...200, using: &random)
            let fields = [
                #"{"os":"\#(os)","category":"\#(category)","paid":\#(paid)}"#, #"{"paid":1}"#, "{}",
                #"{"gpu":1,"paid":1}"#,
            ].randomElement(using: &random)
            return House.event(
                ["view", "view", "view", "login"].randomElement(using: &random) ?? "", fields: fields ?? "",
                at: ["2026-11-20T11:59:00Z", "2026-11-19T01:00:00Z", "2026-11-01T00:00:00Z"].randomElement(
                    using: &random)
                    ?? "", count: Int.random(in: 1...6, using: &random))
        }.joined(separator: ",")
    }

    @Test("what a preview says of a device's first batch is what is then counted, to the last cell and cent")
    func sameAsCounted() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<400 {
            let events = Self.events(&random)
            var house = try House(House.shop)
            let said = try Self.preview(House.batch(device: "a", events: events), in: house)
            #expect(house.counting.pendingCells == 0)
            let answer = try house.post(House.batch(device: "a", events: events))
            #expect(
                said.enumerated().compactMap { place, event in
                    event.refused.map { BatchAnswer.Refusal(index: place, reason: $0) }
                } == answer.refused, "\(events)")
            house.flush()
            var expected: [House.CounterKey: Int64] = [:]
            for addition in said.flatMap(\.additions) {
                for (place, value) in ([addition.count] + addition.sums).enumerated() {
                    let key = House.CounterKey(
                        layout: addition.metric, periodStart: addition.periodStart,
                        measure: place == 0 ? .count : .sum(place - 1), cell: addition.cell)
                    expected[key, default: 0] += value
                }
            }
            #expect(expected.filter { $0.value != 0 } == house.stored.filter { $0.value != 0 }, "\(events)")
        }
    }

    @Test("a preview needs no identifier, no batch's name and no window; a batch that counts needs them")
    func leftOut() throws {
        var house = try House(House.shop)
        let event = House.event("view", fields: #"{"category":"cake","paid":1}"#)
        let body = #"{"app":"shop","purpose":"product","events":[\#(event)]}"#
        #expect(try Self.preview(body, in: house).map(\.additions.count) == [1])
        #expect(throws: IntakeError.wrongShape(pointer: "/batch", expected: "a string")) { try house.post(body) }
        #expect(throws: IntakeError.self) {
            try Self.preview(#"{"app":"shop","purpose":"product","window":7,"events":[\#(event)]}"#, in: house)
        }
    }

    @Test("a preview tells nothing of what an identifier did before")
    func tellsNothing() throws {
        var house = try House(House.shop)
        let event = House.event("view", fields: #"{"os":"ios","category":"cake","paid":1}"#, count: 10)
        _ = try house.post(House.batch(device: "a", events: event))
        let other = House.event("view", fields: #"{"os":"android","category":"cake","paid":1}"#)
        #expect(try house.post(House.batch(device: "a", events: other)).refused.map(\.reason) == [.partitionConflict])
        #expect(try Self.preview(House.batch(device: "a", events: other), in: house).map(\.refused) == [nil])
    }

    @Test("a late event's period is the one that it would be counted in")
    func late() throws {
        var house = try House(House.shop)
        let yesterday = House.event("view", fields: #"{"paid":1}"#, at: "2026-11-19T01:00:00Z")
        let start = House.noon - 12 * 3600
        let body = House.batch(device: "a", events: yesterday)
        #expect(try Self.preview(body, in: house)[0].additions[0].periodStart == start - 86_400)
        _ = try house.post(House.batch(device: "b", events: yesterday))
        house.flush(closed: [ClosedPeriod(layout: house.layouts[0].id, periodStart: start - 86_400)])
        #expect(try Self.preview(body, in: house)[0].additions[0].periodStart == start)
    }
}
