internal import Foundation
internal import ThrongWire

/// A client with a folder of its own, a daemon, and what was found of both.
final class Trial {
    let daemon: TrialDaemon
    private let command: [String]
    private let port: Int
    private let folder: String
    private var client: TrialClient?
    /// The time by which the client's clock is ahead. Unit: seconds.
    private let skew: Int64
    /// The requirements that were not kept, with words.
    private(set) var broken: [(requirement: Requirement, words: String)] = []

    init(_ daemon: TrialDaemon, command: [String], port: Int, skew: Int64 = 0) {
        (self.daemon, self.command, self.port, self.skew) = (daemon, command, port, skew)
        folder = FileManager.default.temporaryDirectory.appending(path: "throng-conform-\(UUID())").path
    }

    /// Ends it and removes the folder.
    func end() {
        client?.kill()
        // The system's folder for what is temporary goes by itself.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Notes what a requirement says of what was seen.
    func require(_ requirement: Requirement, _ holds: Bool, _ words: String) {
        if !holds { broken.append((requirement, words)) }
    }

    // MARK: Steps

    /// A new process with the same folder.
    func start(signals: [String] = []) throws {
        let client = try TrialClient(command)
        self.client = client
        try client.say([
            "do": "start", "url": "http://127.0.0.1:\(port)", "app": "conform", "directory": folder,
            "now": daemon.now.value + skew, "signals": signals,
        ])
    }

    /// kill -9, and a new process.
    func restart() throws {
        client?.kill()
        try start()
    }

    func pass(_ seconds: Int64) throws {
        daemon.pass(seconds)
        try client?.say(["do": "now", "now": daemon.now.value + skew])
    }

    func consent(_ given: Bool, version: Int = 1) throws {
        try client?.say(["do": "consent", "purpose": "adverts", "given": given, "version": version])
    }

    func signals(_ signals: [String]) throws { try client?.say(["do": "signals", "signals": signals]) }

    func record(_ event: String, _ fields: [String: any Sendable] = [:]) throws {
        try client?.say(["do": "record", "event": event, "fields": fields])
    }

    func send() throws { try client?.say(["do": "send"]) }

    /// Sends again and again while time passes: until longer pauses than any client makes are over.
    func sendPatiently(rounds: Int = 6) throws {
        for _ in 0..<rounds {
            try pass(120)
            try send()
        }
    }

    // MARK: What was seen

    func batches(of purpose: String) -> [Batch] { daemon.batches.filter { $0.purpose == purpose } }
}
