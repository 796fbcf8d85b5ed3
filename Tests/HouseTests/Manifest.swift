/// What Package.swift says of targets, in its order.
struct Manifest {
    struct Target {
        let name: String
        /// target, executableTarget, testTarget or systemLibrary.
        let kind: String
        /// Other targets that it depends on, as they are listed.
        var dependencies: [String] = []
    }

    private(set) var targets: [Target] = []

    init(_ text: String) {
        let tokens = Lexer(text).tokens
        // The products' `targets: [` lists strings.
        guard
            var place = tokens.indices.dropLast(3).first(where: {
                tokens[$0].isWord("targets") && tokens[$0 + 2].isSign("[") && tokens[$0 + 3].isSign(".")
            })
        else { return }
        var target: Target?
        while place < tokens.count {
            defer { place += 1 }
            let isCall = place + 2 < tokens.count && tokens[place].isSign(".") && tokens[place + 2].isSign("(")
            if isCall, Self.kinds.contains(tokens[place + 1].text), place + 5 < tokens.count,
                tokens[place + 3].isWord("name")
            {
                if let target { targets.append(target) }
                target = Target(name: tokens[place + 5].text, kind: tokens[place + 1].text)
            }
            if tokens[place].isWord("dependencies"), place + 2 < tokens.count, tokens[place + 2].isSign("[") {
                place += 3
                target?.dependencies = Self.names(in: tokens, from: &place)
            }
            if tokens[place].isWord("cxxLanguageStandard") { break }
        }
        if let target { targets.append(target) }
    }

    private static let kinds: Set = ["target", "executableTarget", "testTarget", "systemLibrary"]

    /// The targets of a list: bare strings, and those of `.target(name:…)`. Products of other packages are left out.
    private static func names(in tokens: [Token], from place: inout Int) -> [String] {
        var names: [String] = []
        var depth = 0
        var call: String?
        while place < tokens.count, depth > 0 || !tokens[place].isSign("]") {
            let token = tokens[place]
            if token.isSign("(") {
                if depth == 0 { call = tokens[place - 1].text }
                depth += 1
            } else if token.isSign(")") {
                depth -= 1
            } else if token.isSign("[") {
                depth += 1
            } else if token.isSign("]") {
                depth -= 1
            } else if token.kind == .string {
                let isNamed = depth == 1 && call == "target" && tokens[place - 2].isWord("name")
                if depth == 0 || isNamed { names.append(token.text) }
            }
            place += 1
        }
        return names
    }

    subscript(name: String) -> Target? { targets.first { $0.name == name } }
}
