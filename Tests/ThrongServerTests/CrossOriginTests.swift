import HTTPTypes
import Hummingbird
import Testing

@testable import ThrongServer
@testable import throng

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

    @Test("an origin may be listed in Unicode, with xn--, or with the port that its scheme implies")
    func spellings() throws {
        let origins = try #require(
            CrossOrigin(
                "https://MÜNCHEN.example https://xn--strae-oqa.example:8443 https://a.example:443 http://b.example:80"))
        for origin in [
            "https://xn--mnchen-3ya.example", "https://xn--strae-oqa.example:8443", "https://a.example",
            "http://b.example",
        ] {
            #expect(origins.reader(for: .page(origin))?.headers[.accessControlAllowOrigin] == origin, "\(origin)")
        }
        for origin in [
            "https://munchen.example", "https://xn--mnchen-3ya.example:8443", "https://xn--strae-oqa.example",
            "http://a.example",
            "http://a.example:443", "https://b.example", "https://a.example:80",
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

    @Test("a preflight allows headers that a page's own scripts add, and by name those that browsers of all ages send")
    func preflight() async throws {
        let router = Router()
        let origins = try #require(CrossOrigin("https://shop.example"))
        let open = router.group().add(middleware: CrossOriginMiddleware(origins: origins))
        open.on("/v1/batches", method: .options) { _, _ in Response(status: .noContent) }
        router.add(middleware: NoRoute(router.routes.map { ($0.path, $0.method) }, origins: origins))
        let client = RouterClient(router)
        let answer = try await client.send(.options, "/v1/batches", headers: [.origin: "https://shop.example"])
        #expect(answer.headers[.accessControlAllowHeaders] == "content-type, content-encoding, *")
        #expect(answer.headers[.accessControlAllowOrigin] == "https://shop.example")
        let stranger = try await client.send(.options, "/v1/batches", headers: [.origin: "https://evil.example"])
        #expect(stranger.headers[.accessControlAllowOrigin] == nil)
        // What is not there is said to pages, too: without the header a script learns nothing but that something failed.
        for (path, status) in [("/v1/batches", HTTPResponse.Status.methodNotAllowed), ("/v1/batch", .notFound)] {
            let answer = try await client.send(.get, path, headers: [.origin: "https://shop.example"])
            #expect(answer.status == status && answer.headers[.accessControlAllowOrigin] == "https://shop.example")
        }
    }

    @Test(
        "what is no origin is not taken for one",
        arguments: ["", " ", "shop.example", "https://", "https://a/b", "https://a *"])
    func malformed(text: String) { #expect(CrossOrigin(text) == nil) }
}

@Suite("Browsers use https only, for other names where the operator promises that of them all")
struct StrictTransportTests {
    @Test(
        "the certificate's setting says which names",
        arguments: [
            ("/tls/a.pem", "/tls/a.pem", ""), ("/tls/a b.pem includeSubDomains", "/tls/a b.pem", "; includeSubDomains"),
            ("a.pem includesubdomains", "a.pem", "; includeSubDomains"), ("includeSubDomains", "includeSubDomains", ""),
        ])
    func names(text: String, file: String, more: String) async throws {
        let words = ["tls.certificate": [text], "tls.key": ["/tls/a.key"], "data": ["/nowhere"]]
        let tls = try #require(DaemonSettings.daemon(Settings(options: words, environment: [:])).options.tls)
        #expect(tls.certificate == file && tls.key == "/tls/a.key" && tls.clientAuthorities == nil)
        let router = Router()
        router.add(middleware: StrictTransport(isForSubdomains: tls.isForSubdomains))
        router.get("/") { _, _ in Response(status: .ok) }
        let answer = try await RouterClient(router).send(.get, "/")
        #expect(answer.headers[.strictTransportSecurity] == "max-age=31536000" + more)
    }
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
