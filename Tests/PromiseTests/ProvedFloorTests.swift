import Testing
import ThrongChance
import ThrongFaults
import ThrongIntake
import ThrongPlan
import ThrongRelease
import ThrongWire

@Suite("Promise 4, where floors are attested: k is reached by devices that prove their identifiers, and by no others")
struct ProvedFloorTests {
    private static let plan = House.shop.replacing("rotation: 15", with: "floor: attested\n    rotation: 15")

    private static func view(_ category: String = "cake", count: Int = 1) -> String {
        House.event("view", fields: #"{"category":"\#(category)","paid":1}"#, count: count)
    }

    private static func batch(_ device: String, os: String = "ios", _ events: String) -> String {
        House.batch(device: device, context: #"{"os":"\#(os)"}"#, events: events)
    }

    @Test("nineteen forged devices beside a real one publish nothing; without the protection they do")
    func nineteen() throws {
        func release() throws -> Release {
            var house = try House(Self.plan)
            _ = try house.post(Self.batch("real", Self.view()), hasProof: true)
            for forged in 0..<19 { _ = try house.post(Self.batch("forged \(forged)", Self.view())) }
            return try house.release("views")
        }
        #expect(try release().cells.isEmpty)
        let fooled = try Fault.with([.liftUnproved, .trustForgers]) { try release() }
        #expect(fooled.cell([:])?.count == 20)
    }

    @Test(
        "identifiers without proof add to values and to no number of devices; a proof counts from the batch on that has it"
    )
    func values() throws {
        var house = try House(Self.plan)
        for device in 0..<20 { _ = try house.post(Self.batch("d\(device)", Self.view()), hasProof: true) }
        for device in 0..<30 { _ = try house.post(Self.batch("u\(device)", Self.view())) }
        // One that is proved stays so, and adds where it has no proof with it.
        _ = try house.post(Self.batch("d0", Self.view()))
        let release = try house.release("views")
        let cell = try #require(release.cell(["os": "ios", "category": "cake"]))
        #expect(cell.count == 51 && cell.sums == [5100] && cell.reach?.devices == 20)

        var late = try House(Self.plan)
        for device in 0..<20 {
            _ = try late.post(Self.batch("d\(device)", Self.view("bread")))
            _ = try late.post(Self.batch("d\(device)", Self.view("cake")), hasProof: true)
        }
        let found = try late.release("views")
        #expect(found.cell(["category": "cake"])?.reach?.devices == 20)
        // The total would tell of those who were not proved yet.
        #expect(found.cell(["category": "bread"]) == nil && found.cell([:]) == nil)
    }

    @Test(
        "who floods a number hides no device in it that sent nearly all of the rest: the forger can take the flood away"
    )
    func flood() throws {
        let plan = Self.plan.replacing("contribution_bound: 10", with: "contribution_bound: 1000")
        func release() throws -> Release {
            var house = try House(plan)
            for device in 0..<20 {
                _ = try house.post(Self.batch("d\(device)", Self.view(count: device == 0 ? 1000 : 1)), hasProof: true)
            }
            for forged in 0..<30 { _ = try house.post(Self.batch("f\(forged)", Self.view(count: 1000))) }
            return try house.release("views")
        }
        #expect(try release().cells.isEmpty)
        #expect(try Fault.with([.trustForgers]) { try release() }.cell([:])?.count == 31_019)
    }

    @Test(
        "a sum is hidden where one proved device, or one without proof, makes up nearly all of it",
        arguments: [true, false])
    func sums(isProved: Bool) throws {
        var house = try House(Self.plan)
        for device in 0..<25 { _ = try house.post(Self.batch("d\(device)", Self.view()), hasProof: true) }
        let rich = House.event("view", fields: #"{"category":"cake","paid":100}"#, count: 10)
        _ = try house.post(Self.batch("rich", rich), hasProof: isProved)
        #expect(try house.release("views").cells.isEmpty)
    }

    @Test("a difference of two metrics stands for k only by proved devices: flooded, it gives one away")
    func difference() throws {
        let plan = Self.plan.replacing(
            "metrics:",
            with: """
                metrics:
                  looks:
                    title: Looks
                    events: [view, zoom]
                    question: What is looked at?
                    decision: What we bake.
                    owner: Team
                    expires: 2027-10-31
                    purpose: product
                    period: day
                    contribution_bound: 10
                """)
        func releases() throws -> (Release, Release) {
            var house = try House(plan)
            for device in 0..<40 { _ = try house.post(Self.batch("d\(device)", Self.view()), hasProof: true) }
            _ = try house.post(Self.batch("real", House.event("zoom")), hasProof: true)
            for forged in 0..<100 { _ = try house.post(Self.batch("f\(forged)", House.event("zoom", count: 10))) }
            let views = try house.release("views")
            return (views, try house.release("looks", beside: [views]))
        }
        let (views, looks) = try releases()
        #expect(views.cell([:])?.count == 40)
        #expect(looks.cells.isEmpty)
        let fooled = try Fault.with([.trustForgers]) { try releases() }
        #expect(fooled.1.cell([:])?.count == 1041)
    }

    @Test("a week over its days is decided by what was proved, with what they published, and holds what all sent")
    func week() throws {
        func decided(flood: Int) throws -> [Release] {
            var house = try House(Self.plan.replacing("period: day", with: "period: day\n    rollups: [week]"))
            for day in Int64(0)..<2 {
                let now = House.noon - 86_400 * (1 - day)
                func post(_ device: String, _ category: String, count: Int, hasProof: Bool) throws {
                    let event = House.event(
                        "view", fields: #"{"category":"\#(category)","paid":1}"#, at: "2026-11-\(19 + day)T11:59:00Z",
                        count: count)
                    _ = try house.post(
                        House.batch(device: device, now: now, context: #"{"os":"ios"}"#, events: event), at: now,
                        hasProof: hasProof)
                }
                for device in 0..<30 { try post("d\(device)", "cake", count: 2, hasProof: true) }
                // Four on each day: their week is eight events of four devices.
                for device in 0..<4 { try post("few \(device)", "bread", count: 1, hasProof: true) }
                for forged in 0..<flood { try post("f\(forged)", "bread", count: 10, hasProof: false) }
            }
            var releases: [Release] = []
            var cubes: [StoredCube] = []
            let metric = try #require(house.plan.metric("views"))
            for instant in [House.noon - 86_400, House.noon] {
                releases.append(try house.release("views", at: instant))
                cubes.append(try house.cube("views", at: instant))
            }
            let period = PeriodCalendar.utc.period(.week, containing: House.noon)
            let header = ReleaseHeader(plan: house.plan, metric: metric, layout: cubes[0].layout, period: period)
            let week = ReleaseCase(header: header, parts: cubes, earlier: releases)
            return releases + [try week.decide(ReleaseOptions(seed: 7)).release]
        }
        let (alone, flooded) = (try decided(flood: 0), try decided(flood: 50))
        for (one, other) in zip(alone, flooded) {
            #expect(
                one.cells.map { [$0.margin.bits, $0.cell.value] }
                    == other.cells.map { [$0.margin.bits, $0.cell.value] })
            #expect(other.cell(["category": "bread"]) == nil)
        }
        #expect(alone.map { $0.cell([:])?.count } == [64, 64, 128])
        #expect(flooded.map { $0.cell([:])?.count } == [564, 564, 1128])
        let fooled = try Fault.with([.liftUnproved, .trustForgers]) { try decided(flood: 50) }
        #expect(fooled[2].cell(["category": "bread"])?.count == 1008)
    }

    @Test("what others send without proof changes no decision, whatever they send", arguments: 0..<8)
    func unmoved(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 11)
        var (alone, crowded) = (try House(Self.plan), try House(Self.plan))
        func any(_ random: inout SeededGenerator) -> (os: String, events: String) {
            let os = ["ios", "android", "tv"].randomElement(using: &random) ?? "ios"
            let events = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Self.view(
                    ["cake", "bread", "pie"].randomElement(using: &random) ?? "cake",
                    count: .random(in: 1...3, using: &random))
            }
            return (os, events.joined(separator: ","))
        }
        for device in 0..<Int.random(in: 60...160, using: &random) {
            let (os, events) = any(&random)
            let body = Self.batch("d\(device)", os: os, events)
            _ = try alone.post(body, hasProof: true)
            _ = try crowded.post(body, hasProof: true)
        }
        func places(_ cube: StoredCube) -> Set<CellIndex> {
            Set(cube.counters.filter { $0.measure == .count && $0.value > 0 }.map(\.cell))
        }
        for forged in 0..<80 {
            let (os, events) = any(&random)
            _ = try crowded.post(Self.batch("f\(forged)", os: os, events))
        }
        // Where they are alone, they occupy a place that nobody can know to be empty.
        guard places(try crowded.cube("views")) == places(try alone.cube("views")) else { return }
        let (expected, found) = (try alone.release("views"), try crowded.release("views"))
        #expect(
            found.cells.map { [$0.margin.bits, $0.cell.value] }
                == expected.cells.map { [$0.margin.bits, $0.cell.value] })
        #expect(zip(found.cells, expected.cells).allSatisfy { $0.count > $1.count && $0.reach == $1.reach })
    }
}
