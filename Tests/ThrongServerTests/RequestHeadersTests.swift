import HTTPTypes
import NIOHTTP1
import Testing
import ThrongWire

@testable import ThrongServer

@Suite("Headers are read in one way, whoever reads them")
struct RequestHeadersTests {
    private static func read(_ lines: [(String, String)]) -> [RequestHeaders] {
        var fields = HTTPFields()
        for (name, value) in lines {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return [RequestHeaders(HTTPHeaders(lines)), RequestHeaders(fields)]
    }

    @Test("only what was opened here is taken for sealed: nobody else knows the word for it")
    func sealed() {
        for value in ["", "1", "true", String(repeating: "0", count: 32), SealedMark.value.uppercased() + "x"] {
            for headers in Self.read([("throng-sealed", value)]) { #expect(!headers.isSealed, "\(value)") }
        }
        for headers in Self.read([("Throng-Sealed", SealedMark.value)]) { #expect(headers.isSealed) }
        #expect(SealedMark.value.utf8.count == 32)
    }

    @Test(
        "a signal is on where 1 is what it says, or one of the things that it says",
        arguments: [
            "1", " 1", "1 ", "\t1\t", "1,", ",1", "1, 1", "0, 1", "1;q=1", " 1 ; a=b , 0", "1,\u{301}", "1;\u{301}, 0",
        ])
    func signalsOn(value: String) {
        for headers in Self.read([("Sec-GPC", value)]) { #expect(headers.signals == [.globalPrivacyControl]) }
        for headers in Self.read([("dnt", "0"), ("DNT", value), ("DNT", "0")]) {
            #expect(headers.signals == [.doNotTrack])
        }
    }

    @Test(
        "and off where it says anything else",
        arguments: ["", " ", "0", "01", "11", "true", "?1", "1 1", "\"1\"", "0;1"])
    func signalsOff(value: String) {
        for headers in Self.read([("Sec-GPC", value), ("DNT", value)]) { #expect(headers.signals.isEmpty) }
    }

    @Test("a page is one origin, named once; two, in one line or in two, are none that can be allowed")
    func origins() {
        for headers in Self.read([("Origin", " https://shop.example\t")]) {
            #expect(headers.origin == .page("https://shop.example"))
        }
        for lines in [
            [("origin", "https://a.example"), ("Origin", "https://shop.example")],
            [("origin", "https://shop.example"), ("Origin", "https://shop.example")],
            [("origin", "https://a.example, https://shop.example")],
            [("origin", "https://a.example https://shop.example")],
            [("origin", "https://a.example"), ("origin", "https://b.example"), ("origin", "https://shop.example")],
        ] {
            for headers in Self.read(lines) { #expect(headers.origin == .unclear, "\(lines)") }
        }
        for headers in Self.read([("x-origin", "https://a.example")]) { #expect(headers.origin == .none) }
    }

    @Test("packing is gzip or nothing, in any letters, over any number of lines")
    func packing() {
        for value in ["gzip", "GZIP ", "identity, gzip", ",gzip"] {
            for headers in Self.read([("content-encoding", value)]) { #expect(headers.isGzip == true, "\(value)") }
        }
        for value in ["", "identity", " identity ,"] {
            for headers in Self.read([("content-encoding", value)]) { #expect(headers.isGzip == false, "\(value)") }
        }
        for value in ["br", "gzip, br", "gzip, gzip", "x"] {
            for headers in Self.read([("content-encoding", value)]) { #expect(headers.isGzip == nil, "\(value)") }
        }
        for headers in Self.read([("content-encoding", "gzip"), ("content-encoding", "gzip")]) {
            #expect(headers.isGzip == nil)
        }
    }
}

@Suite("A request goes to one host")
struct RequestTargetTests {
    private static func target(_ target: String, _ hosts: [String], _ version: HTTPVersion = .http1_1)
        -> Result<RequestTarget, RequestTarget.Problem>
    {
        let headers = RequestHeaders(HTTPHeaders(hosts.map { ("Host", $0) }))
        return Result { () throws(RequestTarget.Problem) in try RequestTarget(target, headers, version: version) }
    }

    @Test(
        "a host is a name or an address, with a port or without",
        arguments: [
            "shop.example", "SHOP.example:8080", "127.0.0.1:80", "[::1]", "[::1]:8080", "localhost:", "a_b", "x%41",
            " x ",
            "[v1.a:b]", "[VF.a]", "[::ffff:127.0.0.1]", "[2001:db8:0:0:0:0:0:1]:80", "xn--bcher-kva.example", "a,b",
        ])
    func good(host: String) throws { #expect(try Self.target("/x", [host]).get().path == "/x") }

    @Test(
        "and nothing else",
        arguments: [
            "", " ", "a b", "a/b", "a@b", "http://a", "a:b", "a:80:80", "a:65536", "[::1", "::1", "[]", "[a]b", "a?b",
            "a#b",
            "[zz]", "[1]", "[127.0.0.1]", "[::1::]", "[fe80::1%25eth0]", "[v.a]", "[v1.]", "[1:2:3:4:5:6:7:8:9]",
            "%zz", "a%4", "é.example", "a\\b", "<a>", ":80",
        ])
    func bad(host: String) throws {
        #expect(throws: RequestTarget.Problem.malformedHost) { try Self.target("/x", [host]).get() }
    }

    @Test("HTTP/1.1 names it once, HTTP/1.0 at most once")
    func count() throws {
        #expect(throws: RequestTarget.Problem.noHost) { try Self.target("/x", []).get() }
        #expect(throws: RequestTarget.Problem.severalHosts) { try Self.target("/x", ["a", "a"]).get() }
        #expect(try Self.target("/x", [], .http1_0).get().host == nil)
        #expect(throws: RequestTarget.Problem.severalHosts) { try Self.target("/x", ["a", "a"], .http1_0).get() }
        #expect(throws: RequestTarget.Problem.malformedHost) { try Self.target("/x", [""], .http1_0).get() }
    }

    @Test("a target that names the host wins over the header, and is a path from then on")
    func absolute() throws {
        for (text, path, host) in [
            ("http://shop.example/v1/batches?x", "/v1/batches?x", "shop.example"), ("HTTP://a:81", "/", "a:81"),
            ("https://a?x=/", "/?x=/", "a"), ("/http://b/c", "/http://b/c", "here"), ("*", "*", "here"),
        ] {
            let found = try Self.target(text, ["here"]).get()
            #expect((found.path, found.host) == (path, host), "\(text)")
        }
        for text in ["ftp://a/", "http:///x", "http://u@a/", "http://a b/", "http://?x"] {
            #expect(throws: RequestTarget.Problem.malformedTarget) { try Self.target(text, ["here"]).get() }
        }
        #expect(throws: RequestTarget.Problem.noHost) { try Self.target("http://a/", []).get() }
    }
}
