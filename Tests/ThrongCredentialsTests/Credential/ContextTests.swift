import Testing
import ThrongWire

@testable import ThrongAttestation

@Suite("Presentation contexts can be read in one way only")
struct ContextTests {
    private static let day = Period(kind: .day, start: UnixSeconds(1_795_564_800), end: UnixSeconds(1_795_651_200))

    @Test("a window's context is its parts, each after its length")
    func layout() throws {
        let bytes = try PresentationContext.window(WindowNumber(258), of: "product", app: "shop").bytes
        let expected =
            "000c" + "7468726f6e672d6172632d31" + "0006" + "77696e646f77" + "0004" + "73686f70" + "0007"
            + "70726f64756374" + "0008" + "0000000000000102"
        #expect(bytes == Bytes.of(expected))
        let before = try PresentationContext.window(WindowNumber(-1), of: "product", app: "shop").bytes
        #expect(before.suffix(8) == [255, 255, 255, 255, 255, 255, 255, 255])
    }

    @Test("a first's context goes by dimensions' names, in whatever order they come")
    func first() throws {
        let bytes = try PresentationContext.first(
            in: ["os": "ios", "band": "2"], of: "use", layout: "07", period: Self.day, app: "shop"
        ).bytes
        let expected =
            "000c7468726f6e672d6172632d31" + "00056669727374" + "000473686f70" + "0003757365" + "00023037"
            + "0003646179"
            + "0008000000006b062500" + "000462616e64" + "000132" + "00026f73" + "0003696f73"
        #expect(bytes == Bytes.of(expected))
    }

    @Test("no two contexts are the same bytes: not by moving letters, not by another kind, period, cell or app")
    func different() throws {
        let hour = Period(kind: .hour, start: Self.day.start, end: UnixSeconds(1_795_568_400))
        let next = Period(kind: .day, start: Self.day.end, end: UnixSeconds(1_795_737_600))
        var contexts: [PresentationContext] = []
        for (app, name) in [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", "")] {
            let app = AppName(app)
            for window in [1, 2, 256] as [Int64] {
                contexts.append(try .window(WindowNumber(window), of: PurposeName(name), app: app))
            }
            for period in [Self.day, hour, next] {
                for cell in [
                    [:], ["os": "ios"], ["os": "iosx"], ["osi": "os"], ["os": "ios", "x": ""], ["os": "", "x": "ios"],
                ] as [[DimensionName: BucketLabel]] {
                    contexts.append(
                        try .first(in: cell, of: MetricName(name), layout: "07", period: period, app: app))
                }
            }
        }
        #expect(contexts.count == 84 && Set(contexts).count == 84)
    }

    @Test("a name whose length does not fit into two bytes is refused, and the longest one that does is taken")
    func length() throws {
        let longest = AppName(String(repeating: "a", count: 65_535))
        #expect(try PresentationContext.window(WindowNumber(1), of: "p", app: longest).bytes.count > 65_535)
        #expect(throws: AttestationError.contextPart(found: 65_536)) {
            try PresentationContext.window(
                WindowNumber(1), of: "p", app: AppName(String(repeating: "a", count: 65_536)))
        }
    }
}
