import Foundation
import ThrongPlan
import ThrongSystem

/// Asks a daemon for the rotation of a purpose: it is part of the public plan.
actor RotationLookup {
    private let server: String
    private var known: [String: Known] = [:]

    /// The rules of the plan for a purpose's batches.
    private struct Known {
        let rotation: Rotation
        let hasIdentifiers: Bool
    }

    init(server: String) { self.server = server.hasSuffix("/") ? String(server.dropLast()) : server }

    func openWindow(app: String, purpose: String) async throws -> Int64 {
        try await lookUp(app: app, purpose: purpose).rotation.window(at: UnixClock.system.now).value
    }

    func hasIdentifiers(app: String, purpose: String) async throws -> Bool {
        try await lookUp(app: app, purpose: purpose).hasIdentifiers
    }

    private func lookUp(app: String, purpose: String) async throws -> Known {
        let key = "\(app)/\(purpose)"
        if let found = known[key] { return found }
        let name = app.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? app
        let answer = try await HTTPConnection().answer(
            to: OutgoingRequest(.get, "\(server)/v1/plan/\(name)"), within: .seconds(30), bodyLimit: 16 << 20)
        guard answer.status == 200 else { throw CommandFailure("\(server) has no plan for the app '\(app)'.") }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let plan = try decoder.decode(PublicPlan.self, from: Data(answer.body))
        guard let found = plan.purposes.first(where: { $0.name.text == purpose }) else {
            throw CommandFailure("The plan of '\(app)' has no purpose '\(purpose)'.")
        }
        let entry = Known(
            rotation: Rotation(seconds: found.rotationSeconds), hasIdentifiers: found.identifier != .absent)
        known[key] = entry
        return entry
    }
}
