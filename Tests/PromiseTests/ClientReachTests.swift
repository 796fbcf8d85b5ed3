import Testing
import ThrongPlan
import ThrongRelease
import ThrongWire

@Suite("Promise 4: what clients say never makes a number stand for fewer than k proved devices")
struct ClientReachTests {
    private static let yaml = House.shop.replacing("reach: true", with: "reach: client")

    /// The total, os, category and both.
    private static let all = #"[[],["os"],["category"],["os","category"]]"#

    private func event(_ firsts: String, at: String = "2026-11-20T11:59:00Z") -> String {
        #"{"event":"view","at":"\#(at)","fields":{"paid":1,"category":"cake"},"firsts":{"views":{"day":\#(firsts)}}}"#
    }

    /// Devices in windows, each with one event of each window that it is awake in; the first of them is its first.
    private func release(devices: Int, awake windows: (Int) -> ClosedRange<Int64>) throws -> Release {
        var house = try House(Self.yaml)
        for device in 0..<devices {
            for (place, window) in windows(device).enumerated() {
                let now = House.noon + window * 900
                let answer = try house.post(
                    House.batch(
                        device: "\(device)-\(window)", now: now, context: #"{"os":"ios"}"#,
                        events: event(place == 0 ? Self.all : "[]")),
                    at: now)
                #expect(answer.accepted == 1)
            }
        }
        return try house.release("views")
    }

    @Test("forty devices that are awake in two windows each are forty in the day")
    func counted() throws {
        let release = try release(devices: 40) { $0 < 30 ? 0...1 : 1...2 }
        let total = try #require(release.cell(CellIndex(0), in: .total))
        #expect(total.count == 80)
        #expect(total.firsts == 40)
        let apart = try self.release(devices: 60) { [0...0, 1...1][$0 % 2] }
        let both = try #require(apart.cell(CellIndex(0), in: .total))
        #expect(both.firsts == 60)
    }

    @Test("sixty devices of which no window saw twenty are withheld, whatever they say")
    func thin() throws {
        let release = try release(devices: 60) { [0...0, 1...1, 2...2, 3...3][$0 % 4] }
        #expect(release.cells.isEmpty)
    }

    @Test("a client that says a first with each event adds one a window, not one an event")
    func liar() throws {
        var house = try House(Self.yaml)
        for device in 0..<30 {
            let events = Array(repeating: event(Self.all), count: device == 0 ? 10 : 1).joined(separator: ",")
            for _ in 0..<(device == 0 ? 1 : 2) {
                _ = try house.post(
                    House.batch(device: "\(device)", context: #"{"os":"ios"}"#, events: events))
            }
        }
        #expect(try house.release("views").cell(CellIndex(0), in: .total)?.firsts == 30)
    }
}
