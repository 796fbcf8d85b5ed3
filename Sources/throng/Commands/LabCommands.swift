import ArgumentParser
import Foundation
import ThrongSystem

/// A command of `throng-lab`, the program beside this one, which takes its place.
protocol LabOptions: ParsableCommand { var words: [String] { get } }

enum LabCommands {
    struct Bench: LabOptions {
        static let configuration = CommandConfiguration(
            commandName: "bench", abstract: "Posts batches at a steady rate, and times answers.", helpNames: [])

        @Argument(parsing: .captureForPassthrough) var words: [String] = []
    }

    struct Conform: LabOptions {
        static let configuration = CommandConfiguration(
            commandName: "conform", abstract: "Tries whether a client keeps to the wire protocol.", helpNames: [])

        @Argument(parsing: .captureForPassthrough) var words: [String] = []
    }

    struct Suppress: LabOptions {
        static let configuration = CommandConfiguration(
            commandName: "suppress", abstract: "Withholds a table's small cells, and what tells them.", helpNames: [])

        @Argument(parsing: .captureForPassthrough) var words: [String] = []
    }
}

extension LabOptions {
    func run() throws {
        let command = Self._commandName
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let lab = (own as NSString).deletingLastPathComponent + "/throng-lab"
        // What takes all words for another program's takes these, too.
        let isAsked = words.first == "--help" || words.first == "-h"
        var arguments = ([lab] + (isAsked ? ["help", command] : [command] + words)).map { strdup($0) }
        arguments.append(nil)
        execv(lab, &arguments)
        throw CommandFailure(
            """
            \(lab), which has throng \(command), can't be run (\(String(cString: strerror(errno)))). \
            Deploy/build throng-lab builds it beside this program; the package brings both.
            """)
    }
}
