import Testing
import ThrongWire

@testable import ThrongAttestation

@Suite("An epoch is a calendar month of UTC")
struct EpochTests {
    @Test("months follow each other without a gap for 400 years, and are read as they are written")
    func months() throws {
        var epoch = Epoch(containing: .epoch)
        for number in 0..<(400 * 12) as Range<Int64> {
            #expect(epoch.number == number && Epoch(number: number) == epoch && Epoch(epoch.description) == epoch)
            #expect(Epoch(containing: epoch.start) == epoch && Epoch(containing: epoch.end - 1) == epoch)
            #expect(epoch.next.start == epoch.end && epoch < epoch.next)
            epoch = epoch.next
        }
        #expect(epoch.description == "2370-01")
        for text in ["", "2026", "2026-13", "2026-1", "1969-12", "2026-11-01", "2026-11 "] {
            #expect(Epoch(text) == nil)
        }
        #expect(Epoch(number: -1) == nil && Epoch(number: 8030 * 12) == nil)
    }

    @Test("a window belongs to the month in which it begins, and the month is over once it takes no batch any more")
    func windows() throws {
        let november = try #require(Epoch("2026-11"))
        for seconds in [60, 900, 50_000, 86_400] as [Int64] {
            let rotation = Rotation(seconds: seconds)
            let last = rotation.window(at: november.end - 1)
            #expect(Epoch(of: last, rotation: rotation) == november)
            #expect(Epoch(of: WindowNumber(last.value + 1), rotation: rotation) == november.next)
            #expect(rotation.start(of: WindowNumber(last.value + 2)) <= november.over)
        }
    }

    @Test("the next month's credentials are issued in the last three days, and not before")
    func lead() throws {
        let november = try #require(Epoch("2026-11"))
        #expect(Epoch.issued(at: november.start) == [november])
        #expect(Epoch.issued(at: november.end - 3 * 86_400 - 1) == [november])
        #expect(Epoch.issued(at: november.end - 3 * 86_400) == [november, november.next])
        #expect(Epoch.issued(at: november.end) == [november.next])
    }

    @Test("a request's context names app and month, and is none of a window's")
    func context() throws {
        let november = try #require(Epoch("2026-11"))
        let expected =
            "000c7468726f6e672d6172632d31" + "000565706f6368" + "000473686f70" + "000800000000000002aa"
        #expect(try november.requestContext(of: "shop") == Bytes.of(expected))
        let others = [
            try november.next.requestContext(of: "shop"), try november.requestContext(of: "shops"),
            try PresentationContext.window(WindowNumber(682), of: "shop", app: "epoch").bytes,
        ]
        #expect(!others.contains(Bytes.of(expected)))
    }
}
