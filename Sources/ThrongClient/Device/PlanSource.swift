internal import ThrongWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Where a plan comes from, and where its events go.
struct PlanSource: Sendable {
    /// `https://…/v1/plan/APP`.
    let plan: URL
    /// `https://…/v1/batches`.
    let batches: URL
    /// `https://…/v1/reveals`.
    let reveals: URL

    /// A plan with more bytes is none.
    static let longestPlan = 4 << 20
    /// An answer to a batch with more bytes is none.
    static let longestAnswer = 1 << 20

    init(_ url: URL) throws {
        let parts = url.absoluteString.split(separator: "/v1/plan/", omittingEmptySubsequences: false)
        guard ["http", "https"].contains(url.scheme?.lowercased() ?? ""), url.query() == nil, url.fragment() == nil,
            parts.count == 2, !parts[1].isEmpty, !parts[1].contains("/"),
            let batches = URL(string: parts[0] + "/v1/batches"), let reveals = URL(string: parts[0] + "/v1/reveals")
        else { throw ThrongError.planAddress }
        plan = url
        self.batches = batches
        self.reveals = reveals
    }

    /// Reads the answer of `GET /v1/plan/APP`.
    static func read(_ document: Data) throws -> DevicePlan {
        guard document.count <= longestPlan else { throw ThrongError.plan("it is too large.") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let published: PublicPlan
        do {
            published = try decoder.decode(PublicPlan.self, from: document)
        } catch {
            throw ThrongError.plan("it is no public plan of a Throng daemon of this version.")
        }
        return try DevicePlan(published)
    }
}

/// A plan as it is kept: the daemon's bytes, and what it takes to ask whether there are newer ones.
struct StoredPlan: Codable, Sendable {
    var document: Data
    var tag: String?
    /// When the daemon said last that it is the newest. Unit: Unix seconds.
    var unixSeconds: Int64
}
