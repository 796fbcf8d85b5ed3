import Foundation
import Testing
import ThrongPlan

@Suite("An instant is a number that knows what it is")
struct UnixSecondsTests {
    private static let noon = UnixSeconds(1_795_262_400)

    @Test("seconds lead from one instant to another and back")
    func arithmetic() {
        let later = Self.noon + 90
        #expect(later - Self.noon == 90 && Self.noon - later == -90)
        #expect(later - 90 == Self.noon && Self.noon < later)
        var moved = Self.noon
        moved += -30
        #expect(moved == Self.noon - 30)
        #expect(UnixSeconds.min < .epoch && UnixSeconds.epoch < .max)
    }

    @Test("before 1970, too, whole stretches are counted downwards", arguments: [(-1, -1), (0, 0), (899, 0), (900, 1)])
    func stretches(seconds: Int64, stretches: Int64) {
        #expect(UnixSeconds(seconds).flooredQuotient(by: 900) == stretches)
    }

    @Test("in JSON and in a text it is the number that it was before it had a type")
    func formats() throws {
        let period = Period(kind: .hour, start: Self.noon, end: Self.noon + 3600)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(period), as: UTF8.self)
        #expect(json == #"{"end":1795266000,"kind":"hour","start":1795262400}"#)
        #expect(try JSONDecoder().decode(Period.self, from: Data(json.utf8)) == period)
        #expect("\(Self.noon)" == "1795262400")
    }

    @Test("a number beyond any calendar can be compared and gets a window, and stops nothing")
    func extremes() {
        for seconds in [Int64.min, .max] {
            let time = UnixSeconds(seconds)
            #expect(Rotation.standard.window(at: time).value == time.flooredQuotient(by: 900))
            #expect(max(time, Self.noon) != min(time, Self.noon))
        }
    }
}
