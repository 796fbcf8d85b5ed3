import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Testing

@testable import ThrongServer

@Suite("Values of headers are read by one set of rules: in any letters, with parameters and quotes")
struct FieldSyntaxTests {
    @Test(
        "a media type is one in any letters, with parameters or without",
        arguments: [
            "message/ohttp-req", "Message/OHTTP-Req", "MESSAGE/OHTTP-REQ", "message/ohttp-req; a=b",
            "message/ohttp-req;a=b;",
            " message/ohttp-req\t", "message/ohttp-req ; charset=\"x;y\"", "message/ohttp-req;;",
        ])
    func mediaTypes(text: String) {
        let headers = RequestHeaders(HTTPHeaders([("Content-Type", text)]))
        #expect(headers.contentType?.name == "message/ohttp-req")
    }

    @Test(
        "and nothing else is",
        arguments: [
            "", "message", "message/", "/ohttp-req", "message/ohttp-req/x", "message ohttp-req",
            "message/ohttp-req, a/b",
            "message/ohttp-req; a", "message/ohttp-req; a=", "message/ohttp-req; a=b; A=c", "message/ohttp-req; a=\"b",
            "message/ohttp-req a=b", "messäge/x",
        ])
    func noMediaTypes(text: String) { #expect(MediaType(text) == nil) }

    @Test("two lines that say what a body is say nothing")
    func twice() {
        let headers = RequestHeaders(HTTPHeaders([("Content-Type", "a/b"), ("content-type", "a/b")]))
        #expect(headers.contentType == nil)
        #expect(MediaType("Text/Plain; Charset=\"UTF-8\"")?.parameters == ["charset": "UTF-8"])
    }

    @Test("gzip is taken where it has a weight above 0, and by its old name")
    func offers() throws {
        let text = ServedText(String(repeating: "throng ", count: 500), type: "text/plain", cachedFor: 1)
        for (offer, isPacked) in [
            ("gzip", true), ("GZIP", true), ("br, gzip;q=0.5", true), ("x-gzip", true), ("gzip ; Q=1", true),
            ("gzip;q=0", false), ("gzip;q=0.0", false), ("gzip; Q=0.000", false), ("br", false), ("", false),
            ("gzipped", false),
        ] {
            let head = HTTPRequest(
                method: .get, scheme: "http", authority: "x", path: "/", headerFields: [.acceptEncoding: offer])
            let response = text.response(to: Request(head: head, body: RequestBody(buffer: ByteBuffer())))
            #expect((response.headers[.contentEncoding] == "gzip") == isPacked, "\(offer)")
        }
        for headers in [
            [("content-encoding", "X-Gzip")], [("content-encoding", "identity"), ("content-encoding", "gzip")],
        ] {
            #expect(RequestHeaders(HTTPHeaders(headers)).isGzip == true)
        }
    }

    @Test("a list is cut outside of quoted strings, which have an end or are none")
    func lists() {
        #expect(FieldSyntax.parts(of: "a, \"b,\\\",c\" ,d", at: ",") == ["a", "\"b,\\\",c\"", "d"])
        #expect(FieldSyntax.parts(of: "a, \"b", at: ",") == nil && FieldSyntax.parts(of: "\"a\\", at: ",") == nil)
        #expect(FieldSyntax.unquoted("\"a\\\"b\"") == "a\"b" && FieldSyntax.unquoted("\"a\"b") == nil)
    }
}

@Suite("Metrics are read by who asks this machine, and not by pages whose name leads here")
struct KnownHostsTests {
    private let hosts = KnownHosts(["count.example.com", "0.0.0.0"])

    @Test(
        "an address, a name without a dot, localhost, and names that are listed",
        arguments: [
            "127.0.0.1", "127.0.0.1:9464", "192.0.2.7", "[::1]:9464", "[2001:db8::1]", "localhost", "LOCALHOST:9464",
            "localhost.", "throng", "throng:9464", "a.localhost", "count.example.com", "Count.Example.COM.:9464",
            "throng_1",
        ])
    func known(host: String) { #expect(hosts.isKnown(host)) }

    @Test(
        "and no others",
        arguments: [
            "evil.example", "evil.example:9464", "localhost.evil.example", "127.0.0.1.evil.example", "1.2.3.4.5",
            "count.example.com.evil.example", "x.count.example.com", "evil%2eexample", "", ".", ".localhost",
            "a..localhost",
            "evil.local", "0x7f.1", "xn--nxasmq6b.example",
        ])
    func unknown(host: String) { #expect(!hosts.isKnown(host)) }
}
