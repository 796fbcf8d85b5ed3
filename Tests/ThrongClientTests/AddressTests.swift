import Foundation
import Testing
import ThrongClient

@Suite("What is sent is read by nobody on the way")
struct AddressTests {
    private static func start(_ address: String) async throws {
        let url = try #require(URL(string: address + "/v1/plan/cook"))
        let throng = try await Throng(plan: url, storage: MemoryStorage(), transport: MemorySink())
        await throng.close()
    }

    @Test(
        "http to another machine is refused, and the error says which and what to do",
        arguments: [
            ("http://example.org", "example.org"), ("HTTP://example.org:8080", "example.org"),
            ("http://10.0.0.7:8080", "10.0.0.7"), ("http://128.0.0.1", "128.0.0.1"),
            ("http://127.0.0.1.example.org", "127.0.0.1.example.org"), ("http://127.1", "127.1"),
            ("http://127.0.0.256", "127.0.0.256"), ("http://localhost@example.org", "example.org"),
            ("http://localhost.example.org", "localhost.example.org"), ("http://notlocalhost", "notlocalhost"),
            ("http://127.0.0.1@example.org:80", "example.org"),
        ])
    func refused(address: String, host: String) async throws {
        let error = await #expect(throws: ThrongError.self) { try await Self.start(address) }
        #expect(error == .unencrypted(host: host))
        let words = error.map { "\($0)" } ?? ""
        #expect(words.contains("http to \(host),") && words.contains("https address"), "\(words)")
    }

    @Test("IPv6 has one loopback address")
    func sixth() async throws {
        await #expect(throws: ThrongError.self) { try await Self.start("http://[::2]:8080") }
        await #expect(throws: ThrongError.self) { try await Self.start("http://[fe80::1]:8080") }
        try await Self.start("http://[::1]:8080")
    }

    @Test(
        "https is taken from anywhere, and http from the machine itself",
        arguments: [
            "https://example.org", "HTTPS://example.org:8443", "http://127.0.0.1:8080", "http://127.255.3.4",
            "http://localhost:8080", "http://LocalHost", "https://10.0.0.7",
        ])
    func taken(address: String) async throws { try await Self.start(address) }
}
