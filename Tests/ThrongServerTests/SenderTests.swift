import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongServer

@Suite("Who sends what is not wanted counts nothing: by a revoked key, without a secret, or too much from one network")
struct SenderTests {
    private struct Unexpected: Error {}

    /// What became of a batch: an outcome, or why it was refused.
    private static func outcome(_ body: () throws -> BatchOutcome) -> String {
        do {
            guard case .counted(_, let outcome, _) = try body() else { return "not counted" }
            return outcome.label
        } catch let error as IntakeError {
            return error.code
        } catch {
            return "\(error)"
        }
    }

    /// Events that were counted so far, and identifiers that were seen.
    private static func counted(_ house: IngestionHouse) -> Int64 {
        house.ingestion.state.withLock { counting in
            counting.freeze()?.coverage.filter { $0.kind == .accepted }.reduce(0) { $0 + $1.events } ?? 0
        }
    }

    @Test("a network has its identifiers and no more; another one, a backend and who has no address are not bounded")
    func quota() throws {
        var keys = AppKeys()
        let made = keys.addSecret(of: "shop", name: "orders", now: .epoch)
        let secret = try #require(made)
        let house = try IngestionHouse(quotas: .init(identifiers: 3, events: nil), keys: AppKeyRing(keys))
        func send(_ id: String, from address: String?, bearer: String? = nil) -> String {
            Self.outcome { try house.send(id, bearer: bearer, from: address) }
        }
        for number in 0..<3 { #expect(send("\(number)", from: "203.0.113.\(number)") == "accepted") }
        let before = house.ingestion.position
        #expect(send("3", from: "203.0.113.200") == "network_quota")
        #expect(house.ingestion.position == before, "nothing is written")
        #expect(send("0", from: "203.0.113.200") == "accepted", "who is known already")
        for (number, address) in ["203.0.114.1", nil, "10.0.0.1", "2001:db8::1"].enumerated() {
            #expect(send("\(number + 4)", from: address) == "accepted", "\(address ?? "no address")")
        }
        #expect(send("8", from: "203.0.113.1", bearer: secret) == "accepted", "a backend")
        #expect(Self.counted(house) == 9)
        do {
            _ = try house.send("9", from: "203.0.113.1")
            Issue.record("it is counted")
        } catch let error as IntakeError {
            // The house's clock is at the beginning of a window of a minute.
            #expect(error == .networkQuota(retrySeconds: 60))
            let text = String(buffer: IntakeAnswer(Problem(error)).response(isLast: false, reader: nil))
            #expect(text.hasPrefix("HTTP/1.1 429 Too Many Requests\r\n") && text.contains("\r\nretry-after: 60\r\n"))
        }
        house.time.withLock { $0 += 60 }
        #expect(send("9", from: "203.0.113.1") == "accepted", "the next window")
        try house.end()
    }

    @Test("a batch that was counted gets its answer again, although its network has brought enough since")
    func repeated() throws {
        let house = try IngestionHouse(quotas: .init(identifiers: nil, events: 2))
        let name = String(repeating: "0f", count: 16)
        func send(_ id: String, _ batch: String) -> String {
            Self.outcome { try house.send(id, from: "203.0.113.1", batch: batch) }
        }
        #expect(send("a", name) == "accepted")
        #expect(send("b", String(repeating: "1f", count: 16)) == "accepted")
        #expect(send("a", name) == "duplicate")
        #expect(send("a", String(repeating: "2f", count: 16)) == "network_quota", "control: another one is refused")
        #expect(Self.counted(house) == 2)
        try house.end()
    }

    @Test("of a window that is over it is noted how much its largest network brought, where it has enough identifiers")
    func evidence() throws {
        for (network, others, kinds) in [
            (199, 0, []), (200, 0, ["largest_network_to_100"]), (90, 110, ["largest_network_to_50"]),
        ] as [(Int, Int, [String])] {
            let house = try IngestionHouse()
            for number in 0..<network { _ = try house.send("\(number)", from: "203.0.113.\(number % 256)") }
            for number in 0..<others { _ = try house.send("other \(number)", from: "198.51.\(number).1") }
            for number in 0..<50 { _ = try house.send("hidden \(number)") }
            house.time.withLock { $0 += 60 }
            house.ingestion.noteNetworks(overBy: house.now)
            house.time.withLock { $0 += 120 }
            house.ingestion.noteNetworks(overBy: house.now)
            let flush = try #require(house.ingestion.state.withLock { $0.freeze() })
            let windows = flush.coverage.filter { if case .windows = $0.kind { true } else { false } }
            #expect(windows.map(\.kind.name) == kinds && windows.allSatisfy { $0.events == 1 })
            #expect(windows.allSatisfy { $0.app == "shop" && $0.hour == UnixSeconds(1_794_830_400) })
            #expect(windows.allSatisfy { CoverageKind(code: $0.kind.code) == $0.kind })
            try house.end()
        }
    }

    @Test("nineteen forged devices of one network and a real one are six where five lift floors, else twenty")
    func forged() throws {
        for (most, devices) in [(5, 6), (nil, 20)] as [(Int?, Int64)] {
            let house = try IngestionHouse(floorPerNetwork: most)
            for number in 0..<19 { _ = try house.send("forged \(number)", from: "203.0.113.\(number)") }
            for _ in 0..<2 { _ = try house.send("real", from: "198.51.100.1") }
            for number in 0..<19 { _ = try house.send("forged \(number)", from: "192.0.\(number).1") }
            let flush = try #require(house.ingestion.state.withLock { $0.freeze() })
            #expect(flush.distinct.map(\.delta).max() == devices)
            #expect(flush.coverage.filter { $0.kind == .accepted }.map(\.events) == [40], "all add to values")
            try house.end()
        }
    }

    @Test("a bot adds to values and lifts no floor, from a network and from nowhere, however it says what it is")
    func bots() throws {
        let house = try IngestionHouse(readsAgents: true)
        for address in ["203.0.113.1", nil] {
            for device in ["curl/8.5.0", "bot", "phone"] {
                let id = "\(device) \(address ?? "nowhere")"
                _ = try house.send(id, from: address, event: "visit", context: #""user_agent":"\#(device)""#)
            }
        }
        let flush = try #require(house.ingestion.state.withLock { $0.freeze() })
        #expect(flush.distinct.map(\.delta).max() == 2, "the phones")
        #expect(flush.coverage.filter { $0.kind == .accepted }.map(\.events) == [6], "all add to values")
        try house.end()
    }

    @Test("without a bound one network brings any number")
    func unbounded() throws {
        let house = try IngestionHouse(quotas: .init(identifiers: nil, events: nil))
        for number in 0..<40 { _ = try house.send("\(number)", from: "203.0.113.1") }
        #expect(Self.counted(house) == 40)
        try house.end()
    }

    @Test("a batch with a revoked key counts nothing, no refused event either; the person can still take back")
    func revoked() throws {
        var keys = AppKeys()
        let key = keys.addKey(of: "shop", name: "ios", now: .epoch)
        let ring = AppKeyRing(keys)
        let house = try IngestionHouse(keys: ring)
        #expect(Self.outcome { try house.send("a", key: key) } == "accepted")
        #expect(keys.revoke(try #require(keys.entries.first).id, of: "shop", now: .epoch))
        ring.use(keys)
        let before = house.ingestion.position
        #expect(Self.outcome { try house.send("b", key: key) } == "revoked_key")
        #expect(Self.outcome { try house.send("b", optingOut: true, key: key) } == "revoked_key")
        #expect(house.ingestion.position == before)
        let flush = try #require(house.ingestion.state.withLock { $0.freeze() })
        #expect(flush.coverage.map(\.kind.name) == ["accepted"] && flush.coverage.map(\.events) == [1])
        let window = house.now.flooredQuotient(by: 60)
        var body = #"{"app":"shop","purpose":"product","window":\#(window),"id":"a"}"#
        let withdrawal = try body.withUTF8 { try house.ingestion.intake.readWithdrawal($0, now: house.now) }
        _ = try house.ingestion.withdraw(withdrawal)
        try house.end()
    }

    @Test("who shows no secret is told what to show, over HTTP and sealed")
    func challenge() throws {
        let answer = IntakeAnswer(Problem(IntakeError.secretRequired))
        let text = String(buffer: answer.response(isLast: false, reader: nil))
        #expect(text.hasPrefix("HTTP/1.1 401 Unauthorized\r\n") && text.contains("\r\nwww-authenticate: Bearer\r\n"))
        for other in [IntakeError.revokedKey, .unknownKey, .keyRequired] {
            let text = String(buffer: IntakeAnswer(Problem(other)).response(isLast: false, reader: nil))
            #expect(text.hasPrefix("HTTP/1.1 403 ") && !text.contains("www-authenticate"))
        }
        let request = BinaryRequest(
            "POST", "/v1/batches", fields: [MessageField("authorization", "Bearer as_1"), MessageField("cookie", "x")],
            content: [])
        let headers = RequestHeaders(InnerRequest.headers(of: request))
        #expect(headers.bearer == "as_1")
    }

    @Test("a secret is one, by one name")
    func headers() {
        func read(_ lines: [(String, String)]) -> RequestHeaders { RequestHeaders(HTTPHeaders(lines)) }
        for value in ["Bearer as_1", "bearer  as_1 ", "BEARER as_1"] {
            #expect(read([("Authorization", value)]).bearer == "as_1")
        }
        for value in ["Basic as_1", "as_1", "Bearer", ""] { #expect(read([("authorization", value)]).bearer == nil) }
        #expect(read([("authorization", "Bearer as_1"), ("authorization", "Bearer as_2")]).bearer == "")
    }
}

@Suite("Keys of apps are in one file, whole or as they were")
struct AppKeyFileTests {
    @Test("for its owner's eyes, by ten commands at a time without a loss; whatever is no list is not taken for one")
    func changes() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "tk-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
        }
        let file = AppKeyFile(dataPath: path)
        #expect(try file.read() == AppKeys())
        try await withThrowingTaskGroup { group in
            for number in 0..<10 {
                group.addTask { _ = try file.change { $0.addKey(of: "shop", name: "\(number)", now: .epoch) } }
            }
            try await group.waitForAll()
        }
        #expect(Set(try file.read().entries.map(\.name)) == Set((0..<10).map { "\($0)" }))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [AppKeyFile.name], "nothing else is left")
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file.path))
        func isDamage(_ error: any Error) -> Bool { if case AppKeyError.damaged = error { true } else { false } }
        #expect {
            _ = try file.read()
        } throws: {
            isDamage($0)
        }
        #expect {
            try file.change { $0.forget("shop") }
        } throws: {
            isDamage($0)
        }
        #expect(throws: AppKeyError.self) { try AppKeyFile(dataPath: path + "/nowhere").change { $0.forget("shop") } }
    }

    @Test("a folder that another program keeps locked is named, instead of being waited for without end")
    func locked() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "tk-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
        }
        let file = AppKeyFile(dataPath: path)
        func change() throws(AppKeyError) {
            _ = try file.change(within: .milliseconds(50)) { $0.addKey(of: "shop", name: "ios", now: .epoch) }
        }
        let other = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: AppKeyError.locked(path: path, code: EWOULDBLOCK)) { try change() }
        close(other)
        try change()
        #expect(try file.read().entries.count == 1)
    }
}
