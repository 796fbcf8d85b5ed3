import ArgumentParser
import Foundation
import Synchronization
import ThrongAttestation
import ThrongClient
import ThrongWire

/// An app on a device that proves itself: records views and sends them, a batch each.
struct ProvingProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove", abstract: "Counts events with ThrongClient and the credentials of ThrongAttestation.",
        discussion: """
            Says of each batch whether it was counted, its identifier, and whether it had a proof. Each time it also proves the firsts \
            that are due.
            """)

    @Argument(help: "The plan's address.")
    var plan: String
    @Argument(help: "Where the device keeps what it has to remember.")
    var folder: String
    @Argument(help: "By what the daemon's program vouches for it.")
    var token: String
    @Option(help: "How many events.")
    var events = 2
    @Option(help: "Which.")
    var event = "view"
    @Option(help: "How many devices, each with a folder and a token of its own; the first has the number given here.")
    var devices: Int?
    @Option(help: "The first device's number.")
    var from = 0

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
        guard let devices else { return try await live(in: folder, by: token) }
        for number in from..<from + devices { try await live(in: "\(folder)/\(number)", by: "\(token) \(number)") }
    }

    private func live(in folder: String, by token: String) async throws {
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
        if events == 0 { _ = await throng.flush() }
        for _ in 0..<events {
            throng.record(event, ["page": "soup"])
            let result = await throng.flush()
            guard let body = await throng.sent.last?.body else { continue }
            let batch = try JSONDecoder().decode(Batch.self, from: Data(body.utf8))
            print(
                result.counted, batch.id ?? "-", batch.proof == nil ? "alone" : "proved",
                result.problem.map { "\($0)" } ?? "")
        }
        await throng.close()
    }
}
