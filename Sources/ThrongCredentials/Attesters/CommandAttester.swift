internal import Dispatch
package import ThrongWire

/// Starts a program, which reads `{"app", "challenge", "token"}` from its standard input and writes `{"device": "…"}`; it
/// says no by the exit status 1. No shell is involved, and nothing of a client is in an argument.
///
/// For tests and small sites: each request starts a process. It proves what the program proves.
package struct CommandAttester: Attester {
    package let name = "command"
    package let asksOthers = true

    private let program: AskedProgram
    /// A few at a time, each on a thread of its own.
    private let threads: WorkThreads

    /// The number of programs that run at the same time.
    private static let width = 4

    /// The command is the program's absolute path and its arguments.
    package init(command: [String], seconds: Int) {
        program = AskedProgram(command: command, limit: .seconds(seconds))
        threads = WorkThreads(count: Self.width)
    }

    package func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        let question = try AttesterAnswer.question(evidence, challenge: challenge, app: app)
        let result = await threads.run { [program] in
            Result { () throws(AttesterError) in try program.answer(to: question) }
        }
        let (status, output) = try result.get()
        switch status {
        case 0: return try AttesterAnswer.device(output)
        case 1: throw .refused(.denied)
        default: throw .unavailable(reason: "the program ended with \(status)")
        }
    }
}
