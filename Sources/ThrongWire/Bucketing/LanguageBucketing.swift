/// A locale to its language: "de-AT", "de_AT.UTF-8", "deu" and the header "de-AT,de;q=0.9" are all "de", and "iw" is "he".
/// "nb" is "no" where a plan lists that alone.
struct LanguageBucketing: TabledBucketing {
    let buckets: LabelTable
    private let languages: ByteTable

    init(known: [String]) throws(BucketingProblem) {
        for language in known {
            guard (2...3).contains(language.utf8.count),
                language.utf8.allSatisfy({ $0.isASCIILetter && $0.lowercasedASCII == $0 })
            else { throw .malformedLanguage(language) }
        }
        buckets = try LabelTable(known)
        var languages = ByteTable(.foldingASCII)
        for (bucket, language) in known.enumerated() {
            for code in [language] + Self.otherCodes(of: language, among: known) {
                if let first = languages.insert(code, bucket), first != bucket {
                    throw .repeatedValue(language, first: buckets.labels[first], second: buckets.labels[bucket])
                }
            }
        }
        self.languages = languages
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        guard case .text(let text) = value else { return buckets.other }
        let all = Slice(base: text.bytes, bounds: text.bytes.indices)
        let language = all.prefix(while: \.isASCIILetter)
        if language.endIndex < all.endIndex {
            // RFC 5646 tags, POSIX locales and lists of either end a language so; "den Haag" and "deé" are no locales.
            switch all[language.endIndex] {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: ","),
                UInt8(ascii: ";"), UInt8(ascii: ":"):
                break
            default: return buckets.other
            }
        }
        return languages[language] ?? buckets.other
    }

    /// Returns each language's other codes, for clients that have no table of codes.
    static func groups(_ known: [String]) -> [BucketGroup] {
        known.map { BucketGroup(label: BucketLabel($0), values: otherCodes(of: $0, among: known)) }
    }

    /// Returns the codes that land where a language does: its own, and those of another that is not known itself.
    private static func otherCodes(of language: String, among known: [String]) -> [String] {
        func named(_ code: String) -> String { CodeAliases.languages.spellings(of: code)[0] }
        let names = known.map(named)
        let near = CodeAliases.norwegian.filter { name, nearest in
            !names.contains(name) && nearest.first(where: names.contains) == named(language)
        }
        let codes = ([language] + near.map(\.name)).flatMap { CodeAliases.languages.spellings(of: $0) }
        return codes.filter { $0 != language }
    }
}
