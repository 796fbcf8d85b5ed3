import Foundation
import Testing
import ThrongPlan
import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("the page is fit to be read")
struct PageTests {
    @Test("every drawing that says something has a title and a description, every table a caption")
    func described() throws {
        let page = try PagePieces(Shop().document.html())
        let drawings = try page.elements("//svg[@role='img']")
        #expect(drawings.count == 7)
        for drawing in drawings {
            let ids = (drawing.attribute(forName: "aria-labelledby")?.stringValue ?? "").split(separator: " ")
            #expect(ids.count == 2)
            for id in ids { #expect(try page.elements("//*[@id='\(id)']").count == 1) }
        }
        #expect(try page.elements("//table").count == page.elements("//table/caption").count)
        #expect(try page.elements("//section[@class='insight']").count == 10)
        let ids = try page.elements("//*[@id]").compactMap { $0.attribute(forName: "id")?.stringValue }
        #expect(Set(ids).count == ids.count)
    }

    @Test("each insight says its k, its margin, its sampling, its basis and its windows")
    func basis() throws {
        var shop = Shop()
        shop.sampling = 0.25
        let page = try PagePieces(shop.document.html())
        for section in 1...10 {
            let own = try page.text("//section[@id='insight-\(section)']//ul[@class='basis']/li")
            // What all numbers stand on is said once.
            let common = try page.text("//footer//ul[@class='basis']/li")
            try #require(own.count == 3 && common.count == 2)
            let parts = [own[0], common[0], own[1], own[2], common[1]]
            #expect(parts[0] == "Counts actions" || parts[0] == "Counts devices of the busiest 15 minutes of the week")
            #expect(parts[1] == "Each number stands for 20 devices or more")
            let devices = parts[0].contains("devices")
            let off = "ff by at most \(devices ? 15 : 28) in 19 of 20 cases"
            #expect(parts[2] == "O\(off)" || parts[2] == "Computed from numbers o\(off)", "\(parts)")
            let sampled = devices ? "devices can\u{2019}t be scaled up" : "scaled up, with 95% intervals"
            #expect(parts[3] == "Sampling rate 0.25: \(sampled)")
            #expect(parts[4] == "A device is recognised for 15 minutes at most")
        }
    }

    @Test("letters keep a contrast of 4.5 to 1 and drawings one of 3 to 1, light and dark (WCAG 2.2, 1.4.3 and 1.4.11)")
    func contrast() throws {
        let html = try Shop().document.html()
        let css = html.components(separatedBy: "<style>")[1].components(separatedBy: "</style>")[0]
        let halves = css.components(separatedBy: "@media screen and (prefers-color-scheme: dark)")
        let light = Self.colours(halves[0])
        let dark = light.merging(Self.colours(halves[1].components(separatedBy: "*, *::before")[0])) { $1 }
        let pairs = [
            ("ink", "paper"), ("ink", "surface"), ("muted", "paper"), ("muted", "surface"), ("muted", "hatch-ground"),
            ("muted", "hatch-soft"), ("accent", "surface"), ("link", "surface"), ("on-light", "track"),
            ("on-light", "shade-1"), ("on-light", "shade-2"), ("on-light", "shade-3"), ("on-strong", "shade-4"),
            ("on-strong", "shade-5"),
        ]
        let drawn = [
            ("accent", "surface"), ("accent", "track"), ("rest", "surface"), ("rest", "track"), ("band", "surface"),
            ("band", "track"), ("ink", "band"),
        ]
        for theme in [light, dark] {
            for (pairs, least) in [(pairs, 4.5), (drawn, 3)] {
                for (front, back) in pairs {
                    let values = [theme[front], theme[back]].compactMap { $0 }.sorted()
                    try #require(values.count == 2)
                    #expect((values[1] + 0.05) / (values[0] + 0.05) >= least, "\(front) on \(back)")
                }
            }
        }
    }

    /// Relative luminance by name of the custom property.
    static func colours(_ css: String) -> [String: Double] {
        var result: [String: Double] = [:]
        for match in css.matches(of: #/--([a-z0-9-]+): #([0-9a-f]{6})/#) {
            let value = Int(match.2, radix: 16) ?? 0
            let parts = [value >> 16, value >> 8 & 255, value & 255].map { part -> Double in
                let share = Double(part) / 255
                return share <= 0.03928 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
            }
            result[String(match.1)] = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
        }
        return result
    }

    @Test("periods read as people write them")
    func periods() throws {
        let calendar = Shop.calendar
        func title(_ label: String) throws -> String {
            calendar.title(of: try #require(calendar.period(labelled: label)))
        }
        #expect(try title("2026-11-21") == "Saturday, 21 November 2026")
        #expect(try title("2026-W47") == "16 to 22 November 2026")
        #expect(try title("2026-W49") == "30 November to 6 December 2026")
        #expect(try title("2026-W53") == "28 December 2026 to 3 January 2027")
        #expect(try title("2026-11") == "November 2026")
        #expect(try title("2026-11-21T23:00") == "21 November 2026, 23:00 to 00:00")
    }
}
