import Testing
import ThrongSystem

@testable import ThrongServer

@Suite("A daemon that is away keeps nobody waiting who has something for it")
struct MemberLinksTests {
    /// Nobody listens there: the discard port of this machine.
    private static let nobody = "http://127.0.0.1:9"

    private func outcome(_ links: MemberLinks, _ address: String = nobody) async -> HTTPFault? {
        do throws(HTTPFault) {
            _ = try await links.send(OutgoingRequest(.post, address + "/v1/batches", body: [1]), to: address)
            return nil
        } catch {
            return error
        }
    }

    @Test("after one request without an answer the next ones are refused at once; another daemon is asked all the same")
    func rests() async {
        let links = MemberLinks(authorities: nil, rest: .seconds(600))
        let first = await outcome(links)
        guard case .notConnected? = first else {
            Issue.record("it was asked: \(String(describing: first))")
            return
        }
        for _ in 0..<100 { #expect(await outcome(links) == .late) }
        #expect(await outcome(links, "http://127.0.0.2:9") != .late)
    }

    @Test("once it has rested it is asked again")
    func asksAgain() async {
        let links = MemberLinks(authorities: nil, rest: .zero)
        for _ in 0..<3 {
            let found = await outcome(links)
            guard case .notConnected? = found else {
                Issue.record("it was not asked: \(String(describing: found))")
                return
            }
        }
    }
}
