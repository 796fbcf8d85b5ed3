import Foundation
import PackagePlugin

/// Builds the texts of a target into it, as SQL, templates and scripts: each is a constant of `PackageResources`,
/// and all of them with their files' names are `PackageResources.all`.
///
/// A JSON Schema whose name begins with a capital letter, such as `PlanKeys.schema.json`, becomes an enumeration of that
/// name, too: in it lies one of the keys of each of the schema's mappings.
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
            + texts.filter { $0.lastPathComponent.wholeMatch(of: /[A-Z]\w*\.schema\.json/) != nil }.map {
                schema -> Command in
                let name = String(schema.lastPathComponent.prefix { $0 != "." })
                let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
                // A link's own date says nothing of the schema's.
                let schema = schema.resolvingSymlinksInPath()
                return .buildCommand(
                    displayName: "Reading keys for \(name)", executable: URL(filePath: "/bin/sh"),
                    arguments: [
                        "-ec", #"{ echo "enum $2 {"; awk "$3" "$4"; echo "}"; } >"$1""#, "sh", output.path, name, keys,
                        schema.path,
                    ], inputFiles: [schema], outputFiles: [output])
            }
    }

    /// The constant's name: the file's, with `_` for what is no letter and no digit.
    private func name(of text: URL) -> String {
        let name = text.lastPathComponent.map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return String(name).replacing(/^[0-9]/, with: "_")
    }

    /// Writes the names and texts that follow the output: a query's after its file's name, as a comment. A literal's last
    /// line break is not its text's.
    private let script = ###"""
        exec >"$1"
        shift
        echo 'enum PackageResources {'
        all=
        while [ $# -gt 0 ]; do
            printf 'static let %s = Array(##"""\n' "$1"
            case $2 in */Schema/queries/*) echo "-- $(basename "$2" .sql)" ;; esac
            cat "$2"
            printf '\n"""##.utf8)\n'
            all="$all(\"${2##*/}\", $1), "
            shift 2
        done
        echo "static let all: [(name: String, bytes: [UInt8])] = [$all]"
        echo '}'
        """###

    /// Writes an enumeration for each object of a JSON Schema that has `properties`. Its name is that of the property or
    /// definition that it lies in. `key` has the last key at each depth.
    private let keys = ###"""
        function camel(key, isType,   parts, count, place, name) {
            count = split(key, parts, "_")
            for (place = 1; place <= count; place++)
                name = name (place > 1 || isType ? toupper(substr(parts[place], 1, 1)) substr(parts[place], 2) : parts[place])
            return name
        }
        function type(depth) {
            while (depth > 1 && key[depth - 1] != "properties" && key[depth - 1] != "$defs") depth--
            return depth > 1 ? camel(key[depth], 1) : "Root"
        }
        { text = text $0 "\n" }
        END {
            while (match(text, /"([^"\\]|\\.)*"|[][{},]/)) {
                token = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                word = substr(token, 2, length(token) - 2)
                if (token ~ /[[{]/ && length(token) == 1) {
                    key[++depth] = cases[depth] = required[depth] = ""
                } else if (token ~ /[]}]/ && length(token) == 1) {
                    if (cases[depth] != "")
                        print "enum " type(depth - 1) ": String, PlanKey {\n" cases[depth] \
                            "static let required: Set<Self> = [" required[depth] "]\n}"
                    depth--
                } else if (token == ",") {
                    key[depth] = ""
                } else if (key[depth - 1] == "required") {
                    required[depth - 1] = required[depth - 1] ".`" camel(word) "`, "
                } else if (key[depth] == "") {
                    key[depth] = word
                    if (key[depth - 1] == "properties")
                        cases[depth - 1] = cases[depth - 1] "case `" camel(word) "` = \"" word "\"\n"
                }
            }
        }
        """###
}
