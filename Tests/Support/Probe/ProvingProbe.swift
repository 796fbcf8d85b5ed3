import ArgumentParser
import Foundation
import Synchronization
import ThrongAttestation
import ThrongClient
import ThrongWire

/// An app on a device that proves itself: records views and sends them, a batch each.
struct ProvingProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Counts views with ThrongClient and the credentials of ThrongAttestation.",
        discussion: "Says of each batch whether it was counted, its identifier, and whether it had a proof.")

    @Argument(help: "The plan's address.")
    var plan: String
    @Argument(help: "Where the device keeps what it has to remember.")
    var folder: String
    @Argument(help: "By what the daemon's program vouches for it.")
    var token: String
    @Option(help: "How many views.")
    var views = 2

    private struct Sign: Vouching {
        let name = "command"
        let token: String
        func evidence(for challenge: [UInt8]) async throws -> [String: String] { ["token": token] }
    }

    private struct Drawer: CredentialStorage {
        let file: URL
        func read() throws -> [UInt8]? {
            FileManager.default.fileExists(atPath: file.path()) ? Array(try Data(contentsOf: file)) : nil
        }
        func replace(with bytes: [UInt8]) throws { try Data(bytes).write(to: file, options: .atomic) }
    }

    private struct Nowhere: CredentialTransport {
        func send(path: String, body: [UInt8]?) async throws -> (status: Int, body: [UInt8]) {
            throw TransportFailure.notSent
        }
    }

    func run() async throws {
        let place = URL(fileURLWithPath: folder, isDirectory: true)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        // Yesterday it drew when to ask, and an hour later it asks: before the window of a day began.
        let ahead = Mutex<Int64>(-26 * 3600)
        let credentials = try DeviceCredentials(
            app: "kitchen", vouching: Sign(token: token), storage: Drawer(file: place.appending(path: "credentials"))
        ) { Int64(Date().timeIntervalSince1970) + ahead.withLock { $0 } }
        try await credentials.renew(by: Nowhere())
        ahead.withLock { $0 += 3600 }
        guard let url = URL(string: plan) else { throw ValidationError("no address: \(plan)") }
        var options = ThrongOptions()
        options.sendsByItself = false
        options.gap = 0
        options.identifiers = credentials
        let throng = try await Throng(plan: url, storage: place.appending(path: "throng"), options: options)
        for _ in 0..<views {
            throng.record("view", ["page": "soup"])
            let result = await throng.flush()
            guard let body = await throng.sent.last?.body else { continue }
            let batch = try JSONDecoder().decode(Batch.self, from: Data(body.utf8))
            print(result.counted, batch.id ?? "-", batch.proof == nil ? "alone" : "proved")
        }
        await throng.close()
    }
}
