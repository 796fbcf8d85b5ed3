extension Plan {
    /// Returns advice on lists whose entries will never count anything.
    ///
    /// - Parameter rules: uap-core's rules, to know which browsers and systems there are; nil asks none.
    func listAdvice(_ rules: UserAgentRules?) -> [PlanProblem] {
        dimensions.flatMap { dimension -> [PlanProblem] in
            let messages: [String] =
                switch dimension.rule {
                case .list(let groups): flagAdvice(groups.flatMap(\.values)).map { [$0] } ?? []
                case .route(let templates): templateAdvice(templates)
                case .browser(let families):
                    familyAdvice(families, BrowserFamily.standard, BrowserFamily.table, rules)
                case .operatingSystem(let families):
                    familyAdvice(families, OperatingSystemFamily.standard, OperatingSystemFamily.table, rules)
                default: []
                }
            return messages.map { message in
                PlanProblem(places, list: dimension.name, "dimension '\(dimension.name)' \(message)")
            }
        }
    }

    // MARK: Flags

    /// Returns advice on a list of yes and no, which YAML 1.1 took for flags; nil for other lists.
    private func flagAdvice(_ values: [String]) -> String? {
        let spellings: Set = ["yes", "no", "on", "off", "y", "n", "true", "false"]
        guard values.allSatisfy({ spellings.contains($0.lowercased()) }),
            let odd = values.first(where: { $0 != "true" && $0 != "false" })
        else { return nil }
        return """
            lists \(YAMLNode.quoted(odd)), letter for letter; a flag counts as true or false, so list [true, false] unless clients \
            send this very text
            """
    }

    // MARK: Templates

    /// Returns advice on templates that no path reaches, because an earlier one takes all of theirs.
    private func templateAdvice(_ templates: [String]) -> [String] {
        let routes = templates.map(WrittenRoute.init)
        return routes.indices.compactMap { place in
            guard routes[place].takesMany, let first = routes[..<place].firstIndex(where: { $0.covers(routes[place]) })
            else { return nil }
            return """
                never counts \(YAMLNode.quoted(templates[place])), because \(YAMLNode.quoted(templates[first])) stands first and \
                matches all of its paths; write the narrower one first
                """
        }
    }

    /// A route template by its segments, to see which one takes the paths of another.
    private struct WrittenRoute {
        let segments: [Substring]
        let isOpenEnded: Bool

        init(_ template: String) {
            let parts = template.split(separator: "/")
            isOpenEnded = parts.last == "*"
            segments = isOpenEnded ? Array(parts.dropLast()) : parts
        }

        /// True if it stands for more than the path that it is letter for letter, which always finds it.
        var takesMany: Bool { isOpenEnded || segments.contains { $0.hasPrefix(":") } }

        func covers(_ other: WrittenRoute) -> Bool {
            guard isOpenEnded || (!other.isOpenEnded && segments.count == other.segments.count),
                segments.count <= other.segments.count
            else { return false }
            return zip(segments, other.segments).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
        }
    }

    // MARK: Families

    private func familyAdvice(
        _ families: [String], _ standard: [String], _ table: [String: String], _ rules: UserAgentRules?
    ) -> [String] {
        let known = Set(standard).union(table.keys).union(table.values)
        return families.compactMap { family in
            if let gathered = table[family], !families.contains(gathered) {
                return """
                    lists \(YAMLNode.quoted(family)), one variant of \(YAMLNode.quoted(gathered)), and the other variants count \
                    as 'other'; list \(YAMLNode.quoted(gathered)), which has them all
                    """
            }
            guard !known.contains(family), let rules, !rules.mentions(family) else { return nil }
            let former = [
                "osx": "macOS", "os x": "macOS", "mac": "macOS", "msie": "Internet Explorer", "win": "Windows",
            ]
            let meant = NearestName.question(
                former[family.lowercased()] ?? NearestName.nearest(to: family, among: known.sorted()))
            return """
                lists \(YAMLNode.quoted(family)), which no user agent is\(meant) families are spelled as uap-core spells them, such \
                as \(standard.joined(separator: ", "))
                """
        }
    }
}

extension PlanProblem {
    /// Advice on a dimension's list, at the line of the list.
    fileprivate init(_ places: PlanPlaces, list dimension: DimensionName, _ message: String) {
        self = places.message(on: .dimension, named: "\(dimension).list", message)
    }
}
