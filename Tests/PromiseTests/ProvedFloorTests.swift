import Testing
import ThrongIngest
import ThrongPlan
import ThrongRelease
import ThrongSystem
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

    @Test("nineteen forged devices beside a real one publish nothing; where floors count anybody they do")
    func nineteen() throws {
        func release() throws -> Release {
            var house = try House(Self.plan)
            _ = try house.post(Self.batch("real", Self.view()), hasProof: true)
            for forged in 0..<19 { _ = try house.post(Self.batch("forged \(forged)", Self.view())) }
            return try house.release("views")
        }
        #expect(try release().cells.isEmpty)
        let fooled = try Fault.with([.liftUnproved]) { try release() }
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
        #expect(found.cell(["category": "bread"]) == nil && found.cell([:])?.count == 40)
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
        for forged in 0..<80 {
            let (os, events) = any(&random)
            _ = try crowded.post(Self.batch("f\(forged)", os: os, events))
        }
        for isNoisy in [true, false] {
            func release(_ house: inout House) throws -> Release {
                isNoisy ? try house.drawn("views") : try house.release("views")
            }
            let (expected, found) = (try release(&alone), try release(&crowded))
            #expect(
                found.cells.map { [$0.margin.bits, $0.cell.value] }
                    == expected.cells.map { [$0.margin.bits, $0.cell.value] })
            #expect(found.cells.map(\.reach) == expected.cells.map(\.reach))
            if !isNoisy { #expect(zip(found.cells, expected.cells).allSatisfy { $0.count >= $1.count }) }
        }
    }
}
