import Foundation
import Probe
import Synchronization
import ThrongClient
import ThrongPlan
import ThrongWire

/// Identifiers that say of which window they are, firsts that say what they are of, and what was asked for.
final class ProvingSource: IdentifierSource {
    let hasAny: Mutex<Bool>
    /// Whether there are any for firsts, beside identifiers.
    let hasFirsts: Mutex<Bool>
    let asked = Mutex<[String]>([])
    let fails = Mutex(false)
    /// When credentials are asked for again, by how often they were. Unit: Unix seconds.
    private let next: @Sendable (Int) -> Int64
    private let renewals = Mutex(0)

    init(
        hasAny: Bool = true, hasFirsts: Bool = true, next: @escaping @Sendable (Int) -> Int64 = { _ in .max / 2 }
    ) {
        self.hasAny = Mutex(hasAny)
        self.hasFirsts = Mutex(hasFirsts)
        self.next = next
    }

    struct Failure: Error {}

    /// How often credentials were asked for.
    var renewed: Int { renewals.withLock { $0 } }

    var nextAsking: Int64 { next(renewed) }

    func first(
        in cell: [DimensionName: BucketLabel], of metric: PublicPlan.Metric, period: Period,
        calendar: PeriodCalendar
    ) async -> ProvedFirst? {
        guard hasAny.withLock({ $0 }), hasFirsts.withLock({ $0 }) else { return nil }
        return ProvedFirst(app: "cook", metric: metric.name, period: period, cell: cell, proof: Self.proof)
    }

    func renew(by transport: any CredentialTransport) async throws -> Bool {
        renewals.withLock { $0 += 1 }
        _ = try await transport.send(path: "/v1/credentials/cook", body: nil)
        _ = try await transport.send(path: "/v1/credentials", body: Array("{}".utf8))
        if fails.withLock({ $0 }) { throw Failure() }
        return true
    }

    func identifier(of purpose: String, window: Int64, rotationSeconds: Int64) async -> AttestedIdentifier? {
        asked.withLock { $0.append("\(purpose) \(window) \(rotationSeconds)") }
        guard hasAny.withLock({ $0 }) else { return nil }
        return AttestedIdentifier(id: Self.tag(purpose, window), proof: Self.proof)
    }

    /// As long as a real one, and one that only says what it is of.
    static func tag(_ purpose: String, _ window: Int64) -> String {
        Base64URL.text(
            of: Array("\(purpose) \(window)".utf8)
                + Array(repeating: 0, count: 33).prefix(33 - "\(purpose) \(window)".utf8.count))
    }

    static let proof = Base64URL.text(of: Array(repeating: 1, count: 292))
}

extension CookPlan {
    /// Every fifteen minutes another identifier that is proved, and firsts of a day by category, and of a week and a month.
    static let proving =
        yaml
        .replacing("    rotation: 1 day\n", with: "    rotation: 15 minutes\n    floor: attested\n")
        .replacing("measures: {reach: client}", with: "measures: {reach: attested}")
}

extension Line {
    /// What was said in `POST /v1/firsts`, in order, with repetitions.
    var firsts: [ProvedFirst] {
        get throws {
            try posts.filter { $0.url.path().hasSuffix("/v1/firsts") }
                .map { try JSONDecoder().decode(ProvedFirst.self, from: $0.body) }
        }
    }
}

extension ProvedFirst {
    /// What is said, without its proof.
    var said: String {
        let cell = cell.map { "\($0.text)=\($1.text)" }.sorted().joined(separator: " ")
        return "\(metric.text) \(period.rawValue) \(cell)"
    }
}
