import Foundation
import Testing
import ThrongSystem

@Suite("Requests that we make end, whatever a server does")
struct HTTPConnectionTests {
    /// What comes of one request to a server that behaves in some way.
    private func outcome(
        rules: ConnectionRules = ConnectionRules(), path: String = "/", within limit: Duration = .seconds(20),
        bodyLimit: Int = 1000, _ behaviour: @escaping HostileServer.Behaviour
    ) async throws -> (Result<ReceivedAnswer, HTTPFault>, HostileServer) {
        let server = try HostileServer(behaviour)
        defer { server.stop() }
        let request = OutgoingRequest(.get, "http://127.0.0.1:\(server.port)\(path)")
        do throws(HTTPFault) {
            return (
                .success(try await HTTPConnection(rules).answer(to: request, within: limit, bodyLimit: bodyLimit)),
                server
            )
        } catch {
            return (.failure(error), server)
        }
    }

    private func fault(_ outcome: Result<ReceivedAnswer, HTTPFault>) -> HTTPFault? {
        if case .failure(let fault) = outcome { fault } else { nil }
    }

    @Test("an answer is handed on with its status, its headers and its body")
    func answer() async throws {
        let (outcome, server) = try await outcome(path: "/a/../b?c") { _, client in
            HostileServer.say(
                "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After:  7\r\nContent-Length: 4\r\n\r\nbody",
                to: client)
        }
        let answer = try outcome.get()
        #expect(answer.status == 503 && answer.header("retry-after") == "7" && answer.header("link") == nil)
        #expect(answer.body == Array("body".utf8))
        // Nothing of the library's own, and the path as it was written.
        #expect(server.heads == ["GET /a/../b?c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"])
    }

    @Test("a redirect is an answer, and nobody goes where it leads")
    func redirect() async throws {
        let trap = try HostileServer { _, client in HostileServer.say("HTTP/1.1 200 OK\r\n\r\n", to: client) }
        defer { trap.stop() }
        let (outcome, _) = try await outcome { _, client in
            HostileServer.say(
                "HTTP/1.1 307 Away\r\nLocation: http://127.0.0.1:\(trap.port)/\r\nContent-Length: 0\r\n\r\n", to: client
            )
        }
        #expect(try outcome.get().status == 307 && trap.connections == 0)
    }

    @Test("a head without end, headers before the answer without end, and a body without end are cut off")
    func endless() async throws {
        let headers = try await outcome { _, client in
            var isHeard = HostileServer.say("HTTP/1.1 200 OK\r\n", to: client)
            while isHeard {
                isHeard = HostileServer.say("X-Filler: \(String(repeating: "a", count: 1000))\r\n", to: client)
            }
            return false
        }.0
        #expect(fault(headers) == .longHead(limit: 80 << 10))
        let hints = try await outcome { _, client in
            while HostileServer.say("HTTP/1.1 103 Early\r\nLink: a\r\n\r\n", to: client) {}
            return false
        }.0
        #expect(fault(hints) == .longHead(limit: 80 << 10))
        let line = try await outcome { _, client in
            var isHeard = HostileServer.say("HTTP/1.1 200 OK\r\nX: ", to: client)
            while isHeard { isHeard = HostileServer.say(String(repeating: "a", count: 1000), to: client) }
            return false
        }.0
        #expect(fault(line) != nil && fault(line) != .late)
        let body = try await outcome { _, client in
            var isHeard = HostileServer.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", to: client)
            while isHeard { isHeard = HostileServer.say("3\r\nabc\r\n", to: client) }
            return false
        }.0
        #expect(fault(body) == .longBody(limit: 1000))
    }

    @Test(
        "a server that dribbles, says nothing, hangs up or speaks something else costs no more than the limit",
        .timeLimit(.minutes(40)))
    func slow() async throws {
        let dribble = try await outcome(within: .milliseconds(700)) { _, client in
            while HostileServer.say("H", to: client) { usleep(100_000) }
            return false
        }.0
        #expect(fault(dribble) != nil)
        let silence = try await outcome(within: .milliseconds(700)) { _, client in HostileServer.outlast(client) }.0
        #expect(fault(silence) == .late)
        let hangUp = try await outcome { _, _ in false }.0
        #expect(fault(hangUp) == .brokenOff)
        let short = try await outcome { _, client in
            HostileServer.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", to: client)
            return false
        }.0
        #expect(fault(short) == .brokenOff)
        let other = try await outcome { _, client in
            HostileServer.say("SSH-2.0-OpenSSH_9.2\r\n\r\n", to: client)
            return false
        }.0
        #expect(fault(other) != nil)
    }

    @Test("the status is there with the head, however long the body takes")
    func status() async throws {
        let server = try HostileServer { _, client in
            HostileServer.say("HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\n", to: client)
            // The body never comes: who waits for it gets no status.
            sleep(90)
            return false
        }
        defer { server.stop() }
        let request = OutgoingRequest(.put, "http://127.0.0.1:\(server.port)/x", body: [1, 2, 3])
        #expect(try await HTTPConnection().status(of: request, within: .seconds(60)) == 201)
        #expect(server.heads.first?.contains("Content-Length: 3") == true)
    }

    @Test("a kept connection serves many exchanges, one that is not kept serves one")
    func reuse() async throws {
        let server = try HostileServer { _, client in
            HostileServer.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", to: client)
        }
        defer { server.stop() }
        for isKept in [true, false] {
            let before = server.connections
            var rules = ConnectionRules()
            rules.isKept = isKept
            let connection = HTTPConnection(rules)
            for _ in 0..<5 {
                let request = OutgoingRequest(.post, "http://127.0.0.1:\(server.port)/", body: [])
                #expect(try await connection.answer(to: request, within: .seconds(20), bodyLimit: 0).status == 200)
            }
            let made = server.connections - before
            // One that was idle for two minutes, while this had to wait for its turn, is not used again.
            #expect(isKept ? made < 5 : made == 5)
        }
    }

    @Test("a pinned connection goes to its address, whatever the name, the port and the environment say")
    func pinned() async throws {
        let proxy = try HostileServer { _, client in HostileServer.say("HTTP/1.1 200 OK\r\n\r\n", to: client) }
        defer { proxy.stop() }
        let names = ["http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"]
        for name in names { setenv(name, "http://127.0.0.1:\(proxy.port)", 1) }
        defer { for name in names { unsetenv(name) } }
        let server = try HostileServer { _, client in
            HostileServer.say("HTTP/1.1 204 None\r\n\r\n", to: client)
        }
        defer { server.stop() }
        var rules = ConnectionRules()
        rules.pinned = ("127.0.0.1", server.port)
        let request = OutgoingRequest(.get, "http://nobody.invalid:1/")
        #expect(try await HTTPConnection(rules).status(of: request, within: .seconds(20)) == 204)
        #expect(server.heads.first?.contains("Host: nobody.invalid:1\r\n") == true && proxy.connections == 0)
    }

    @Test(
        "the time in which a request waits for those before it is its own, and one whose time is over is not sent",
        .timeLimit(.minutes(40)))
    func queued() async throws {
        let server = try HostileServer { _, client in HostileServer.outlast(client) }
        defer { server.stop() }
        let (connection, url) = (HTTPConnection(), "http://127.0.0.1:\(server.port)/")
        @Sendable func ask(within limit: Duration) async -> HTTPFault? {
            do throws(HTTPFault) {
                _ = try await connection.answer(to: OutgoingRequest(.get, url), within: limit, bodyLimit: 1000)
                return nil
            } catch {
                return error
            }
        }
        // It goes on until all the others have waited for longer than they may.
        let first = Task { await ask(within: .seconds(3600)) }
        while server.heads.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let asked = AsyncStream<Void>.makeStream()
        let outcomes: [HTTPFault?] = try await withThrowingTaskGroup(of: HTTPFault?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    asked.continuation.yield()
                    return await ask(within: .milliseconds(700))
                }
            }
            for await _ in asked.stream.prefix(20) {}
            try await Task.sleep(for: .seconds(2))
            first.cancel()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(await first.value == .cancelled)
        #expect(outcomes == Array(repeating: .late, count: 20))
        #expect(server.connections < 3, "all but the first had waited until their time was over")
    }

    @Test("a request that is given up ends at once", .timeLimit(.minutes(40)))
    func cancelled() async throws {
        let server = try HostileServer { _, client in HostileServer.outlast(client) }
        defer { server.stop() }
        let task = Task {
            try await HTTPConnection().status(
                of: OutgoingRequest(.get, "http://127.0.0.1:\(server.port)/"), within: .seconds(3600))
        }
        while server.heads.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        task.cancel()
        await #expect(throws: HTTPFault.cancelled) { try await task.value }
    }

    @Test("other schemes, headers with line ends and a closed port are refused by name")
    func refused() async throws {
        func fault(_ request: OutgoingRequest, plain: Bool = true) async -> HTTPFault? {
            var rules = ConnectionRules()
            rules.allowsPlain = plain
            do throws(HTTPFault) {
                _ = try await HTTPConnection(rules).status(of: request, within: .seconds(20))
                return nil
            } catch { return error }
        }
        #expect(await fault(OutgoingRequest(.get, "file:///etc/passwd")) == .address)
        #expect(await fault(OutgoingRequest(.get, "http://127.0.0.1:1/"), plain: false) == .address)
        #expect(
            await fault(OutgoingRequest(.get, "http://127.0.0.1:1/", headers: [("X", "a\r\nY: b")]))
                == .header(name: "X"))
        #expect(await fault(OutgoingRequest(.get, "http://127.0.0.1:1/")) == .notConnected(number: ECONNREFUSED))
    }
}
