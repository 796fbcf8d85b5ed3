internal import Crypto

/// The frame of what a device stores: byte 0 is the version, the last 32 bytes are a SHA-256 of a label and of all before them.
///
/// The digest finds what broke or was cut off. It keeps nobody out: whoever can write there can write another digest.
enum StoredBytes {
    static let version: UInt8 = 1

    static func wrap(_ fields: [UInt8], as form: AttestationForm) -> [UInt8] {
        let bytes = [version] + fields
        return bytes + digest(bytes, form)
    }

    static func open(
        _ bytes: some Collection<UInt8>, as form: AttestationForm
    ) throws(AttestationError) -> ByteReader {
        // The version comes first: a later one may have another length.
        if let found = bytes.first, found != version { throw .version(of: form, found: found) }
        var reader = try ByteReader(bytes, of: form)
        guard digest(Array(bytes.dropLast(32)), form).elementsEqual(bytes.suffix(32)) else { throw .damaged(form) }
        _ = reader.bytes(1)
        return reader
    }

    private static func digest(_ bytes: [UInt8], _ form: AttestationForm) -> [UInt8] {
        Array(SHA256.hash(data: Array("throng-arc-1 \(form.rawValue)".utf8) + bytes))
    }
}
