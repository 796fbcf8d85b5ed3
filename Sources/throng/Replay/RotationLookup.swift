import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import ThrongPlan

/// Asks a daemon for the rotation of a purpose: it is part of the public plan.
actor RotationLookup {
    private let server: String
    private var known: [String: Rotation] = [:]

    init(server: String) { self.server = server.hasSuffix("/") ? String(server.dropLast()) : server }

    /// The window of a purpose that is open now.
    func openWindow(app: String, purpose: String) async throws -> Int64 {
        try await rotation(app: app, purpose: purpose).window(at: UnixClock.system.now).value
    }

    private func rotation(app: String, purpose: String) async throws -> Rotation {
        let key = "\(app)/\(purpose)"
        if let rotation = known[key] { return rotation }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        let result: Result<PublicPlan, any Error>
        do {
            let name = app.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? app
            let response = try await client.execute(
                HTTPClientRequest(url: "\(server)/v1/plan/\(name)"), timeout: .seconds(30))
            guard response.status == .ok else {
                throw CommandFailure("\(server) has no plan for the app '\(app)'.")
            }
            let body = try await response.body.collect(upTo: 16 << 20)
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            result = .success(try decoder.decode(PublicPlan.self, from: Data(body.readableBytesView)))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        guard let found = try result.get().purposes.first(where: { $0.name.text == purpose }) else {
            throw CommandFailure("The plan of '\(app)' has no purpose '\(purpose)'.")
        }
        let rotation = Rotation(seconds: found.rotationSeconds)
        known[key] = rotation
        return rotation
    }
}
