import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongWire

@Suite("Promise 4: a published number stands for at least k devices")
struct FloorTests {
    private static func view(_ category: String = "cake") -> String {
        House.event("view", fields: #"{"category":"\#(category)","paid":1}"#)
    }

    private static func crowd(of devices: Int, os: String = "ios") throws -> House {
        var house = try House(House.shop)
        for device in 0..<devices {
            _ = try house.post(House.batch(device: "d\(device)", context: #"{"os":"\#(os)"}"#, events: view()))
        }
        return house
    }

    @Test(
        "a cell seen by nineteen devices is withheld at k = 20, one seen by twenty is published", arguments: [19, 20])
    func threshold(devices: Int) throws {
        var house = try Self.crowd(of: devices)
        let release = try house.release("views")
        let cell = release.cell(["os": "ios", "category": "cake"])
        #expect((cell != nil) == (devices >= 20))
        #expect(cell?.count == (devices >= 20 ? 20 : nil))
        #expect(cell?.sums == (devices >= 20 ? [2000] : nil))
        #expect(cell?.reach?.devices == (devices >= 20 ? 20 : nil))
        #expect((release.cell([:]) != nil) == (devices >= 20))
    }

    @Test("with noise, of nineteen nothing is published, and of a hundred the whole", arguments: [19, 100])
    func noisy(devices: Int) throws {
        var house = try Self.crowd(of: devices)
        let release = try house.drawn("views")
        if devices < 20 {
            #expect(release.cells.isEmpty)
            return
        }
        let whole = try #require(release.cell([:]))
        #expect(release.header.margins != nil && whole.sums.count == 1)
        #expect((60...140).contains(whole.reach?.devices ?? 0))
    }

    @Test("one device awake for 96 windows is never twenty")
    func manyWindows() throws {
        var house = try House(House.shop)
        let midnight = House.noon - 12 * 3600
        for window in 0..<96 {
            let now = midnight + Int64(window) * 900
            let hour = window / 4 < 10 ? "0\(window / 4)" : "\(window / 4)"
            let minute = window % 4 * 15 < 10 ? "0\(window % 4 * 15)" : "\(window % 4 * 15)"
            let event = House.event(
                "view", fields: #"{"category":"cake","paid":1}"#, at: "2026-11-20T\(hour):\(minute):00Z")
            let answer = try house.post(
                House.batch(device: "window \(window)", now: now, context: #"{"os":"ios"}"#, events: event), at: now)
            #expect(answer.accepted == 1)
        }
        house.flush()
        #expect(house.stored.values.max() == 9600)
        #expect(try house.release("views").cells.isEmpty)
    }

    @Test("a margin over a dimension that does not partition devices counts each device once")
    func sharedMargin() throws {
        var house = try House(House.shop)
        for device in 0..<19 {
            let events = "\(Self.view("cake")),\(Self.view("bread")),\(Self.view("pizza"))"
            _ = try house.post(House.batch(device: "d\(device)", context: #"{"os":"ios"}"#, events: events))
        }
        #expect(try house.release("views").cells.isEmpty)
    }

    @Test("a margin over a dimension that partitions devices adds up within a window")
    func partitionedMargin() throws {
        var house = try House(House.shop)
        for device in 0..<33 {
            let os = ["ios", "android", "other"][device % 3]
            _ = try house.post(House.batch(device: "d\(device)", context: #"{"os":"\#(os)"}"#, events: Self.view()))
        }
        let release = try house.release("views")
        #expect(release.cell(["category": "cake"])?.reach?.devices == 33)
        #expect(release.cell(["os": "ios"]) == nil)
    }

    @Test("a coarser dimension adds floors where its base partitions devices, and counts each device once elsewhere")
    func derivedMargins() throws {
        let derived = """
              maker: {title: Maker, of: os, groups: {known: [ios, android]}}
              dough: {title: Dough, of: category, groups: {baked: [cake, bread]}}
            metrics:
            """
        let plan = House.shop.replacing("metrics:", with: derived)
            .replacing("contribution_bound: 10", with: "contribution_bound: 10\n    margins: [[maker], [dough]]")
        var crowd = try House(plan)
        for device in 0..<42 {
            let os = device % 2 == 0 ? "ios" : "android"
            _ = try crowd.post(House.batch(device: "d\(device)", context: #"{"os":"\#(os)"}"#, events: Self.view()))
        }
        #expect(try crowd.release("views").cell(["maker": "known"])?.reach?.devices == 42)

        var few = try House(plan)
        for device in 0..<19 {
            let events = "\(Self.view("cake")),\(Self.view("bread"))"
            _ = try few.post(House.batch(device: "d\(device)", context: #"{"os":"ios"}"#, events: events))
        }
        #expect(try few.release("views").cells.isEmpty)
        for device in 19..<20 {
            _ = try few.post(House.batch(device: "d\(device)", context: #"{"os":"ios"}"#, events: Self.view("bread")))
        }
        let release = try few.release("views")
        #expect(release.cell(["dough": "baked"])?.reach?.devices == 20)
        #expect(release.cell(["dough": "baked"])?.count == 39)
        #expect(release.cell(["dough": "other"]) == nil)
    }

    @Test("an identifier that shows up in a second bucket of a partition is refused there")
    func partitionConflict() throws {
        var house = try House(House.shop)
        _ = try house.post(House.batch(device: "a", context: #"{"os":"ios"}"#, events: Self.view()))
        let answer = try house.post(House.batch(device: "a", context: #"{"os":"android"}"#, events: Self.view()))
        #expect(answer.refused == [.init(index: 0, reason: .partitionConflict)])
    }

    @Test("one identifier adds at most the contribution bound per window")
    func contributionBound() throws {
        var house = try House(House.shop)
        let many = House.event("view", fields: #"{"category":"cake","paid":2}"#, count: 8)
        #expect(try house.post(House.batch(device: "a", events: many)).accepted == 1)
        #expect(try house.post(House.batch(device: "a", events: many)).accepted == 1)
        let third = try house.post(House.batch(device: "a", events: many))
        #expect(third.refused == [.init(index: 0, reason: .contributionBound)])
        house.flush()
        #expect(house.stored.values.sorted() == [10, 2000])
        let later = House.noon + 900
        #expect(try house.post(House.batch(device: "a", now: later, events: many), at: later).accepted == 1)
    }
}
