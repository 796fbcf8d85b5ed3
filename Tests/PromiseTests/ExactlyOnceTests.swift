import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("Promise 3: acknowledged means counted, exactly once")
struct ExactlyOnceTests {
    private static let event = House.event("view", fields: #"{"category":"cake","paid":1}"#)

    @Test("a batch that comes a hundred times counts once and gets the same answer")
    func repeats() throws {
        var house = try House(House.shop)
        let body = House.batch(device: "a", events: "\(Self.event),\(House.event("login"))")
        let first = try house.post(body)
        for _ in 0..<99 { #expect(try house.post(body) == first) }
        house.flush()
        #expect(house.stored.values.sorted() == [1, 100])
    }

    @Test("a batch whose window is neither the current one nor its neighbour is refused by time", arguments: [-2, 2])
    func horizon(windows: Int64) throws {
        var house = try House(House.shop)
        let body = House.batch(device: "a", now: House.noon + windows * 900, events: Self.event)
        #expect(throws: IntakeError.windowOutOfRange(current: House.noon.value / 900)) { try house.post(body) }
    }

    @Test("a flush that is under way is handed out again until it is applied, and nothing is added to it")
    func frozenFlush() throws {
        var house = try House(House.shop)
        _ = try house.post(House.batch(device: "a", events: Self.event))
        let frozen = house.counting.freeze()
        let first = try #require(frozen)
        _ = try house.post(House.batch(device: "b", events: Self.event))
        let repeated = house.counting.freeze()
        let again = try #require(repeated)
        #expect(again.through == first.through)
        #expect(again.counters == first.counters)
        house.counting.applied(first, closed: [])
        let following = house.counting.freeze()
        let second = try #require(following)
        #expect(second.after == first.through)
        #expect(second.counters.map(\.delta).sorted() == [1, 100])
    }

    @Test("late events of a released period count into the open one, and prove no device there twice")
    func lateEvents() throws {
        var house = try House(House.shop)
        let layout = house.layouts[0].id
        let yesterday = PeriodCalendar.utc.period(.day, containing: House.noon - 86_400).start
        let today = PeriodCalendar.utc.period(.day, containing: House.noon).start
        let late = House.event("view", fields: #"{"category":"cake","paid":1}"#, at: "2026-11-19T12:00:01Z")
        _ = try house.post(House.batch(device: "a", events: late))
        house.flush(closed: [ClosedPeriod(layout: layout, periodStart: yesterday)])
        _ = try house.post(House.batch(device: "b", events: late))
        house.flush(closed: [ClosedPeriod(layout: layout, periodStart: yesterday)])
        #expect(Set(house.stored.keys.map(\.periodStart)) == [yesterday, today])
    }
}
