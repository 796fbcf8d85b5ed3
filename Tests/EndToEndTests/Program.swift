import Foundation
import Glibc
import Testing

/// A Python program beside these tests that drives the built `throng` from outside and says whether its claims hold.
struct Program {
    private let name: String
    private let arguments: [String]
    private let location: URL

    /// Names a program in one of the folders of `Programs`, without `.py`: their `__main__.py` finds it.
    init(_ name: String) {
        self.name = name
        arguments = [name]
        location = Self.folder
    }

    /// Takes the quick trials of some rows of the fault suite.
    init(faults rows: String...) {
        name = "suite.py"
        arguments = rows + ["--quick"]
        location = Self.root.appendingPathComponent("Tests/Faults/suite.py")
    }

    /// Runs it; its last words become the test's issue where it fails.
    func run() async throws {
        let (status, words) = try await output()
        #expect(status == 0, "\(name) ended with \(status): \(Self.verdict(of: words))\n\(words.suffix(6000))")
    }

    /// The line that says why it failed: who reads only the first line of an issue sees it.
    private static func verdict(of words: String) -> Substring {
        let lines = words.split(separator: "\n")
        return (lines.last { $0.hasPrefix("FAILED: ") } ?? lines.last)?.prefix(500) ?? "it said nothing"
    }

    /// Runs it: its exit code, and what it said.
    func output() async throws -> (status: Int32, words: String) {
        let binary = try Self.binary()
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("throng-\(name)-\(UUID().uuidString).log")
        try Data().write(to: output)
        defer { unlink(output.path) }
        let handle = try FileHandle(forWritingTo: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", location.path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging([
            "THRONG_BINARY": binary, "PYTHONDONTWRITEBYTECODE": "1",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        let begun = ContinuousClock.now
        try await Self.finish(process)
        // A test's own time has in it how long it waited for its turn; Deploy/test looks for this line.
        let seconds = (ContinuousClock.now - begun).components.seconds
        print("ran \(seconds) s: \((arguments.first == name ? arguments : [name] + arguments).joined(separator: " "))")
        return (process.terminationStatus, String(decoding: try Data(contentsOf: output), as: UTF8.self))
    }

    /// Waits for the process to end; a test that is cancelled lets it clean up first.
    private static func finish(_ process: Process) async throws {
        let running = Running(process)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { _ in continuation.resume() }
                do {
                    try process.run()
                } catch {
                    process.terminationHandler = nil
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            running.terminate()
        }
    }

    /// Unchecked: `Process.terminate` may be called from any thread, and nothing else is called through this.
    private final class Running: @unchecked Sendable {
        private let process: Process

        init(_ process: Process) { self.process = process }

        func terminate() { if process.isRunning { process.terminate() } }
    }

    // MARK: Places

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Programs")
    private static let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The `throng` that was built with this test: THRONG_BINARY, else beside the test's own executable.
    private static func binary() throws -> String {
        if let named = ProcessInfo.processInfo.environment["THRONG_BINARY"] { return named }
        let places = [
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent(),
            URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent(),
            root.appendingPathComponent(".build/look/debug"),
        ].map { $0.appendingPathComponent("throng").path }
        return try #require(
            places.first { FileManager.default.isExecutableFile(atPath: $0) },
            "there is no throng in any of \(places): build it, or name it with THRONG_BINARY")
    }
}
