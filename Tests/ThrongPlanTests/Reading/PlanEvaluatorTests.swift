import Testing
import ThrongWire

@testable import ThrongPlan

@Suite("A plan may name who evaluates values before they are hashed, and everybody can see that it does")
struct PlanEvaluatorTests {
    /// The key of RFC 9497, appendix A.3.2.
    private static let key = "A-F-cGBLyr4ZiILAofJ6kkQed0Ik7ZxwLlHdFwOLECRi"
    private static let plain = """
        app: {name: play, title: Play, owner: Team, contact: a@example.com, audience: 9000}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 100 days}
        dimensions:
          query: {title: Query, field: query, revealed: {most: 50}}
        metrics:
          starts:
            title: Starts
            events: [start]
            question: Which?
            decision: That.
            owner: Team
            expires: 2027-06-30
            purpose: product
            dimensions: [query]
            period: day
        """
    private static let named = "audience: 9000, evaluator: {url: 'https://eval.example.net', key: \(key)}"
    private static let evaluated = plain.replacing("audience: 9000", with: named)

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

    @Test("the public plan has its address and key, and says nothing where there is none")
    func published() throws {
        let plan = try Self.read(Self.evaluated)
        #expect(try plan.publicPlan().evaluator?.key.description == Self.key)
        let text = String(decoding: try plan.publicDocument(), as: UTF8.self)
        #expect(text.contains(#""evaluator":{"key":"\#(Self.key)","url":"https://eval.example.net"}"#))
        let before = String(decoding: try Self.read(Self.plain).publicDocument(), as: UTF8.self)
        #expect(!before.contains("evaluator"))
    }

    @Test("its key is a point of P-256 in base64url, its address https; both are needed, and something to evaluate")
    func refused() {
        #expect(Self.problems(Self.evaluated).isEmpty)
        let none = "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB"
        for key in ["AAAA", String(Self.key.dropLast()), Self.key.replacing("-", with: "+"), none] {
            let found = Self.problems(Self.evaluated.replacing(Self.key, with: key))
            #expect(found.count == 1 && found[0].contains("throng evaluator --public-key"), "\(key): \(found)")
        }
        let insecure = Self.problems(Self.evaluated.replacing("https://eval", with: "http://eval"))
        #expect(insecure.count == 1 && insecure[0].contains("'url'"))
        #expect(Self.problems(Self.evaluated.replacing(", key: \(Self.key)", with: "")).count == 1)
        #expect(
            Self.problems(Self.evaluated.replacing("key: \(Self.key)", with: "key: \(Self.key), most: 4")).count == 1)
        let unused = Self.problems(Self.evaluated.replacing("revealed: {most: 50}", with: "list: [a, b]"))
        #expect(unused.map { $0.hasPrefix("app: 'evaluator' is there and no dimension") } == [true])
    }

    @Test("the label, the record of processing and advice say who helps to hide values, and who can't send any")
    func words() throws {
        let (before, now) = (try Self.read(Self.plain), try Self.read(Self.evaluated))
        let said = now.privacyLabel(today: SamplePlan.today).split(whereSeparator: \.isNewline).joined(separator: " ")
        #expect(said.contains("with the help of eval.example.net"))
        let record = ProcessingRecord(of: now)
        let measure = try #require(record.measures.first { $0.kind == .revealed })
        #expect(measure.text.contains("RFC 9497") && !measure.text.contains("whoever does not guess it"))
        #expect(record.open.contains { $0.part == .recipients && $0.text.contains("eval.example.net") })
        let former = ProcessingRecord(of: before)
        #expect(former.measures.first { $0.kind == .revealed }?.text.contains("whoever does not guess it") == true)
        #expect(!former.open.contains { $0.text.contains("evaluator") })
        func advice(_ plan: Plan) -> Bool {
            plan.lint(today: SamplePlan.today).contains { $0.message.contains("web pages and other clients can't") }
        }
        #expect(advice(now) && !advice(before))
    }

    @Test("to name one tightens, to name none widens, another address is another who sees devices; counters stay")
    func changes() throws {
        let (plain, evaluated) = (try Self.read(Self.plain), try Self.read(Self.evaluated))
        func changes(_ old: Plan, _ new: Plan) throws -> [PlanChange] {
            try PlanDiff(from: old, to: new, rules: .system).changes
        }
        #expect(try changes(plain, evaluated).map(\.kind) == [.tightens])
        #expect(try changes(evaluated, plain).map(\.kind) == [.widens])
        let moved = try Self.read(Self.evaluated.replacing("eval.example.net", with: "eval.example.org"))
        #expect(try changes(evaluated, moved).map(\.kind) == [.widens])
        // The generator of P-256.
        let other = "A2sX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKW"
        let rotated = try Self.read(Self.evaluated.replacing(Self.key, with: other))
        #expect(try changes(evaluated, rotated).map(\.kind) == [.runs])
        let metric = try #require(plain.metrics.first)
        #expect(try plain.layout(of: metric, rules: .system) == evaluated.layout(of: metric, rules: .system))
    }
}
