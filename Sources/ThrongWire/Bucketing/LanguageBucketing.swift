/// A locale to its language: "de-AT", "de_AT.UTF-8", "deu" and the header "de-AT,de;q=0.9" are all "de", and "iw" is "he".
struct LanguageBucketing: Bucketing {
    private let buckets: LabelTable
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
            for code in CodeAliases.languages.spellings(of: language) {
                if let first = languages.insert(code, bucket), first != bucket {
                    throw .repeatedValue(language, first: buckets.labels[first], second: buckets.labels[bucket])
                }
            }
        }
        self.languages = languages
    }

    var labels: [BucketLabel] { buckets.labels }

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
        known.map { language in
            BucketGroup(
                label: BucketLabel(language),
                values: CodeAliases.languages.spellings(of: language).filter { $0 != language })
        }
    }
}
