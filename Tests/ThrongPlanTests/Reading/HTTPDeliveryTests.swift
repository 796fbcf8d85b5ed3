import Testing
import ThrongPlan

@Suite("A plan's address for deliveries is https and nothing else")
struct HTTPDeliveryTests {
    @Test("host and port are read as operators allow them")
    func authority() throws {
        let plain = try #require(HTTPDelivery(.put, "https://Partner.example.com/inbox/"))
        #expect(plain.host == "partner.example.com" && plain.port == 443 && plain.authority == "partner.example.com")
        #expect(HTTPDelivery(.post, "https://partner.example:8443/in")?.authority == "partner.example:8443")
        #expect(HTTPDelivery(.post, "https://partner.example:443/in")?.authority == "partner.example")
        #expect(HTTPDelivery(.post, "https://[2606:4700::1]:8443/in")?.authority == "[2606:4700::1]:8443")
        #expect(HTTPDelivery(.post, "https://[2606:4700::1]/in")?.host == "2606:4700::1")
    }

    @Test(
        "everything else is refused",
        arguments: [
            "http://a.example/", "https://a.example", "https://a.example/in", "https://user@a.example/",
            "https://a.example/?x=/", "https://a.example/#/", "https:///", "https://a.example:0/",
            "https://a.example:65536/", "https://a.example:x/", "https://a b.example/", "https://a.example/../b/",
            "https://[a]/", "https://a.example/\u{FC}/", "ftp://a.example/", "https://a.example\r\nX: y/", "",
        ])
    func refused(url: String) { #expect(HTTPDelivery(.put, url) == nil) }
}
