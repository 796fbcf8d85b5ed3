import Testing
import ThrongPlan

@testable import ThrongIngest

@Suite("Times are read as RFC 3339 has them")
struct TimestampTests {
    private static func read(_ text: String) -> UnixSeconds? {
        var text = text
        var reader = TimestampReader()
        return text.withUTF8 { reader.instant($0) }
    }

    @Test(
        "well-formed times",
        arguments: [
            ("1970-01-01T00:00:00Z", Int64(0)), ("2026-11-21T10:02:11Z", 1_795_255_331),
            ("2026-11-21t10:02:11z", 1_795_255_331), ("2026-11-21T10:02:11.999999Z", 1_795_255_331),
            ("2026-11-21T11:02:11+01:00", 1_795_255_331), ("2026-11-21T04:32:11-05:30", 1_795_255_331),
            ("2024-02-29T23:59:60Z", 1_709_251_200), ("1969-12-31T23:59:59Z", -1),
        ])
    func good(text: String, seconds: Int64) { #expect(Self.read(text)?.value == seconds) }

    @Test(
        "anything else is refused",
        arguments: [
            "", "2026-11-21", "2026-11-21T10:02:11", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-11-21T24:00:00Z", "2026-11-21T10:02:éZ", "2026-11-21T1/:02:11Z", "2026-11-21T10;02:11Z",
            "2026-11-21T10:02:1:Z",
            "2026-11-21T10:60:00Z", "2026-11-21T10:02:11.Z", "2026-11-21T10:02:11.", "2026-11-21T10:02:11+1:00",
            "2026-11-21T10:02:11+01:00x", "2026-11-21T10:02:11Zx", "+026-11-21T10:02:11Z", "2026-11-21T10:02:11+24:00",
        ])
    func bad(text: String) { #expect(Self.read(text) == nil) }
}
