import Foundation
import Probe
import Testing
import ThrongClient

#if canImport(Glibc)
    import Glibc
#endif

@Suite("An answer that never ends holds nobody")
struct SlowAnswerTests {
    /// A server on this machine that answers each request with a byte every tenth of a second, for an hour.
    private final class Dripping: Sendable {
        let port: UInt16
        private let listener: Int32

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, length) == 0 && listen(listener, 16) == 0
                        && getsockname(listener, address, &length) == 0
                }
            }
            guard isBound else { throw ThrongError.storage("no port") }
            self.listener = listener
            port = UInt16(bigEndian: address.sin_port)
            Thread.detachNewThread {
                while true {
                    let client = accept(listener, nil, nil)
                    guard client >= 0 else { return }
                    Thread.detachNewThread { Self.drip(to: client) }
                }
            }
        }

        deinit {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }

        private static func drip(to client: Int32) {
            let head = Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n".utf8)
            _ = send(client, head, head.count, Int32(MSG_NOSIGNAL))
            for _ in 0..<36_000 {
                guard send(client, [UInt8(0x20)], 1, Int32(MSG_NOSIGNAL)) == 1 else { break }
                usleep(100_000)
            }
            close(client)
        }
    }

    @Test(
        "starting, asking for a plan and flushing end in time where a server drips its answers",
        .timeLimit(.minutes(40))
    )
    func drips() async throws {
        let server = try Dripping()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/v1/plan/cook"))
        for bundled in [nil, try CookPlan().document] {
            var options = ThrongOptions(bundledPlan: bundled)
            options.sendsByItself = false
            options.gap = 0
            let throng = try await Throng(
                plan: url, storage: MemoryStorage(), transport: URLSessionTransport(timeout: 1), options: options)
            throng.record("arrival", ["campaign": "spring"])
            let result = await throng.flush()
            #expect(result.waiting == 1 && result.problem != nil)
            #expect(await throng.refreshPlan() == false)
            // The answer drips for an hour: any end within the test's limit is one by the client's own deadline.
            await throng.close()
        }
    }
}
