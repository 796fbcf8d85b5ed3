import Foundation
import PackagePlugin

/// Builds the texts of a target into it, as SQL, templates and scripts: each is a constant of `PackageResources`.
///
/// SwiftPM's own `embedInCode` writes each byte as a number, and the compiler takes longer for those than for the target's code.
@main
struct EmbedTexts: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let texts = target.sourceModule?.sourceFiles.filter { $0.type == .unknown }.map(\.url) ?? []
        let output = context.pluginWorkDirectoryURL.appending(path: "PackageResources.swift")
        return [
            .buildCommand(
                displayName: "Embedding the texts of \(target.name)", executable: URL(filePath: "/bin/sh"),
                arguments: ["-ec", script, "sh", output.path] + texts.flatMap { [name(of: $0), $0.path] },
                inputFiles: texts, outputFiles: [output])
        ]
    }

    /// The constant's name: the file's, with `_` for what is no letter and no digit.
    private func name(of text: URL) -> String {
        let name = text.lastPathComponent.map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return String(name).replacing(/^[0-9]/, with: "_")
    }

    /// Writes the names and texts that follow the output. A literal's last line break is not its text's.
    private let script = ###"""
        exec >"$1"
        shift
        echo 'enum PackageResources {'
        while [ $# -gt 0 ]; do
            printf 'static let %s = Array(##"""\n' "$1"
            cat "$2"
            printf '\n"""##.utf8)\n'
            shift 2
        done
        echo '}'
        """###
}
