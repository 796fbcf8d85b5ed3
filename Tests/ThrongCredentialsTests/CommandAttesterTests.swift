import Foundation
import Testing
import ThrongAttestation
import ThrongCredentials
import ThrongWire

@Suite("A program that vouches is asked on its standard input, without a shell")
struct CommandAttesterTests {
    private func device(
        _ program: [String], token: String = "t", seconds: Int = 10
    ) async throws -> String {
        let attester = CommandAttester(command: program, seconds: seconds)
        let key = try await attester.device(
            by: Evidence(["token": token]), challenge: [255, 254, 253], app: "shop")
        return String(decoding: key, as: UTF8.self)
    }

    private func python(_ text: String) -> [String] { ["/usr/bin/python3", "-c", text] }

    @Test("it reads app, challenge and token, and its answer's device is the device, whatever stands in the token")
    func asked() async throws {
        let echo = python(
            "import json,sys; q=json.load(sys.stdin); print(json.dumps({'device': json.dumps(q, sort_keys=True)}))")
        for token in ["t", "$(id) `id`; \"'\\", String(repeating: "long ", count: 100)] {
            let told = try JSONSerialization.jsonObject(with: Data(try await device(echo, token: token).utf8))
            #expect(told as? [String: String] == ["app": "shop", "challenge": "__79", "token": token])
        }
    }

    @Test("it says no by the status 1, and anything else but an answer is none")
    func refused() async throws {
        await #expect(throws: AttesterError.refused(.denied)) { try await device(python("exit(1)")) }
        await #expect(throws: AttesterError.unavailable(reason: "the program ended with 3")) {
            try await device(python("exit(3)"))
        }
        await #expect(throws: AttesterError.unavailable(reason: "the program ended with 137")) {
            try await device(python("import os; os.kill(os.getpid(), 9)"))
        }
        for text in [
            "", "print('no')", "print('{\"device\": \"\"}')", "print('{\"device\": 1}')",
            "print('{\"device\": \"' + 5000 * 'x' + '\"}')", "print('{\"device\": \"' + 1025 * 'x' + '\"}')",
        ] {
            do {
                _ = try await device(python(text))
                Issue.record("\(text) is an answer")
            } catch let error as AttesterError {
                guard case .unavailable = error else { throw error }
            }
        }
        await #expect(throws: AttesterError.self) { try await device(["/nowhere/at/all"]) }
    }

    @Test("one that takes too long is killed, with all that it started, and inherits nothing but the question")
    func bounded() async throws {
        let mark = FileManager.default.temporaryDirectory.appending(path: "mark-\(UUID())").path
        let child = "import os,time; os.fork() or (time.sleep(8), open('\(mark)', 'w')); time.sleep(30)"
        await #expect(throws: AttesterError.unavailable(reason: "the program took too long")) {
            try await device(python(child), seconds: 1)
        }
        try await Task.sleep(for: .seconds(8))
        #expect(!FileManager.default.fileExists(atPath: mark))
        let seen = try await device(
            python(
                "import json,os; print(json.dumps({'device': repr((sorted(os.environ), len(os.listdir('/proc/self/fd'))))}))"
            ))
        // Python adds a variable of its own; the fourth descriptor reads the folder.
        #expect(seen.hasSuffix(", 4)") && !seen.contains("HOME"))
    }
}
