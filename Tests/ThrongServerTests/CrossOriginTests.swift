import HTTPTypes
import Testing

@testable import ThrongServer

@Suite("Which pages may send and read")
struct CrossOriginTests {
    @Test("a list lets in its origins, in any letters, and nobody else")
    func listed() throws {
        let origins = try #require(CrossOrigin("https://shop.example, http://localhost:8000"))
        for origin in ["https://shop.example", "https://SHOP.example", "http://localhost:8000"] {
            let headers = try #require(origins.reader(for: .page(origin))).headers
            #expect(headers[.accessControlAllowOrigin] == origin)
            #expect(headers[.vary] == "origin")
            #expect(headers[.accessControlAllowCredentials] == nil)
        }
        for origin in [
            "http://shop.example", "https://shop.example:8443", "https://shop.example.evil.example", "null",
            "https://evil-shop.example", "",
        ] {
            #expect(origins.reader(for: .page(origin)) == nil, "\(origin)")
        }
    }

    @Test("* lets everybody in, without credentials")
    func everywhere() throws {
        #expect(CrossOrigin("*") == .everywhere)
        let headers = try #require(CrossOrigin.everywhere.reader(for: .page("null"))).headers
        #expect(headers[.accessControlAllowOrigin] == "*")
        #expect(headers[.accessControlAllowCredentials] == nil)
    }

    @Test(
        "what is no origin is not taken for one",
        arguments: ["", " ", "shop.example", "https://", "https://a/b", "https://a *"])
    func malformed(text: String) { #expect(CrossOrigin(text) == nil) }
}

@Suite("throng.js")
struct ScriptTests {
    @Test("is served without its comments and most of its spaces, and with every other sign of the source")
    func stripped() {
        let source = String(decoding: PackageResources.throng_js, as: UTF8.self).split(separator: "\n")
            .map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }.joined()
        #expect(ScriptRoutes.text.filter { !$0.isWhitespace } == source.filter { !$0.isWhitespace })
        #expect(ScriptRoutes.text.utf8.count > 8000)
        #expect(ScriptRoutes.text.utf8.count < source.utf8.count)
        // A text over several lines would not survive.
        #expect(!ScriptRoutes.text.contains("`"))
    }

    @Test("and so is what it seals with, which has the gateway's key in one place")
    func seal() {
        let source = String(decoding: PackageResources.throng_oblivious_js, as: UTF8.self).split(separator: "\n")
            .map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }.joined()
        #expect(ScriptRoutes.sealText.filter { !$0.isWhitespace } == source.filter { !$0.isWhitespace })
        #expect(ScriptRoutes.sealText.ranges(of: "GATEWAY").count == 1 && !ScriptRoutes.sealText.contains("`"))
    }
}
