import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@Suite("Who sends with a key that is not good, or without the secret that a plan asks for, counts nothing")
struct AppKeyTests {
    private static let now = UnixSeconds(1_795_176_000)

    private static func intake(_ keys: AppKeys, rule: String = "", senders: String = "anybody") throws -> Intake {
        let plan = try Plan(
            yaml: """
                app: {name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100\(rule)}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 15 minutes, retention: 30 days,
                    senders: \(senders)}
                dimensions:
                  query: {title: Search term, field: query, revealed: {most: 4}}
                metrics:
                  views: {title: Views, events: [view], question: What?, decision: That., owner: Team,
                    expires: 2027-10-31, purpose: product, dimensions: [query], period: day}
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777))
        let layouts = try plan.metrics.map { try plan.layout(of: $0, rules: .system) }
        return try Intake(plans: [plan], space: CellSpace(layouts: layouts), rules: .system, keys: AppKeyRing(keys))
    }

    /// Nil where it counts, and otherwise why it does not.
    private static func refusal(
        _ intake: Intake, key: String? = nil, bearer: String? = nil, use: IntakeUse = .counting
    ) throws -> String? {
        var body =
            #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"id":"a","#
            + (key.map { "\"key\":\"\($0)\"," } ?? "")
            + #""events":[{"event":"view","at":"2026-11-20T11:59:00Z"}]}"#
        do {
            let outcome = try body.withUTF8 { try intake.read($0, signals: [], bearer: bearer, now: now, use: use) }
            guard case .batch(let batch) = outcome else { return "unread" }
            #expect(batch.isBackend == (bearer != nil && bearer != "somebody else's"))
            return nil
        } catch let error as IntakeError {
            return error.code
        }
    }

    private static func revealRefusal(_ intake: Intake, key: String?, bearer: String? = nil) throws -> String? {
        var body =
            #"{"app":"shop","purpose":"product","window":1994640,"dimension":"query","value":"pie""#
            + (key.map { ",\"key\":\"\($0)\"" } ?? "") + "}"
        do {
            _ = try body.withUTF8 { try intake.readReveal($0, signals: [], bearer: bearer, now: now) }
            return nil
        } catch let error as IntakeError {
            return error.code
        }
    }

    @Test("a key counts until it is revoked, and another app's never; without one counts who need not have one")
    func keys() throws {
        var keys = AppKeys()
        let good = keys.addKey(of: "shop", name: "ios", now: Self.now)
        let other = keys.addKey(of: "notes", name: "ios", now: Self.now)
        for (rule, without) in [("", nil), (", keys: optional", nil), (", keys: required", "key_required")] {
            let intake = try Self.intake(keys, rule: rule)
            #expect(try Self.refusal(intake) == without)
            #expect(try Self.refusal(intake, key: good) == nil)
            #expect(try Self.refusal(intake, key: other) == "unknown_key")
            #expect(try Self.refusal(intake, key: "") == "unknown_key")
            #expect(try Self.revealRefusal(intake, key: nil) == without)
            #expect(try Self.revealRefusal(intake, key: good) == nil)
            #expect(try Self.refusal(intake, use: .preview) == nil, "who only looks needs none")
            #expect(try Self.refusal(intake, key: other, use: .preview) == "unknown_key")
            // From one batch to the next, without a restart.
            var revoked = keys
            #expect(revoked.revoke(try #require(keys.entries.first).id, of: "shop", now: Self.now))
            intake.keys?.use(revoked)
            #expect(try Self.refusal(intake, key: good) == "revoked_key")
            #expect(try Self.revealRefusal(intake, key: good) == "revoked_key")
            intake.keys?.use(keys)
            #expect(try Self.refusal(intake, key: good) == nil, "control: it is the revocation that refuses")
        }
    }

    @Test("a key and its app are named by their id, and nothing else is revoked")
    func revocation() throws {
        var keys = AppKeys()
        _ = keys.addKey(of: "shop", name: "ios", now: Self.now)
        let second = keys.addKey(of: "shop", name: "ios", now: Self.now)
        let id = try #require(keys.entries.first).id
        #expect(!keys.revoke(id, of: "notes", now: Self.now) && !keys.revoke("0", of: "shop", now: Self.now))
        #expect(keys.revoke(id, of: "shop", now: Self.now) && keys.revoke(id, of: "shop", now: Self.now + 9))
        #expect(keys.entries.map(\.revoked) == [Self.now, nil])
        #expect(try Self.refusal(try Self.intake(keys), key: second) == nil)
        keys.forget("shop")
        #expect(keys.entries.isEmpty)
    }

    @Test("only who shows a secret sends to a purpose for backends; two are good at a time, and no other")
    func secrets() throws {
        var keys = AppKeys()
        let made = (0..<2).map { _ in keys.addSecret(of: "shop", name: "orders", now: Self.now) }
        let (first, second) = (try #require(made[0]), try #require(made[1]))
        #expect(keys.addSecret(of: "shop", name: "orders", now: Self.now) == nil, "a third")
        let intake = try Self.intake(keys, rule: ", keys: required", senders: "backends")
        #expect(try Self.refusal(intake, bearer: first) == nil && Self.refusal(intake, bearer: second) == nil)
        #expect(try Self.refusal(intake) == "secret_required")
        #expect(try Self.refusal(intake, bearer: "somebody else's") == "unknown_secret")
        #expect(try Self.revealRefusal(intake, key: nil) == "secret_required")
        #expect(try Self.revealRefusal(intake, key: nil, bearer: first) == nil)
        #expect(try Self.refusal(intake, use: .preview) == nil, "who only looks needs none")
        #expect(keys.revoke(try #require(keys.entries.first).id, of: "shop", now: Self.now))
        intake.keys?.use(keys)
        #expect(try Self.refusal(intake, bearer: second) == nil)
        var unread = try Self.intake(keys)
        #expect(throws: IntakeError.unknownSecret) { try Self.read(intake, bearer: first) }
        #expect(throws: IntakeError.unknownSecret, "also where anybody may send") {
            try Self.read(unread, bearer: first)
        }
        unread = try Self.intake(AppKeys())
        #expect(throws: Never.self, "what is meant for something in front of an app without secrets") {
            try Self.read(unread, bearer: first)
        }
    }

    private static func read(_ intake: Intake, bearer: String) throws {
        var body =
            #"{"app":"shop","batch":"00112233445566778899aabbccddeeff","purpose":"product","window":1994640,"id":"a","#
            + #""events":[{"event":"view","at":"2026-11-20T11:59:00Z"}]}"#
        _ = try body.withUTF8 { try intake.read($0, signals: [], bearer: bearer, now: now) }
    }

    @Test("the file has keys as they are and secrets as hashes only, and says the same when it is read")
    func file() throws {
        var keys = AppKeys()
        let key = keys.addKey(of: "shop", name: "ios", now: Self.now)
        let made = keys.addSecret(of: "shop", name: "orders", now: Self.now)
        let secret = try #require(made)
        #expect(keys.revoke(try #require(keys.entries.last).id, of: "shop", now: Self.now + 1))
        let bytes = try keys.json()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(key) && !text.contains(secret) && !text.contains(secret.dropFirst(3)))
        #expect(AppKeys(json: bytes) == keys)
        for damaged in ["", text.replacing("keys/1", with: "keys/2"), text.replacing("secret_sha256", with: "x")] {
            #expect(AppKeys(json: Array(damaged.utf8)) == nil)
        }
    }
}
