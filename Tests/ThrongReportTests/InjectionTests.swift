import Foundation
import Testing
import ThrongPlan
import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("nothing that a label or a plan says is executed")
struct InjectionTests {
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\"\u{301} onload=alert(1) x=\"\u{301}",
        "'\u{301} onfocus=alert(1) autofocus='", "</title><script>alert(1)</script>",
        "</style><script>alert(1)</script>", "]]><script>alert(1)</script>", "{{css}}{{{css}}}{{#tiles}}x{{/tiles}}",
        "&lt;script&gt;", "<!--", "a\u{202e}b\u{0}c\u{7}d",
        "</svg><a href=\"javascript:alert(1)\">x</a>", "<\u{338}b onclick=alert(1)>", "url(https://evil.example/)",
    ]

    static func shop(_ text: String) -> Shop {
        var shop = Shop()
        shop.devices[0] = BucketLabel(text)
        shop.devices[4] = BucketLabel("other" + text)
        shop.regions[2] = BucketLabel(text)
        shop.bands[1] = BucketLabel(text)
        shop.explanation = text
        shop.partnerTitle = text
        shop.insightTitle = text
        shop.unit = text
        return shop
    }

    @Test("HTML: the page keeps its elements and attributes whatever the text is", arguments: hostile)
    func html(text: String) throws {
        func skeleton(_ text: String) throws -> [String] {
            let page = try PagePieces(Self.shop(text).document.html())
            return try page.elements("//*").map { element in
                ([element.name ?? ""] + (element.attributes ?? []).compactMap(\.name).sorted()).joined(separator: " ")
            }
        }
        #expect(try skeleton(text) == skeleton("plain"))
        let html = try Self.shop(text).document.html()
        #expect(!html.contains("<script"))
        #expect(!html.contains("<img"))
        for scalar in html.unicodeScalars { #expect(scalar == "\n" || !(scalar.value < 0x20 || scalar == "\u{202e}")) }
    }

    @Test("HTML: no quotation mark of a label ends an attribute, also under a combining accent")
    func combining() throws {
        let html = try Self.shop("\"\u{301} onload=alert(1)").document.html()
        let bytes = Array(html.utf8)
        let raw = Array("\"\u{301}".utf8)
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: raw) })
        #expect(html.unicodeScalars.contains("\u{301}"))
    }

    @Test("HTML: nothing is loaded, nothing is run")
    func selfContained() throws {
        let html = try Shop().document.html()
        let page = try PagePieces(html)
        let policy = try page.elements("//meta[@http-equiv='Content-Security-Policy']").compactMap {
            $0.attribute(forName: "content")?.stringValue
        }
        #expect(policy == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"])
        let loading = [
            "script", "link", "img", "iframe", "object", "embed", "form", "base", "use", "image", "foreignObject",
        ]
        for name in loading {
            #expect(try page.elements("//\(name)").isEmpty, "\(name)")
        }
        for word in ["http:", "https:", "@import", "src="] { #expect(!html.contains(word)) }
        for element in try page.elements("//*") {
            for attribute in element.attributes ?? [] {
                let name = attribute.name ?? ""
                #expect(!name.hasPrefix("on"), "\(name)")
                if name == "href" { #expect(attribute.stringValue?.hasPrefix("#insight-") == true) }
            }
        }
    }

    @Test("JSON: every text comes back as it was", arguments: hostile)
    func json(text: String) throws {
        let json = Self.shop(text).document.json
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["explanation"] as? String == text)
        #expect(!json.contains("<"))
    }

    @Test(
        "CSV: a cell that a spreadsheet would run gets an apostrophe",
        arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u{ff1d}1", "=cmd|' /C calc'!A0"])
    func csv(text: String) throws {
        var shop = Shop()
        shop.devices[0] = BucketLabel(text)
        let csv = shop.document.csv
        #expect(csv.contains("'\(text)"))
        for separator in [",", ",\"", "\r\n", "\r\n\""] { #expect(!csv.contains(separator + text)) }
    }

    @Test("file names hold nothing that a shell, a path or a browser could take amiss")
    func names() {
        #expect(ReportFile(name: "../../etc/passwd", contents: "").name == "-..-etc-passwd")
        #expect(ReportFile(name: ".hidden", contents: "").name == "hidden")
        #expect(ReportFile(name: "a b\n;rm.csv", contents: "").name == "a-b--rm.csv")
        #expect(ReportFile(name: "2026-11-21T10:00.csv", contents: "").name == "2026-11-21T10-00.csv")
        #expect(ReportFile(name: "", contents: "").name == "report")
        #expect(ReportFile(name: "..", contents: "").name == "report")
    }
}
