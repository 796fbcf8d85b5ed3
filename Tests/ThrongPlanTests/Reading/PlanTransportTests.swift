import Foundation
import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("A purpose may ask for a relay, and everybody can see that it does")
struct PlanTransportTests {
    private static let direct = """
        app: {name: play, title: Play, owner: Team, contact: a@example.com, audience: 9000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 hour, retention: 100 days}
          other: {explanation: To sell., consent: not_required, rotation: 1 hour, retention: 100 days}
        metrics:
          starts:
            title: Starts
            events: [start]
            question: Which?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: product
            period: day
        """
    private static let oblivious =
        direct
        .replacing("audience: 9000", with: "audience: 9000, relay: \"https://relay.example.net\"")
        .replacing("To see., ", with: "To see., transport: oblivious, ")

    private static func read(_ yaml: String) throws -> Plan {
        try Plan(yaml: yaml, file: "play.yaml", today: SamplePlan.today)
    }

    private static func problems(_ yaml: String) -> [String] {
        do {
            _ = try read(yaml)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    @Test("the public plan has the relay and which purposes go through it, and says nothing where none does")
    func published() throws {
        let plan = try Self.read(Self.oblivious).publicPlan()
        #expect(plan.relay?.text == "https://relay.example.net" && plan.relay?.host == "relay.example.net")
        #expect(plan.purposes.map(\.transport) == [.oblivious, nil])
        let text = String(decoding: try Self.read(Self.oblivious).publicDocument(), as: UTF8.self)
        #expect(text.contains(#""relay":"https://relay.example.net""#) && text.contains(#""transport":"oblivious""#))
        let before = String(decoding: try Self.read(Self.direct).publicDocument(), as: UTF8.self)
        #expect(!before.contains("relay") && !before.contains("transport"))
    }

    @Test("an oblivious purpose needs a relay, and a relay a purpose")
    func both() {
        let alone = Self.oblivious.replacing(", relay: \"https://relay.example.net\"", with: "")
        #expect(Self.problems(alone).map { $0.hasPrefix("purpose 'product': 'transport' is oblivious") } == [true])
        let unused = Self.oblivious.replacing("oblivious", with: "direct")
        #expect(Self.problems(unused).map { $0.hasPrefix("app: 'relay' is there and no purpose") } == [true])
        let unknown = Self.oblivious.replacing("oblivious", with: "hidden")
        #expect(Self.problems(unknown).contains { $0.contains("direct") && $0.contains("oblivious") })
    }

    @Test(
        "a relay's address is https with a host and at most a port",
        arguments: [
            ("https://relay.example.net", true), ("https://relay.example.net:8443", true),
            ("https://[2001:db8::1]:8", true),
            ("http://127.0.0.1:8080", true), ("http://[::1]:8080", true), ("http://localhost", true),
            ("http://relay.example.net", false), ("https://relay.example.net/", false),
            ("https://relay.example.net/v1", false),
            ("https://", false), ("https://a@b.example", false), ("https://relay.example.net:0", false),
            ("https://relay.example.net:99999", false), ("https://relay.example.net:", false),
            ("https://2001:db8::1", false),
            ("https://Relay.example.net", false), ("ftp://relay.example.net", false), ("relay.example.net", false),
            ("http://127.0.0.1.example.net", false), ("https://relay.example.net?x", false), ("https://[]", false),
        ])
    func addresses(text: String, isOne: Bool) {
        #expect((RelayAddress(text)?.text == text) == isOne)
        let problems = Self.problems(Self.oblivious.replacing("https://relay.example.net", with: text))
        #expect(problems.isEmpty == isOne, "\(problems)")
    }

    @Test("the label and the record of processing say that no address is seen, and who sees it instead")
    func words() throws {
        let (before, now) = (try Self.read(Self.direct), try Self.read(Self.oblivious))
        let said = now.privacyLabel(today: SamplePlan.today).split(separator: "\n").joined(separator: " ")
        #expect(said.contains("relay.example.net"))
        #expect(!before.privacyLabel(today: SamplePlan.today).contains("Sealed on your device"))
        let record = ProcessingRecord(of: now)
        let measure = try #require(record.measures.first { $0.kind == .transport })
        #expect(measure.text.contains("for product (RFC 9458)") && measure.text.contains("relay.example.net"))
        #expect(record.open.contains { $0.part == .recipients && $0.text.contains("relay.example.net") })
        let former = ProcessingRecord(of: before)
        #expect(!former.measures.contains { $0.kind == .transport })
        #expect(!former.open.contains { $0.text.contains("relay") })
    }

    @Test(
        "to go through a relay tightens a purpose, to go directly widens it, and another relay is another who sees addresses"
    )
    func changes() throws {
        let (direct, oblivious) = (try Self.read(Self.direct), try Self.read(Self.oblivious))
        let other = try Self.read(Self.oblivious.replacing("relay.example.net", with: "relay.example.org"))
        func changes(_ old: Plan, _ new: Plan) throws -> [PlanChange] {
            try PlanDiff(from: old, to: new, rules: .system).changes
        }
        let tighter = try changes(direct, oblivious)
        #expect(tighter.map(\.kind) == [.tightens] && tighter[0].subject == "purpose 'product'")
        let wider = try changes(oblivious, direct)
        #expect(wider.map(\.kind) == [.widens] && wider[0].meaning.contains("sees the address"))
        let moved = try changes(oblivious, other)
        #expect(moved.map(\.kind) == [.widens] && moved[0].subject == "app")
        #expect(moved[0].meaning == "the relay relay.example.org sees addresses, no longer relay.example.net")
    }
}
