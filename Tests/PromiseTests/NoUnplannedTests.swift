import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("Promise 2: nothing unplanned is counted")
struct NoUnplannedTests {
    private static let good = House.event("view", fields: #"{"category":"cake","paid":1}"#)

    @Test("an event with an unplanned field changes nothing")
    func unplannedField() throws {
        var house = try House(House.shop)
        let answer = try house.post(
            House.batch(
                device: "a",
                events: House.event("view", fields: #"{"category":"cake","paid":1,"email":"x@example.com"}"#)))
        #expect(answer == BatchAnswer(accepted: 0, refused: [.init(index: 0, reason: .unknownField)]))
        house.flush()
        #expect(house.stored.isEmpty)
    }

    @Test("an unplanned event is refused by name and its neighbours count")
    func unplannedEvent() throws {
        var house = try House(House.shop)
        let answer = try house.post(House.batch(device: "a", events: "\(House.event("login")),\(Self.good)"))
        #expect(answer == BatchAnswer(accepted: 1, refused: [.init(index: 0, reason: .unknownEvent)]))
        house.flush()
        #expect(house.stored.values.sorted() == [1, 100])
    }

    @Test("an unplanned field in the context refuses every event")
    func unplannedContext() throws {
        var house = try House(House.shop)
        let answer = try house.post(House.batch(device: "a", context: #"{"gpu":"x"}"#, events: Self.good))
        #expect(answer.refused == [.init(index: 0, reason: .unknownField)])
    }

    @Test(
        "a sum without its number is refused, not counted as zero",
        arguments: [
            #"{"category":"cake"}"#, #"{"category":"cake","paid":"1"}"#, #"{"category":"cake","paid":null}"#,
            #"{"category":["cake"],"paid":1}"#,
        ])
    func missingNumber(fields: String) throws {
        var house = try House(House.shop)
        let answer = try house.post(House.batch(device: "a", events: House.event("view", fields: fields)))
        #expect(answer.refused == [.init(index: 0, reason: .invalidValue)])
        house.flush()
        #expect(house.stored.isEmpty)
    }

    @Test("a value that no bucket lists counts as other, and only there")
    func unlistedValue() throws {
        var house = try House(House.shop)
        let answer = try house.post(
            House.batch(device: "a", events: House.event("view", fields: #"{"category":"pizza","paid":1}"#)))
        #expect(answer.accepted == 1)
        house.flush()
        #expect(house.stored.count == 2)
    }

    @Test(
        "times outside the accepted span are refused by name",
        arguments: [
            ("2026-11-18T11:59:59Z", RefusalReason.tooOld), ("2026-11-20T12:05:01Z", .inTheFuture),
        ])
    func times(at: String, reason: RefusalReason) throws {
        var house = try House(House.shop)
        let event = House.event("view", fields: #"{"category":"cake","paid":1}"#, at: at)
        #expect(try house.post(House.batch(device: "a", events: event)).refused == [.init(index: 0, reason: reason)])
    }

    @Test("an opt-out signal that the purpose honours counts nothing and remembers nothing")
    func optOut() throws {
        var house = try House(House.shop)
        let answer = try house.post(House.batch(device: "a", events: Self.good), signals: [.globalPrivacyControl])
        #expect(answer == BatchAnswer(accepted: 0, refused: [.init(index: 0, reason: .optedOut)]))
        #expect(house.counting.openPairs == 0)
        #expect(try house.post(House.batch(device: "a", events: Self.good), signals: [.doNotTrack]).accepted == 1)
    }

    @Test("an expired metric stops counting and says so")
    func expired() throws {
        var house = try House(House.shop.replacing("expires: 2027-10-31", with: "expires: 2026-11-20"))
        let answer = try house.post(House.batch(device: "a", events: Self.good))
        #expect(answer.refused == [.init(index: 0, reason: .metricExpired)])
    }
}
