internal import Foundation
internal import Glibc
internal import Synchronization

/// A program that drives the client under test: it reads a step a line, as JSON, and answers each with `ok`.
final class TrialClient {
    private let process = Process()
    private let steps = Pipe()
    private let answers = Pipe()
    private var rest = Data()

    private static let longestStep = 60

    /// - Throws: ``ConformanceError/cannotStart(command:)``.
    init(_ command: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardInput = steps
        process.standardOutput = answers
        do { try process.run() } catch { throw ConformanceError.cannotStart(command: command.joined(separator: " ")) }
    }

    /// Says a step and waits until it is done.
    ///
    /// - Throws: ``ConformanceError``.
    func say(_ step: [String: any Sendable]) throws {
        let name = step["do"] as? String ?? ""
        let line = try JSONSerialization.data(withJSONObject: step, options: [.sortedKeys]) + Data("\n".utf8)
        let watch = DispatchWorkItem { [process] in process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.longestStep), execute: watch)
        defer { watch.cancel() }
        do { try steps.fileHandleForWriting.write(contentsOf: line) } catch {
            throw ConformanceError.noAnswer(step: name, seconds: Self.longestStep)
        }
        while !rest.contains(UInt8(ascii: "\n")) {
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw ConformanceError.noAnswer(step: name, seconds: Self.longestStep) }
            rest += more
        }
        let answer = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = Data(rest.dropFirst(answer.count + 1))
        guard String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespaces) == "ok" else {
            throw ConformanceError.strangeAnswer(step: name)
        }
    }

    /// kill -9, where it still runs.
    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
