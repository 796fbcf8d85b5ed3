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
            """
            avro cfg conf csv db feather geojson gpx ics ini json jsonl kml log mdb ndjson orc parquet plist proto \
            sqlite sqlite3 toml tsv vcf xml yaml yml
            """), type("font", "eot otf ttc ttf woff woff2"),
        type("program", "aab apk app appimage com deb dll dmg dylib exe ipa msi pkg rpm so wasm"),
    ]
}
