/// Named groups of values; what no group lists goes to `other`.
struct ListBucketing: Bucketing {
    private let buckets: LabelTable
    private let values: ByteTable

    /// - Parameter letters: how values are compared; labels always by their bytes.
    init(_ groups: [BucketGroup], letters: ByteTable.Letters = .exact) throws(BucketingProblem) {
        // A group may spell out what goes to `other`; it is then no bucket of its own.
        let named = groups.filter { $0.label != .other }
        buckets = try LabelTable(named.map(\.label))
        var values = ByteTable(letters)
        for (bucket, group) in (named + groups.filter { $0.label == .other }).enumerated() {
            for value in [group.label.text] + group.values {
                let place = Swift.min(bucket, buckets.other)
                if let first = values.insert(value, place), first != place {
                    throw .repeatedValue(value, first: buckets.labels[first], second: group.label)
                }
            }
        }
        self.values = values
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        // Labels are among the values.
        if case .text(let text) = value { return values[text.bytes] ?? buckets.other }
        return value.withText { values[$0] ?? buckets.other } ?? buckets.other
    }
}

/// A locale to its language: "de-AT", "de_AT.UTF-8" and the header "de-AT,de;q=0.9" are all "de".
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
        for (bucket, language) in known.enumerated() { languages.insert(language, bucket) }
        self.languages = languages
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        guard case .text(let text) = value else { return buckets.other }
        let all = Slice(base: text.bytes, bounds: text.bytes.indices)
        let language = all.prefix(while: \.isASCIILetter)
        if language.endIndex < all.endIndex {
            // RFC 5646 tags, POSIX locales and RFC 9110 lists end a language so; "den Haag" and "deé" are no locales.
            switch all[language.endIndex] {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: ","),
                UInt8(ascii: ";"):
                break
            default:
                return buckets.other
            }
        }
        return languages[language] ?? buckets.other
    }
}
