/// Named groups of values; what no group lists goes to `other`.
struct ListBucketing: TabledBucketing {
    let buckets: LabelTable
    private let values: ByteTable

    /// - Parameter letters: the way in which values are compared; labels are always compared by their bytes.
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

    func bucket(_ value: FieldValue) -> Int {
        // Labels are among the values.
        if case .text(let text) = value { return values[text.bytes] ?? buckets.other }
        return value.withText { values[$0] ?? buckets.other } ?? buckets.other
    }
}

/// Slots for the values of an open vocabulary, which get their labels while counting goes on, and `other`.
///
/// Which value has which slot is no part of a plan: it is learned, and looked up by the hash of one window. Without that
/// everything is `other`.
struct RevealedBucketing: Bucketing {
    let labels: [BucketLabel]

    init(most: Int) throws(BucketingProblem) {
        guard most > 0 else { throw .noBuckets }
        guard most < LabelTable.limit else { throw .tooManyBuckets(found: most + 1, limit: LabelTable.limit) }
        labels = (0..<most).map { .vacant($0) } + [.other]
    }

    func bucket(_ value: FieldValue) -> Int { labels.count - 1 }
}

extension BucketLabel {
    /// Returns the placeholder for a slot of a revealed dimension that has no label yet. No label that is learned
    /// starts with a bracket (``UnfitValue/reserved``).
    public static func vacant(_ slot: Int) -> BucketLabel { BucketLabel("(\(slot))") }

    /// True if the label, which must be a revealed dimension's, stands for a slot without a label.
    public var isVacant: Bool { text.utf8.first == UInt8(ascii: "(") }
}

/// A version cut to its major number ("17.4.1" to "17") or its minor one ("17.4"); versions not listed go to `other`.
///
/// Only the leading digits count, so "v17" is no version and "17-beta" is 17. A bare "17" is "17.0" at the minor
/// level, and "17_4" and "17,4" are "17.4".
struct VersionBucketing: TabledBucketing {
    let buckets: LabelTable
    private let level: BucketingRule.VersionLevel

    init(level: BucketingRule.VersionLevel, known: [String]) throws(BucketingProblem) {
        for version in known {
            let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == (level == .major ? 1 : 2),
                parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) })
            else { throw .malformedVersion(version, level: level) }
        }
        buckets = try LabelTable(known)
        self.level = level
    }

    func bucket(_ value: FieldValue) -> Int {
        if case .number(let number) = value { return bucket(number: number) }
        // Not `withText(bucket(text:))`: a method taken as a value is allocated.
        return value.withText { bucket(text: $0) } ?? buckets.other
    }

    private func bucket(text: UnsafeBufferPointer<UInt8>) -> Int {
        if let bucket = buckets[text] { return bucket }
        let all = Slice(base: text, bounds: text.indices)
        let major = all.prefix(while: \.isDigit)
        guard !major.isEmpty else { return buckets.other }
        if level == .major { return buckets[major] ?? buckets.other }
        let rest = all[major.endIndex...]
        let isParted = rest.first.map { "._,".utf8.contains($0) } == true
        let minor = isParted ? rest.dropFirst().prefix(while: \.isDigit) : rest.prefix(0)
        if !minor.isEmpty, rest.first == UInt8(ascii: ".") { return buckets[all[..<minor.endIndex]] ?? buckets.other }
        // Without a minor number it is "17.0".
        let length = major.count + 1 + max(minor.count, 1)
        guard length <= 41 else { return buckets.other }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { spelled in
            for (place, byte) in major.enumerated() { spelled[place] = byte }
            spelled[major.count] = UInt8(ascii: ".")
            spelled[length - 1] = UInt8(ascii: "0")
            for (place, byte) in minor.enumerated() { spelled[major.count + 1 + place] = byte }
            return buckets[UnsafeBufferPointer(spelled)] ?? buckets.other
        }
    }

    /// A JSON number such as 17.4 has lost its trailing zeros: its major number is known, its minor one is not.
    private func bucket(number: Double) -> Int {
        guard level == .major, number >= 0, number < 1e15 else { return buckets.other }
        return FieldValue.integer(Int64(number)).withText { buckets[$0] ?? buckets.other } ?? buckets.other
    }
}

/// A URL to its host, if listed: "https://www.example.org:8443/cart?x=1" to "www.example.org". A host is listed in Unicode or with
/// `xn--`; values may have either.
struct HostBucketing: TabledBucketing {
    let buckets: LabelTable
    private let hosts: ByteTable

    init(known: [String]) throws(BucketingProblem) {
        for host in known {
            guard !host.isEmpty, !host.hasPrefix("."), !host.hasSuffix("."),
                host.utf8.allSatisfy({
                    $0.isDigit || ($0.isASCIILetter && $0.lowercasedASCII == $0) || "-.".utf8.contains($0) || $0 >= 0x80
                })
            else { throw .malformedHost(host) }
        }
        buckets = try LabelTable(known)
        var hosts = ByteTable(.foldingASCII)
        for (bucket, host) in known.enumerated() {
            for spelling in [host, String(decoding: AddressSpelling.host(Array(host.utf8)), as: UTF8.self)] {
                if let first = hosts.insert(spelling, bucket), first != bucket {
                    throw .repeatedAddress(host, first: known[first])
                }
            }
        }
        self.hosts = hosts
    }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        if let bucket = buckets[text.bytes] { return bucket }
        if AddressSpelling.isPlain(text.bytes) {
            let host = WebAddress(text.bytes).host
            if let bucket = hosts[host] { return bucket }
            // Only letters and digits of ASCII can be another spelling yet.
            guard host.contains(UInt8(ascii: "-")) else { return buckets.other }
        }
        return AddressSpelling(text.bytes).host.withUnsafeBufferPointer { hosts[$0] } ?? buckets.other
    }
}

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

/// A file name, or a URL by that of its path, to the type of its content, by its last extension, whatever the case of its letters.
///
/// A name that only starts with a dot (".profile") has no extension.
package struct FileTypeBucketing: TabledBucketing {
    package let buckets: LabelTable
    private let extensions: ByteTable

    package init() throws(BucketingProblem) {
        buckets = try LabelTable(Self.types.map(\.label))
        var extensions = ByteTable(.foldingASCII)
        for (bucket, type) in Self.types.enumerated() {
            for name in type.values {
                if let first = extensions.insert(name, bucket), first != bucket {
                    throw .repeatedValue(name, first: buckets.labels[first], second: type.label)
                }
            }
        }
        self.extensions = extensions
    }

    package func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        if let bucket = buckets[text.bytes] { return bucket }
        guard WebAddress(text.bytes).isAbsolute else { return type(of: text.bytes) }
        return AddressSpelling(text.bytes).path.withUnsafeBufferPointer { type(of: $0) }
    }

    private func type(of name: UnsafeBufferPointer<UInt8>) -> Int {
        let all = Slice(base: name, bounds: name.indices)
        let start =
            all.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.map { $0 + 1 } ?? all.startIndex
        guard let dot = all.lastIndex(of: UInt8(ascii: ".")), dot > start else { return buckets.other }
        return extensions[all[(dot + 1)...]] ?? buckets.other
    }

    private static func type(_ label: BucketLabel, _ extensions: String) -> BucketGroup {
        BucketGroup(label: label, values: extensions.split(separator: " ").map(String.init))
    }

    /// Extensions by type of content, as in IANA's media type registry where it lists them.
    package static let types: [BucketGroup] = [
        type(
            "image",
            "avif bmp cr2 dng eps gif heic heif ico jfif jpe jpeg jpg jxl nef png psd raw svg svgz tga tif tiff webp"),
        type("video", "3g2 3gp avi flv m2ts m4v mkv mov mp4 mpeg mpg mts ogv ts vob webm wmv"),
        type("audio", "aac aif aiff alac amr flac m4a m4b mid midi mka mp3 oga ogg opus wav weba wma"),
        type(
            "document",
            """
            doc docm docx dot dotx epub fodt htm html key md mobi numbers odp ods odt pages pdf pot potx pps ppsx ppt \
            pptm pptx ps rst rtf tex txt wpd xhtml xls xlsb xlsm xlsx xps
            """), type("archive", "7z ar bz2 cab cpio gz iso jar lz lz4 lzma rar tar tbz2 tgz txz war xz z zip zst"),
        type(
            "code",
            """
            asm bash bat c cc clj cljs cpp cs css cxx dart elm erl ex exs fs go gradle groovy h hpp hs ipynb java jl js \
            jsx kt kts less lisp lua m mjs ml mm php pl ps1 py r rb rs sass scala scss sh sql swift tsx vb vue zig zsh
            """),
        type(
            "data",
            "avro cfg conf csv db feather geojson gpx ics ini json jsonl kml log mdb ndjson orc parquet plist proto "
                + "sqlite sqlite3 toml tsv vcf xml yaml yml"), type("font", "eot otf ttc ttf woff woff2"),
        type("program", "aab apk app appimage com deb dll dmg dylib exe ipa msi pkg rpm so wasm"),
    ]
}

/// Codes that stand for the same language or country, as devices of different ages and makers send them.
///
/// Source: CLDR 49, `supplementalMetadata.xml`, `languageAlias` and `territoryAlias` where one code replaces another: what ISO
/// gave up (`iw` is `he`, `BU` is `MM`), longer codes of the same language (`deu` is `de`), and what is asked for under a wider
/// name (`cmn` is `zh`). Languages without a code of two letters are there as far as systems are sold in them. Written out
/// because a device's own list depends on its system.
enum CodeAliases {
    /// All codes of one language or country, by each of them.
    struct Table: Sendable {
        private var spellings: [String: [String]] = [:]

        /// - Parameter text: `code:other,other code:other`; the first is the one that holds today.
        fileprivate init(_ text: String) {
            for entry in text.split(separator: " ") {
                let parts = entry.split(separator: ":")
                let codes = [String(parts[0])] + parts[1].split(separator: ",").map(String.init)
                for code in codes { spellings[code] = codes }
            }
        }

        /// The codes of what a code stands for, the one that holds today first.
        func spellings(of code: String) -> [String] { spellings[code] ?? [code] }
    }

    /// ISO 639 codes in small letters.
    static let languages = Table(
        """
        aa:aar ab:abk ae:ave af:afr ak:aka,tw,twi am:amh an:arg ar:ara,arb as:asm av:ava ay:aym,ayr az:aze,azj ba:bak \
        bal:bcc be:bel bg:bul bho:bh,bih bi:bis bm:bam bn:ben bo:bod,tib br:bre bs:bos ca:cat ce:che ch:cha chm:mhr \
        co:cos cr:cre,cwd cs:ces,cze cu:chu cv:chv cy:cym,wel da:dan de:deu,ger doi:dgo dv:div dz:adp,dzo ee:ewe \
        el:ell,gre en:eng eo:epo es:spa et:ekk,est eu:baq,eus fa:drw,fas,per,pes,prs,tnf ff:fuc,ful fi:fin fil:tgl,tl \
        fj:fij fo:fao fr:fra,fre fy:fry ga:gle gd:gla gl:glg gn:grn,gug gu:guj,prp gv:glv ha:hau he:heb,iw hi:hin \
        hmn:hea ho:hmo hr:hrv,scr ht:hat hu:hun hy:arm,hye hz:her ia:ina id:in,ind ie:ile ig:ibo ii:iii ik:esk,ipk \
        io:ido is:ice,isl it:ita iu:ike,iku ja:jpn jv:jav,jw ka:geo,kat kg:kng,kon ki:kik kj:kua kk:kaz kl:kal km:khm \
        kn:kan ko:kor kok:gom kpe:xpe kr:kau,knc ks:kas ku:kmr,kur kv:kom,kpv kw:cor ky:kir la:lat lah:pnb lb:ltz \
        lg:lug li:lim ln:lin lo:lao lt:lit lu:lub luy:bxk lv:lav,lvs mg:mlg,plt mh:mah mi:mao,mri mk:mac,mkd ml:mal \
        mn:drh,khk,mon mr:mar ms:may,msa,zsm mt:mlt mwr:dhd my:bur,mya na:nau nb:nob nd:nde ne:nep,npi ng:ndo \
        nl:dut,nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:ojg,oji om:gaz,orm or:ori,ory os:oss pa:pan pi:pli \
        pl:pol ps:pbu,pus pt:por qu:que,quz raj:mup rm:roh rn:run ro:mo,mol,ron,rum rom:rmy ru:rus rw:kin sa:cls,san \
        sc:src,srd sd:snd se:sme sg:sag si:sin sk:slk,slo sl:slv sm:smo sn:sna so:som sq:alb,als,sqi \
        sr:cnr,hbs,scc,sh,srp ss:ssw st:sot su:sun sv:swe sw:swa,swc,swh syr:cld ta:tam te:tel tg:tgk th:tha ti:tir \
        tk:tuk tn:tsn to:ton tr:tur ts:tso tt:tat ty:tah ug:uig uk:ukr ur:urd uz:uzb,uzn ve:ven vi:vie vo:vol wa:wln \
        wo:wol xh:xho yi:ji,ydd,yid yo:yor za:zha,zyb zh:chi,cmn,zho zu:zul zza:diq
        """)

    /// Norwegian, which devices name as a whole or by how it is written, with the nearest other names first.
    static let norwegian: [(name: String, nearest: [String])] = [("no", ["nb", "nn"]), ("nb", ["no"]), ("nn", ["no"])]

    /// ISO 3166-1 codes of two letters, in capitals, and the European Union's `EL`.
    static let countries = Table(
        "AQ:NQ BF:HV BJ:DY CD:ZR DE:DD EU:QU FR:FX GB:UK GR:EL KI:CT MM:BU PA:PZ TL:TP UM:JT,MI,PU,WK VN:VD VU:NH "
            + "YE:YD ZW:RH")
}
