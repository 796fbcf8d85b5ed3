import Testing
import ThrongPlan

@Suite("Bucketings put values where people expect them")
struct BucketingTableTests {
    private func expect(_ rule: BucketingRule, _ table: KeyValuePairs<String, String>) throws {
        let bucketing = try SampleRules.compiled(rule)
        for (value, label) in table {
            #expect(SampleValue.text(value).label(in: bucketing) == label, "\(value)")
        }
    }

    @Test("a list holds its values, numbers and flags too, and other may be spelled out")
    func list() throws {
        let rule = BucketingRule.list([
            BucketGroup(label: "other", values: ["junk"]), BucketGroup(label: "ok", values: ["200", "204", "true"]),
            BucketGroup(label: "gone", values: ["404"]),
        ])
        try expect(rule, ["200": "ok", "404": "gone", "junk": "other", "ok": "ok", "OK": "other", "404 ": "other"])
        let bucketing = try SampleRules.compiled(rule)
        #expect(bucketing.labels.map(\.text) == ["ok", "gone", "other"])
        #expect(SampleValue.integer(404).label(in: bucketing) == "gone")
        #expect(SampleValue.number(204).label(in: bucketing) == "ok")
        #expect(SampleValue.number(204.5).label(in: bucketing) == "other")
        #expect(SampleValue.flag(true).label(in: bucketing) == "ok")
    }

    @Test("a band holds its lower edge and not its upper one")
    func bands() throws {
        let bucketing = try SampleRules.compiled(.bands(edges: [10, 20, 50.5, 1_000_000]))
        #expect(bucketing.labels.map(\.text) == ["<10", "10-20", "20-50.5", "50.5-1000000", ">=1000000", "other"])
        try expect(
            .bands(edges: [10, 20, 50.5, 1_000_000]),
            [
                "9.999": "<10", "-4": "<10", "10": "10-20", "1e1": "10-20", "19.99": "10-20", "20": "20-50.5",
                "50.5": "50.5-1000000", "1e300": ">=1000000", "ten": "other", "10 ": "other", "10-20": "10-20",
            ])
        let negative = try SampleRules.compiled(.bands(edges: [-5, 0, 2.5]))
        #expect(negative.labels.map(\.text) == ["<-5", "from -5 to 0", "from 0 to 2.5", ">=2.5", "other"])
    }

    @Test("significant figures round, clip to the range and stop there")
    func significantFigures() throws {
        let rule = BucketingRule.significantFigures(digits: 1, lowest: 1, highest: 1000)
        let bucketing = try SampleRules.compiled(rule)
        #expect(bucketing.labels.count == 29)
        #expect(bucketing.labels.prefix(11).map(\.text) == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "20"])
        try expect(
            rule,
            ["0": "1", "-7": "1", "1.4": "1", "96": "100", "94": "90", "999": "1000", "1e9": "1000", "a": "other"])
        try expect(
            .significantFigures(digits: 2, lowest: 0.001, highest: 123_456),
            [
                "0.0001": "0.001", "0.00123": "0.0012", "0.0999": "0.1", "1": "1", "1.25": "1.2", "9.96": "10",
                "123456": "120000", "12345": "12000", "99499": "99000", "99500": "100000", "1e18": "120000",
            ])
        try expect(
            .significantFigures(digits: 3, lowest: 95, highest: 2000), ["1004": "1000", "1006": "1010", "95.04": "95"])
    }

    @Test("powers of a base are bands")
    func powers() throws {
        let two = try SampleRules.compiled(.powers(base: 2, lowestExponent: 0, highestExponent: 3))
        #expect(two.labels.map(\.text) == ["<1", "1-2", "2-4", "4-8", ">=8", "other"])
        try expect(
            .powers(base: 10, lowestExponent: -2, highestExponent: 1),
            ["0.005": "<0.01", "0.01": "0.01-0.1", "0.1": "0.1-1", "1": "1-10", "10": ">=10"])
    }

    @Test("versions are cut, and only listed ones count")
    func versions() throws {
        try expect(
            .version(level: .major, known: ["17", "18"]),
            [
                "17.4.1": "17", "17": "17", "17-beta": "17", "18.0": "18", "170": "other", "16": "other",
                "v17": "other",
                "1.17": "other", "": "other",
            ])
        let major = try SampleRules.compiled(.version(level: .major, known: ["17"]))
        #expect(SampleValue.integer(17).label(in: major) == "17")
        #expect(SampleValue.number(17.4).label(in: major) == "17")
        try expect(
            .version(level: .minor, known: ["17.4", "17.0", "22.04"]),
            [
                "17.4.1": "17.4", "17": "17.0", "17.": "17.0", "17.40": "other", "22.04": "22.04", "22.4": "other",
                "17.4b2": "17.4",
            ])
        let minor = try SampleRules.compiled(.version(level: .minor, known: ["17.1"]))
        // 17.10 and 17.1 are one JSON number.
        #expect(SampleValue.number(17.1).label(in: minor) == "other")
    }

    @Test("screens go by their short side, whichever way they are held")
    func screens() throws {
        try expect(
            .screen(mediumFrom: 600, largeFrom: 1024),
            [
                "390x844": "small", "844x390": "small", "599.5X1000": "small", "600x600": "medium",
                "1366x768": "medium",
                "1920x1080": "large", "1024": "large", "0x0": "other", "-5x10": "other", "x": "other", "390x": "other",
                "390x844x2": "other", "medium": "medium",
            ])
    }

    @Test("locales go to their language")
    func languages() throws {
        try expect(
            .language(known: ["de", "en", "nds"]),
            [
                "de-AT": "de", "DE": "de", "de_DE.UTF-8": "de", "en-US,en;q=0.9,de;q=0.8": "en", "nds": "nds",
                "fr": "other",
                "den Haag": "other", "deé": "other", "": "other", "*": "other",
            ])
    }

    @Test("time zones go to bands of UTC offsets by their standard time")
    func utcOffsets() throws {
        let bucketing = try SampleRules.compiled(.utcOffset(bandHours: 3))
        #expect(
            bucketing.labels.map(\.text) == [
                "UTC-12..UTC-10", "UTC-9..UTC-7", "UTC-6..UTC-4", "UTC-3..UTC-1", "UTC+0..UTC+2", "UTC+3..UTC+5",
                "UTC+6..UTC+8", "UTC+9..UTC+11", "UTC+12..UTC+14", "other",
            ])
        try expect(
            .utcOffset(bandHours: 1),
            [
                "Europe/Vienna": "UTC+1", "Europe/London": "UTC+0", "Europe/Dublin": "UTC+0",
                "America/New_York": "UTC-5",
                "Asia/Kolkata": "UTC+5", "Asia/Calcutta": "UTC+5", "America/St_Johns": "UTC-4",
                "Australia/Sydney": "UTC+10", "Pacific/Kiritimati": "UTC+14", "Etc/GMT+12": "UTC-12", "UTC": "UTC+0",
                "60": "UTC+1", "-210": "UTC-4", "840": "UTC+14", "900": "other", "-721": "other", "Mars/Base": "other",
                "europe/vienna": "UTC+1",
            ])
        try expect(.utcOffset(bandHours: 4), ["UTC+12..UTC+14": "UTC+12..UTC+14", "780": "UTC+12..UTC+14"])
    }

    @Test("countries go to regions, and every ISO 3166-1 country but Antarctica is in one of the five")
    func regions() throws {
        try expect(
            .region(BucketingRule.unRegions),
            [
                "AT": "Europe", "at": "Europe", "US": "Americas", "BR": "Americas", "NG": "Africa", "TW": "Asia",
                "TR": "Asia", "CY": "Asia", "RU": "Europe", "NZ": "Oceania", "AQ": "other", "XX": "other",
                "XK": "Europe", "ic": "Europe", "EL": "Europe", "UK": "Europe", "TA": "Africa",
                "AUT": "other",
                "Europe": "Europe",
            ])
        let codes = BucketingRule.unRegions.flatMap(\.values)
        #expect(codes.count == 254)
        #expect(Set(codes).count == 254)
        #expect(BucketingRule.unRegions.map(\.values.count) == [63, 57, 51, 54, 29])
    }

    @Test("times go to parts of the wall clock")
    func times() throws {
        // 2026-03-29 02:00 in Vienna does not exist: 00:59:59Z is 01:59:59, 01:00:00Z is 03:00:00.
        try expect(.time(part: .hour, timeZone: "Europe/Vienna"), ["1774745999": "01", "1774746000": "03"])
        try expect(
            .time(part: .day, timeZone: "Europe/Vienna"), ["1774745999": "29", "1774738800": "29", "1774738799": "28"])
        try expect(
            .time(part: .weekday, timeZone: "UTC"),
            ["0": "Thu", "1774742400": "Sun", "1774828800": "Mon", "Tue": "Tue"])
        // 2027-01-01 is a Friday of 2026's week 53.
        try expect(.time(part: .week, timeZone: "UTC"), ["1798761600": "W53", "1767225600": "W01"])
        let week = try SampleRules.compiled(.time(part: .week, timeZone: "UTC"))
        #expect(week.labels.count == 54)
        #expect(SampleValue.integer(.max).label(in: week) == "other")
        #expect(SampleValue.integer(.min).label(in: week) == "other")
        #expect(SampleValue.number(1_767_225_600.9).label(in: week) == "W01")
        #expect(SampleValue.integer(-1).label(in: week) == "W01")
    }

    @Test("URLs go to their host, if listed")
    func hosts() throws {
        try expect(
            .host(known: ["www.example.org", "example.org"]),
            [
                "https://www.example.org/": "www.example.org", "HTTPS://WWW.EXAMPLE.ORG:8443/a?b#c": "www.example.org",
                "https://user:pass@example.org": "example.org", "//example.org./x": "example.org",
                "example.org": "example.org", "example.org:80/x": "example.org",
                "https://evil.example/?example.org": "other",
                "https://example.org@evil.example/": "other", "https://evil.example/www.example.org": "other",
                "https://a.example.org/": "other", "/example.org": "other", "": "other",
            ])
    }

    @Test("URLs and paths go to the route that they are letter for letter, else to the first that matches")
    func routes() throws {
        try expect(
            .route(templates: ["/", "/product/:id", "/product/new", "/product/:id/reviews", "/docs/*"]),
            [
                "/": "/", "https://example.org": "/", "https://example.org/?q=1": "/", "/product/7": "/product/:id",
                "https://example.org:80/product/7/?a=/docs#x": "/product/:id", "example.org/product/7": "/product/:id",
                "/product/new": "/product/new", "/product/": "other", "/product/7/reviews": "/product/:id/reviews",
                "/product/7/x": "other", "/docs": "/docs/*", "/docs/": "/docs/*", "/docs/a/b/c": "/docs/*",
                "/docsearch": "other", "product/7": "other", "product": "other", "mailto:a@example.org": "other",
                "/Product/7": "other", "": "other",
            ])
        // The order of routes that no path is letter for letter counts; of the others it does not.
        try expect(
            .route(templates: ["/:any", "/a", "/*"]),
            ["/a": "/a", "/a?x=1": "/a", "/b": "/:any", "/a/b": "/*", "/:any#x": "/:any", "/%3Aany": "/:any"])
        try expect(.route(templates: ["/product/:id", "/*"]), ["/x/y": "/*", "/": "/*", "/product/7": "/product/:id"])
    }

    @Test("file names go to the type of their content")
    func fileTypes() throws {
        try expect(
            .fileType,
            [
                "photo.JPG": "image", "a/b/clip.mp4": "video", "song.flac": "audio", "C:\\x\\letter.docx": "document",
                "backup.tar.gz": "archive", "main.swift": "code", "table.csv": "data", "font.woff2": "font",
                "setup.exe": "program", ".profile": "other", "dir.zip/readme": "other", "noextension": "other",
                "dot.": "other",
                "image": "image",
            ])
    }
}
