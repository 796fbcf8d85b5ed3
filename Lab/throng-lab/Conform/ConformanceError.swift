/// The reason why a client can't be tested at all.
package enum ConformanceError: Error, Sendable, CustomStringConvertible {
    /// The command can't be started.
    case cannotStart(command: String)
    /// It ended, or said nothing for too long, at this step.
    case noAnswer(step: String, seconds: Int)
    /// It answered a step with something else than `ok`.
    case strangeAnswer(step: String)
    /// The daemon of the trial can't be there.
    case noServer

    package var description: String {
        switch self {
        case .cannotStart(let command):
            "The command '\(command)' can't be started; name a program that can, with its arguments behind it."
        case .noAnswer(let step, let seconds):
            "The client's program ended at the step '\(step)', or said nothing for \(seconds) seconds; it answers each with ok."
        case .strangeAnswer(let step): "The client's program answered the step '\(step)' with another line than ok."
        case .noServer: "No port of this machine's loopback address can be had for the trial."
        }
    }
}
