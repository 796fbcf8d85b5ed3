extension SwiftFile {
    /// A type that is declared.
    struct Declaration {
        let name: String
        /// struct, class, enum, actor, protocol or typealias.
        let kind: String
        /// Whether it lies in no other.
        let isOnTop: Bool
        let isPrivate: Bool
        /// What follows its colon.
        let inherits: [String]
        let token: Token
    }

    private static let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "final", "indirect", "nonisolated",
    ]

    /// Every type that it declares, nested ones too.
    var declarations: [Declaration] {
        var found: [Declaration] = []
        var depth = 0
        for place in tokens.indices {
            let token = tokens[place]
            if token.isSign("{") { depth += 1 }
            if token.isSign("}") { depth -= 1 }
            guard token.kind == .word, Self.kinds.contains(token.text), place + 1 < tokens.count,
                tokens[place + 1].kind == .word, tokens[place + 1].text.first?.isUppercase ?? false
            else { continue }
            var isPrivate = false
            for before in tokens[..<place].reversed() {
                guard before.kind == .word, Self.modifiers.contains(before.text) else { break }
                isPrivate = isPrivate || before.text.hasSuffix("private")
            }
            let header = tokens[(place + 2)...].prefix { !$0.isSign("{") && !$0.isWord("where") }
            let inherits =
                token.text == "typealias" ? [] : header.drop { !$0.isSign(":") }.filter { $0.kind == .word }.map(\.text)
            found.append(
                Declaration(
                    name: tokens[place + 1].text, kind: token.text, isOnTop: depth == 0, isPrivate: isPrivate,
                    inherits: inherits, token: tokens[place + 1]))
        }
        return found
    }

    /// Parameters, properties and results that are instants by their name, and of the type Int64.
    var bareInstants: [Token] {
        tokens.indices.filter { place in
            guard tokens[place].kind == .word, Self.isInstant(tokens[place].text), place + 1 < tokens.count else {
                return false
            }
            var rest = tokens[(place + 1)...]
            if rest.first?.isSign("(") ?? false {
                // A function: what comes behind the arrow.
                var depth = 0
                rest = rest.drop { token in
                    if token.isSign("(") { depth += 1 }
                    if token.isSign(")") { depth -= 1 }
                    return depth > 0
                }.dropFirst()
                rest = rest.drop { $0.isWord("async") || $0.isWord("throws") }
                guard rest.first?.isSign("-") ?? false, rest.dropFirst().first?.isSign(">") ?? false else {
                    return false
                }
            } else if !(rest.first?.isSign(":") ?? false) {
                return false
            }
            var open = 0
            let type = rest.dropFirst().prefix { token in
                if token.isSign("(") { open += 1 }
                if token.isSign(")") { open -= 1 }
                return open >= 0 && token.line == tokens[place].line && ![",", "=", "{"].contains(token.text)
            }
            guard let number = type.firstIndex(where: { $0.isWord("Int64") }) else { return false }
            // Int64(…) makes a number of something else.
            return !(number + 1 < tokens.count && tokens[number + 1].isSign("("))
        }.map { tokens[$0] }
    }

    private static func isInstant(_ name: String) -> Bool {
        ["now", "unixSeconds"].contains(name) || ["Start", "End", "At"].contains { name.hasSuffix($0) }
    }

    /// The types that it extends, the parts of a nested one's name put together: "DaemonOptionsEndpoint".
    var extended: [String] {
        tokens.indices.filter { tokens[$0].isWord("extension") }.map { place in
            tokens[(place + 1)...].prefix { $0.kind == .word || $0.isSign(".") }.prefix { !$0.isWord("where") }
                .filter { $0.kind == .word }.map(\.text).joined()
        }
    }

    /// The names of types that it uses and does not declare within another or in private.
    var usedTypes: [(name: String, token: Token)] {
        let own = Set(declarations.filter { !$0.isOnTop || $0.isPrivate }.map(\.name))
        return tokens.indices.filter { place in
            let token = tokens[place]
            return token.kind == .word && token.text.first?.isUppercase ?? false && !own.contains(token.text)
                && !(place > 0 && tokens[place - 1].isSign("."))
        }.map { (tokens[$0].text, tokens[$0]) }
    }
}
